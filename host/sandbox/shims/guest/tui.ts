import {
  type EditorOptions,
  type EditorTheme,
  Editor as PlainEditor,
  type TUI,
} from "@mariozechner/pi-tui";

export * from "@mariozechner/pi-tui";
export { getKeybindings as getEditorKeybindings } from "@mariozechner/pi-tui";
export {
  cleanLine,
  cleanText,
  clipText,
  jsonLine,
  layoutRow,
  revealHidden,
  rowText,
  spansText,
  spansWidth,
  wrapText,
} from "../../../components/index.ts";

/** Takes `(tui, theme)`, and `(theme)` as older packages give it. */
export class Editor extends PlainEditor {
  constructor(...args: [EditorTheme] | [TUI, EditorTheme, EditorOptions?]) {
    const [tui, theme, options] = isTheme(args) ? [NO_SCREEN, args[0]] : args;
    super(tui, theme, options);
  }
}

const NO_SCREEN = {
  requestRender: () => undefined,
  terminal: { columns: 80, rows: 24 },
} as unknown as TUI;

function isTheme(args: readonly unknown[]): args is [EditorTheme] {
  return "borderColor" in (args[0] as object);
}
