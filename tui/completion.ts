import type { AutocompleteItem } from "../host/index.ts";
import type { CommandFact } from "./session-facts.ts";

export interface PopupItem {
  /** What stands in the editor once the item is chosen. */
  readonly text: string;
  readonly label: string;
  readonly description: string;
  readonly source?: string;
}

/** Commands, or arguments of one, that the text so far may become (tui spec §2.2). */
export interface Popup {
  readonly kind: "command" | "argument";
  /** The text the items belong to. */
  readonly request: string;
  readonly items: readonly PopupItem[];
  /** All there are, shown or not. */
  readonly total: number;
  /** Arguments are chosen only once a person moved to one. */
  readonly selected?: number;
}

/** The command line that a text is, or is about to be. */
export interface CommandText {
  readonly name: string;
  /** Absent while the name is being written. */
  readonly argument?: string;
}

/** Reads `/name argument`; `undefined` for a text that is no command, such as a path. */
export function commandText(text: string): CommandText | undefined {
  const [, name, rest] = /^\/([^\s/]*)(?:\s([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return rest === undefined ? { name } : { name, argument: rest.trimStart() };
}

/** The commands a name may become: those that begin with it, then those that hold its letters in order. */
export function commandPopup(name: string, commands: readonly CommandFact[]): Popup | undefined {
  const wanted = name.toLowerCase();
  const begins = commands.filter((command) => command.name.toLowerCase().startsWith(wanted));
  const holds = commands.filter(
    (command) => !begins.includes(command) && isSpread(wanted, command.name.toLowerCase()),
  );
  const found = [...begins].sort((a, b) => a.name.length - b.name.length || order(a, b));
  const items = [...(wanted === "" ? begins : found), ...holds].map(
    ({ name: full, description, source }): PopupItem => ({
      text: `/${full}`,
      label: `/${full}`,
      description,
      ...(source !== undefined && { source }),
    }),
  );
  if (items.length === 0) return undefined;
  return { kind: "command", request: `/${name}`, items, total: commands.length, selected: 0 };
}

/** The arguments a command offers for what is written of one. */
export function argumentPopup(
  request: string,
  offered: readonly AutocompleteItem[],
): Popup | undefined {
  const command = commandText(request);
  if (command?.argument === undefined || offered.length === 0) return undefined;
  const items = offered.map(({ value, label = value, description = "" }) => ({
    text: `/${command.name} ${value}`,
    label,
    description,
  }));
  return { kind: "argument", request, items, total: items.length };
}

/** Moves the selection; it stays at the ends. */
export function selectIn(popup: Popup, by: number): Popup {
  const { selected, items } = popup;
  const start = selected ?? (by > 0 ? -1 : items.length);
  return { ...popup, selected: Math.max(0, Math.min(items.length - 1, start + by)) };
}

export function selectedItem({ items, selected }: Popup): PopupItem | undefined {
  return selected === undefined ? undefined : items[selected];
}

function isSpread(letters: string, name: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

function order(a: CommandFact, b: CommandFact): number {
  return a.name < b.name ? -1 : 1;
}
