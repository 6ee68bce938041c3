import type { World } from "../cli/world.ts";
import type { Pty, PtyOptions } from "../pty.ts";
import type { ScreenView } from "../screen-view.ts";
import { openScreen, UP } from "./screen-world.ts";

type Options = Omit<PtyOptions, "args">;

/** The program on a screen of 80×24 unless another size is given, once one can type in the chat. */
export async function toChat(
  there: World,
  args: readonly string[],
  options: Options = {},
): Promise<Pty> {
  const screen = openScreen(there, args, { columns: 80, rows: 24, ...options });
  await screen.waitFor(isChat, "the chat");
  return screen;
}

export function isChat({ text, cursor }: ScreenView): boolean {
  return /F1( help)? *$/.test(text) && /^ ›/m.test(text) && cursor.isVisible;
}

export function isTree(view: ScreenView): boolean {
  return view.row(0).startsWith(" Session tree");
}

/** Opens the tree by its command. */
export async function toTree(screen: Pty): Promise<ScreenView> {
  screen.write("/tree\r");
  return screen.waitFor(isTree, "the tree");
}

/** Text of the selected row, without the lines of the tree before it. */
export function selected(view: ScreenView): string | undefined {
  const row = view.rows.find((text) => text.startsWith("› "));
  return row?.replace(/^[›│├└─⊟⊞• ]+/u, "");
}

/** Moves the selection a row at a time until it is on a text. */
export async function select(screen: Pty, text: string, key: string = UP): Promise<void> {
  for (;;) {
    const before = selected(screen.view());
    if (before?.includes(text)) return;
    screen.write(key);
    await screen.waitFor((view) => selected(view) !== before, `another row than ${before}`);
  }
}

/** From the chat to an entry, without a summary; `shown` is what tells that it has happened. */
export async function moveTo(screen: Pty, text: string, key: string, shown: string | RegExp) {
  await toTree(screen);
  await select(screen, text, key);
  screen.write("\r");
  await screen.waitForText("No summary");
  screen.write("\r");
  return screen.waitFor(
    (view) =>
      isChat(view) &&
      (typeof shown === "string" ? view.text.includes(shown) : shown.test(view.text)),
    `the chat with ${shown}`,
  );
}
