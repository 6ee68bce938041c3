import unicode11 from "@xterm/addon-unicode11";
import xterm from "@xterm/headless";
import { ScreenView } from "../screen-view.ts";

/** The screen of a terminal that was sent these bytes. */
export function screenAfter(bytes: string, columns: number, rows: number): Promise<ScreenView> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  return new Promise((resolve) => {
    terminal.write(bytes, () => resolve(new ScreenView(terminal, { titles: [], clipboard: [] })));
  });
}

/** Rows and styles that a terminal shows after these bytes. */
export async function emulate(
  bytes: string,
  columns: number,
  rows: number,
): Promise<{ readonly rows: readonly string[]; readonly styles: readonly string[] }> {
  const view = await screenAfter(bytes, columns, rows);
  return { rows: view.rows, styles: view.styleMap() };
}
