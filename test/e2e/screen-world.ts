import { BIN, type World } from "../cli/world.ts";
import { openPty, type Pty, type PtyOptions } from "../pty.ts";

export const ESC = "\x1b";
export const END_OF_INPUT = "\x04";
export const DOWN = "\x1b[B";
export const END = "\x1b[F";
export const UP = "\x1b[A";

/** The built program on the full screen, in the project of a world. */
export function openScreen(
  there: World,
  args: readonly string[],
  options: Omit<PtyOptions, "args"> = {},
): Pty {
  const env = { COPPICE_HOME: there.home, HOME: there.project, ...options.env };
  return openPty({
    columns: 100,
    rows: 30,
    ...options,
    env,
    cwd: there.project,
    args: [BIN, ...args],
  });
}

/** Leaves the chat, and waits for the end of the program. */
export async function leave(screen: Pty): Promise<void> {
  screen.write(END_OF_INPUT);
  const { code } = await screen.exited;
  if (code !== 0) throw new Error(`ended with ${code}: ${screen.view().text}`);
}
