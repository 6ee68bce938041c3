import type { Panel, PanelKey, PanelStep, PanelView, Row } from "coppice";
import { hintRow } from "./hints.ts";

/** Whether and how to summarise what is left behind (session tree §13.7). */
export type Answer = "none" | "summarize" | "custom";

export interface QuestionOptions {
  /** Entries left behind. */
  readonly count: number;
  /** Row texts of the position that is left and of the one that is gone to. */
  readonly from: string;
  readonly to: string;
}

interface Choice {
  readonly answer: Answer;
  readonly title: string;
  readonly effect: string;
  readonly key: string;
}

const CHOICES: readonly Choice[] = [
  { answer: "none", title: "No summary", effect: "go without one", key: "⏎" },
  { answer: "summarize", title: "Summarize", effect: "what is left behind", key: "s" },
  {
    answer: "custom",
    title: "Summarize with custom prompt",
    effect: "say what matters",
    key: "f",
  },
];

const KEYS: readonly PanelKey[] = [
  { id: "tui.select.up", keys: ["up", "ctrl+p"], title: "previous choice" },
  { id: "tui.select.down", keys: ["down", "ctrl+n"], title: "next choice" },
  { id: "tui.select.confirm", keys: ["enter"], title: "go" },
  { id: "app.question.summarise", keys: ["s"], title: "summarize" },
  { id: "app.question.focus", keys: ["f"], title: "summarize with custom prompt" },
  { id: "tui.select.cancel", keys: ["escape", "ctrl+c"], title: "back to the tree" },
];

const TITLE_CELLS = 32;

/** The summary question; closed without a value it means back to the tree. The model is the row. */
export function questionPanel(options: QuestionOptions): Panel<number, Answer> {
  const title = `You leave ${entries(options.count)} behind`;
  return {
    title,
    keys: KEYS,
    init: 0,
    update: (row, event) => (event.type === "key" ? pressed(row, event.action) : { model: row }),
    view: (row, size) => questionView(title, options, row, size.columns),
    plain: {
      lines: () => [`${title}.`],
      prompt: "n no summary, s summarize, f summarize with custom prompt, Enter to go back: ",
      answer: (row, text) => plainAnswer(row, text.trim()),
    },
  };
}

export function entries(count: number): string {
  return count === 1 ? "1 entry" : `${count} entries`;
}

function pressed(row: number, action: string | undefined): PanelStep<number, Answer> {
  switch (action) {
    case "tui.select.up":
      return { model: Math.max(0, row - 1) };
    case "tui.select.down":
      return { model: Math.min(CHOICES.length - 1, row + 1) };
    case "tui.select.confirm":
      return { model: row, done: { value: CHOICES[row]?.answer ?? "none" } };
    case "app.question.summarise":
      return { model: row, done: { value: "summarize" } };
    case "app.question.focus":
      return { model: row, done: { value: "custom" } };
    case "tui.select.cancel":
      return { model: row, done: {} };
    default:
      return { model: row };
  }
}

function plainAnswer(row: number, text: string): PanelStep<number, Answer> {
  const answers: Readonly<Record<string, Answer>> = { n: "none", s: "summarize", f: "custom" };
  const value = answers[text];
  if (value) return { model: row, done: { value } };
  return text === "" ? { model: row, done: {} } : { model: row };
}

function questionView(
  title: string,
  options: QuestionOptions,
  row: number,
  columns: number,
): PanelView {
  const rows: Row[] = [
    { start: [{ text: ` ${title}`, style: "bold" }] },
    {},
    { start: [{ text: "  from  ", style: "dim" }], middle: [{ text: options.from }] },
    { start: [{ text: "  to    ", style: "dim" }], middle: [{ text: options.to }] },
    {},
    ...CHOICES.map((choice, at) => choiceRow(choice, at === row)),
    {},
    {
      middle: [
        {
          text: "  Files on disk stay as they are: only the conversation moves.",
          style: "dim",
        },
      ],
    },
  ];
  const footer = [hintRow(["↑↓ choose", "⏎ go", "Esc back to the tree"], columns)];
  return { rows, footer, cursor: { row: 5 + row, column: 1 } };
}

function choiceRow({ title, effect, key }: Choice, isSelected: boolean): Row {
  return {
    cursor: isSelected ? " › " : "   ",
    start: [{ text: title.padEnd(TITLE_CELLS), ...(isSelected && { style: "bold" }) }],
    middle: [{ text: effect, style: "dim" }],
    end: [{ text: `${key} ` }],
    selected: isSelected,
  };
}
