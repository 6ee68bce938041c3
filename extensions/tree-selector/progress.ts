import { setTimeout } from "node:timers/promises";
import type { Panel, PanelEvent, PanelStep, PanelView, Row } from "coppice";
import { wrapText } from "coppice/tui";
import { hintRow } from "./hints.ts";

/** Work whose progress is shown. */
export interface Running {
  readonly title: string;
  /** Settles when the work has ended, in whatever way. */
  readonly ended: Promise<unknown>;
  latest(): { readonly text: string; readonly tokens: number };
  stop(): void;
  readonly isStill: boolean;
}

interface ProgressModel {
  /** Tenths of a second since the panel opened. */
  readonly ticks: number;
  readonly isStarted: boolean;
  readonly isStopping: boolean;
  readonly text: string;
  readonly tokens: number;
}

type Outcome = "tick" | "ended" | "stopped";
type Step = PanelStep<ProgressModel, never>;

const TICK = 100;
const TICKS_PER_SECOND = 10;
const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const TEXT_ROWS = 8;

/** A spinner, the time, the text so far, and the key that stops the work (tui spec §2.6). */
export function progressPanel(running: Running): Panel<ProgressModel, never> {
  const wait = (): Promise<Outcome> =>
    Promise.race([
      running.ended.then((): Outcome => "ended"),
      setTimeout(TICK, "tick" as const, { ref: false }),
    ]);
  return {
    title: running.title,
    keys: [{ id: "tui.select.cancel", keys: ["escape", "ctrl+c"], title: "stop" }],
    init: { ticks: 0, isStarted: false, isStopping: false, text: "", tokens: 0 },
    update: (model, event) => {
      switch (event.type) {
        case "key":
          return event.action === "tui.select.cancel" ? stopped(running, model) : { model };
        case "effect":
          return worked(running, model, event, wait);
        case "resize":
          return model.isStarted
            ? { model }
            : { model: { ...model, isStarted: true }, effect: wait };
        default:
          return { model };
      }
    },
    view: (model, size) => progressView(running, model, size.columns),
  };
}

function stopped(running: Running, model: ProgressModel): Step {
  if (model.isStopping) return { model };
  const stop = async (): Promise<Outcome> => {
    running.stop();
    return "stopped";
  };
  return { model: { ...model, isStopping: true }, effect: stop };
}

function worked(
  running: Running,
  model: ProgressModel,
  event: Extract<PanelEvent, { type: "effect" }>,
  wait: () => Promise<Outcome>,
): Step {
  if (event.value === "ended" || event.error !== undefined) return { model, done: {} };
  if (event.value === "stopped") return { model };
  return { model: { ...model, ...running.latest(), ticks: model.ticks + 1 }, effect: wait };
}

function progressView(running: Running, model: ProgressModel, columns: number): PanelView {
  const lines = model.text === "" ? [] : wrapText(model.text, Math.max(1, columns - 4));
  return {
    rows: [
      { start: [{ text: ` ${running.title}`, style: "bold" }] },
      { start: [{ text: ` ${stateText(running, model)}`, style: "dim" }] },
      {},
      ...lines
        .slice(-TEXT_ROWS)
        .map((text): Row => ({ start: [{ text: "   " }], middle: [{ text }] })),
    ],
    footer: [hintRow(["Esc cancels and returns to the tree: nothing has moved yet"], columns)],
  };
}

function stateText(running: Running, { ticks, tokens, isStopping }: ProgressModel): string {
  const spinner = running.isStill ? "…" : (SPINNER[ticks % SPINNER.length] ?? "");
  const seconds = Math.floor(ticks / TICKS_PER_SECOND);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const parts = [
    ...(isStopping ? ["stopping…"] : []),
    ...(seconds > 0 ? [time] : []),
    ...(tokens > 0 ? [`↓ ${tokens}`] : []),
  ];
  return [spinner, parts.join(" · ")].join(" ");
}
