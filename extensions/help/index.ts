import type { CommandInfo, ExtensionAPI, Panel, PanelEvent, PanelKey, Row } from "coppice";
import { MAIN_KEYS } from "./keys.ts";

const NAME_CELLS = 26;

const SCROLL: Readonly<Record<string, number>> = {
  "tui.select.up": -1,
  "tui.select.down": 1,
  "tui.select.pageUp": -10,
  "tui.select.pageDown": 10,
};

const KEYS: readonly PanelKey[] = [
  { id: "tui.select.up", keys: ["up"], title: "scroll up" },
  { id: "tui.select.down", keys: ["down"], title: "scroll down" },
  { id: "tui.select.pageUp", keys: ["pageup"], title: "page up" },
  { id: "tui.select.pageDown", keys: ["pagedown"], title: "page down" },
  { id: "tui.select.cancel", keys: ["escape", "enter", "q", "ctrl+c"], title: "close" },
];

/** `/help`: the commands that are there now, and the main keys. */
export default (api: ExtensionAPI): void => {
  api.registerCommand("help", {
    description: "list the commands and the main keys",
    handler: async (_args, ctx) => {
      const lines = helpLines(api.getCommands());
      if (ctx.hasUI) await ctx.ui.panel(helpPanel(lines));
      else for (const { name, text } of lines) ctx.ui.notify(`${name.padEnd(NAME_CELLS)} ${text}`);
    },
  });
};

interface HelpLine {
  readonly name: string;
  readonly text: string;
}

function helpLines(commands: readonly CommandInfo[]): readonly HelpLine[] {
  const sorted = [...commands].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    ...sorted.map(({ name, description = "" }) => ({ name: `/${name}`, text: description })),
    { name: "", text: "" },
    ...MAIN_KEYS.map(([name, text]) => ({ name, text })),
  ];
}

/** The lines, scrolled; the model is the first line shown. */
function helpPanel(lines: readonly HelpLine[]): Panel<number, never> {
  return {
    title: "Help",
    keys: KEYS,
    init: 0,
    update: (top, event) => scrolled(top, event, lines.length),
    view: (top, size) => ({
      rows: [{ middle: [{ text: " Help", style: "bold" }] }, ...shown(lines, top, size.rows - 2)],
      footer: [{ middle: [{ text: " ↑↓ scroll  Esc closes", style: "dim" }] }],
    }),
    plain: {
      lines: () => lines.map(({ name, text }) => `${name.padEnd(NAME_CELLS)} ${text}`.trimEnd()),
      prompt: "Enter to close: ",
      answer: (top) => ({ model: top, done: {} }),
    },
  };
}

function scrolled(top: number, event: PanelEvent, length: number) {
  if (event.type !== "key") return { model: top };
  if (event.action === "tui.select.cancel") return { model: top, done: {} };
  const step = SCROLL[event.action ?? ""] ?? 0;
  return { model: Math.min(Math.max(0, top + step), Math.max(0, length - 1)) };
}

function shown(lines: readonly HelpLine[], top: number, height: number): readonly Row[] {
  const first = Math.min(top, Math.max(0, lines.length - height));
  return lines.slice(first, first + Math.max(1, height)).map(({ name, text }) => ({
    start: [{ text: `  ${name.padEnd(NAME_CELLS)} `, style: "bold" }],
    middle: [{ text }],
  }));
}
