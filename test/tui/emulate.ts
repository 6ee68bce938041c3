import unicode11 from "@xterm/addon-unicode11";
import xterm from "@xterm/headless";
import { ScreenView } from "../screen-view.ts";

/** Rows and styles that a terminal shows after these bytes. */
export function emulate(
  bytes: string,
  columns: number,
  rows: number,
): Promise<{ readonly rows: readonly string[]; readonly styles: readonly string[] }> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  return new Promise((resolve) => {
    terminal.write(bytes, () => {
      const view = new ScreenView(terminal, { titles: [], clipboard: [] });
      resolve({ rows: view.rows, styles: view.styleMap() });
      terminal.dispose();
    });
  });
}
