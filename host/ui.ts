import type { DialogOptions, SelectOption } from "./api.ts";
import type { Panel } from "./panel.ts";

export type HostMode = "tui" | "rpc" | "json" | "print";

/** What every dialog of an extension carries: who asks, where that must be said. */
export interface Asking extends DialogOptions {
  /** Named in the title of dialogs of third parties (extensions spec §2.6). */
  readonly from?: string;
}

/** The port to a person: the screen, an embedding program, or nobody. */
export interface UserInterface {
  readonly mode: HostMode;
  readonly hasUI: boolean;
  select(
    title: string,
    options: readonly SelectOption[],
    asking: Asking,
  ): Promise<string | undefined>;
  input(title: string, placeholder: string, asking: Asking): Promise<string | undefined>;
  editor(title: string, prefill: string, asking: Asking): Promise<string | undefined>;
  confirm(title: string, message: string, asking: Asking): Promise<boolean>;
  panel<M, T>(panel: Panel<M, T>, asking: Asking): Promise<T | undefined>;
  /**
   * A question of the host itself, above everything else: the text of the chosen answer. The first answer
   * is the safe one; nothing that is typed chooses another. `undefined`: it was closed.
   */
  decide(title: string, message: string, answers: readonly string[]): Promise<string | undefined>;
  notify(message: string, type: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
  setWidget(key: string, lines: readonly string[] | undefined): void;
  setEditorText(text: string): void;
  getEditorText(): string;
  /** Ends the program after the running turn. */
  shutdown(): void;
}

/** The answers where there is nobody to ask (extensions spec §2.6); notes go to `write`, a line each. */
export function silentUI(
  write: (line: string) => void,
  mode: "print" | "json" = "print",
): UserInterface {
  const nothing = () => undefined;
  const nobody = async () => undefined;
  return {
    mode,
    hasUI: false,
    select: nobody,
    input: nobody,
    editor: nobody,
    confirm: async () => false,
    panel: nobody,
    decide: nobody,
    notify: (message) => write(message),
    setStatus: nothing,
    setWidget: nothing,
    setEditorText: nothing,
    getEditorText: () => "",
    shutdown: nothing,
  };
}
