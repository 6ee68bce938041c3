interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** A key; `name` is the lower-case sign or a word, `text` is there only if the key types something. */
export interface KeyEvent extends Modifiers {
  readonly type: "key";
  readonly name: string;
  readonly text?: string;
}

/** A bracketed paste, its line breaks turned into LF. Not cleaned: it is content. */
export interface PasteEvent {
  readonly type: "paste";
  readonly text: string;
}

/** A mouse report; cells count from 0 at the top left. */
export interface MouseEvent extends Modifiers {
  readonly type: "mouse";
  readonly action: "press" | "release" | "move" | "wheelUp" | "wheelDown";
  readonly button: number;
  readonly column: number;
  readonly row: number;
}

export interface FocusEvent {
  readonly type: "focus";
  readonly focused: boolean;
}

export type ReplyKind =
  | "attributes"
  | "mode"
  | "cursor"
  | "keyboard"
  | "window"
  | "status"
  | "osc"
  | "dcs"
  | "apc"
  | "other";

/** An answer of the terminal. `data` is the string, or the parameters and final byte of a CSI. */
export interface ReplyEvent {
  readonly type: "reply";
  readonly kind: ReplyKind;
  readonly data: string;
}

export type InputEvent = KeyEvent | PasteEvent | MouseEvent | FocusEvent | ReplyEvent;

/** Name as the key table writes it: `ctrl+left`, `shift+l`, `alt+[`, `ctrl+alt+shift+x`, `escape`. */
export function keyName(event: KeyEvent): string {
  const { ctrl, alt, shift, name } = event;
  return `${ctrl ? "ctrl+" : ""}${alt ? "alt+" : ""}${shift ? "shift+" : ""}${name}`;
}
