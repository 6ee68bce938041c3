import {
  CancellableLoader,
  Container,
  Editor,
  type EditorOptions,
  type EditorTheme,
  Loader,
  Spacer,
  Text,
  type TUI,
} from "@mariozechner/pi-tui";
import type { GuestTheme } from "../settings.ts";
import { keyHint, theme } from "./themes.ts";

/** A line as wide as the screen. */
export class DynamicBorder {
  readonly #color: (text: string) => string;

  constructor(color = (text: string) => theme().fg("border", text)) {
    this.#color = color;
  }

  invalidate(): void {
    // Nothing is kept.
  }

  render(width: number): string[] {
    return [this.#color("─".repeat(Math.max(1, width)))];
  }
}

/** A loader between two lines; Escape aborts its signal unless `cancellable` is false. */
export class BorderedLoader extends Container {
  readonly #loader: Loader;
  readonly #signal: AbortSignal;

  constructor(tui: TUI, colors: GuestTheme, message: string, { cancellable = true } = {}) {
    super();
    const border = (text: string) => colors.fg("border", text);
    const accent = (text: string) => colors.fg("accent", text);
    const muted = (text: string) => colors.fg("muted", text);
    const loader = cancellable
      ? new CancellableLoader(tui, accent, muted, message)
      : new Loader(tui, accent, muted, message);
    this.#loader = loader;
    this.#signal =
      loader instanceof CancellableLoader ? loader.signal : new AbortController().signal;
    this.addChild(new DynamicBorder(border));
    this.addChild(loader);
    if (cancellable) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(keyHint("tui.select.cancel", "cancel"), 1, 0));
    }
    this.addChild(new Spacer(1));
    this.addChild(new DynamicBorder(border));
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  set onAbort(callback: () => void) {
    if (this.#loader instanceof CancellableLoader) this.#loader.onAbort = callback;
  }

  handleInput(data: string): void {
    if (this.#loader instanceof CancellableLoader) this.#loader.handleInput(data);
  }

  dispose(): void {
    this.#loader.stop();
  }
}

interface Keybindings {
  matches(data: string, binding: string): boolean;
}

/** An editor that knows the keys of the program beside those of text. */
export class CustomEditor extends Editor {
  readonly keybindings: Keybindings;
  readonly actionHandlers = new Map<string, () => void>();
  onEscape: (() => void) | undefined;
  onCtrlD: (() => void) | undefined;
  onPasteImage: (() => void) | undefined;
  onExtensionShortcut: ((data: string) => boolean) | undefined;

  constructor(tui: TUI, style: EditorTheme, keybindings: Keybindings, options?: EditorOptions) {
    super(tui, style, options);
    this.keybindings = keybindings;
  }

  onAction(action: string, handler: () => void): void {
    this.actionHandlers.set(action, handler);
  }

  override handleInput(data: string): void {
    if (this.onExtensionShortcut?.(data)) return;
    const action = this.#actionOf(data);
    if (action !== undefined) action();
    else super.handleInput(data);
  }

  #actionOf(data: string): (() => void) | undefined {
    const { keybindings, actionHandlers } = this;
    if (keybindings.matches(data, "app.clipboard.pasteImage")) return this.onPasteImage ?? nothing;
    if (keybindings.matches(data, "app.interrupt")) {
      const handler = this.onEscape ?? actionHandlers.get("app.interrupt");
      return this.isShowingAutocomplete() ? undefined : handler;
    }
    if (keybindings.matches(data, "app.exit")) {
      const handler = this.onCtrlD ?? actionHandlers.get("app.exit") ?? nothing;
      return this.getText() === "" ? handler : undefined;
    }
    return [...actionHandlers].find(([name]) => keybindings.matches(data, name))?.[1];
  }
}

function nothing(): void {
  // The key is taken.
}
