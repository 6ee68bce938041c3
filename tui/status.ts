import type { Activity, ModelChoice, Row, Span } from "../host/index.ts";
import type { AppModel } from "./model.ts";

const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const STILL = "…";
/** Milliseconds of one picture of the spinner; without motion only the seconds change. */
export const SPINNER_STEP = 100;
export const STILL_STEP = 1000;

const WORDS: Readonly<Record<Activity, string>> = {
  idle: "",
  streaming: "writing",
  tools: "running tools",
  compacting: "compacting",
  navigating: "moving",
};
const REASONS = {
  flag: "--model",
  session: "recorded in the session",
  setting: "from the settings",
  credentials: "the first with a key",
  "last resort": "no key found",
  chosen: "chosen",
} as const;
/** From so many columns on there is room for the reason of a choice, and for a bar. */
const WIDE = 60;
const BAR_CELLS = 8;

/** Session, folder and marks; at the right the model and why it is used. */
export function headerRow({ facts, size, home }: AppModel & { readonly home?: string }): Row {
  const { name, cwd, isReadOnly } = facts;
  const style = name === undefined ? "dim" : "bold";
  const parts: Span[] = [
    { text: ` ${name ?? "unnamed session"}`, style, max: Math.ceil(size.columns / 2) },
    ...(isReadOnly ? [{ text: " · read-only", style: "warning" as const }] : []),
  ];
  const folder = home !== undefined && cwd.startsWith(home) ? `~${cwd.slice(home.length)}` : cwd;
  return {
    start: parts,
    middle: [{ text: ` · ${folder}`, style: "dim" }],
    end: modelSpans(facts.choice, facts.thinkingLevel, size.columns),
  };
}

function modelSpans(choice: ModelChoice, thinking: string, columns: number): readonly Span[] {
  const isMissing = choice.kind === "missing";
  const level = thinking === "off" ? "" : ` · thinking ${thinking}`;
  const reason = columns >= WIDE ? ` · ${choiceReason(choice)}` : "";
  return [
    { text: modelName(choice), style: isMissing ? "warning" : "text" },
    {
      text: `${level}${isMissing ? ` · ${choiceReason(choice)}` : reason} `,
      style: isMissing ? "warning" : "dim",
    },
  ];
}

function modelName(choice: ModelChoice): string {
  return choice.kind === "none" ? "no model" : choice.model.id;
}

/** Why a model is used, or why it cannot be. */
export function choiceReason(choice: ModelChoice): string {
  if (choice.kind === "missing") return `missing key for ${choice.model.provider}`;
  if (choice.kind === "none" && choice.source === "credentials") return "none is there";
  return REASONS[choice.source];
}

/** What runs, else the last word to the person; `undefined` if there is neither. */
export function statusRow(model: AppModel): Row | undefined {
  if (model.status !== undefined) {
    const { text, type } = model.status;
    return { middle: [{ text: ` ${text}`, style: type === "info" ? "dim" : type }] };
  }
  return model.activity === "idle" ? undefined : { middle: busySpans(model) };
}

function busySpans(model: AppModel): readonly Span[] {
  const { activity, isStopping, since, now, settings, liveUsage } = model;
  const elapsed = Math.max(0, now - since);
  const picture = settings.isStill
    ? STILL
    : (SPINNER[Math.floor(elapsed / SPINNER_STEP) % SPINNER.length] ?? "");
  const parts = [
    isStopping ? "stopping…" : WORDS[activity],
    ...(elapsed >= 1000 ? [minutes(elapsed)] : []),
    ...(liveUsage && liveUsage.input + liveUsage.output > 0
      ? [`↑ ${tokens(liveUsage.input)} ↓ ${tokens(liveUsage.output)}`]
      : []),
    ...(liveUsage && liveUsage.cost > 0 ? [money(liveUsage.cost)] : []),
    ...(isStopping ? [] : ["Esc stops"]),
  ];
  return [
    { text: ` ${picture} `, style: "active" },
    { text: parts.join(" · "), style: "dim" },
  ];
}

/** Cost, context, branch points, label and what extensions add; at the right where help is. */
export function footerRow(model: AppModel): Row {
  const { facts, statusItems, statusTexts, size } = model;
  const { cost, forks, label } = facts;
  const left = [
    ...(cost > 0 ? [money(cost)] : []),
    ...contextText(model),
    ...(forks > 0 ? [`⋔ ${forks}`] : []),
    ...(label === undefined ? [] : [`⚑ ${label}`]),
    ...statusItems.left,
    ...statusTexts.values(),
  ];
  const right = [
    ...statusItems.right,
    ...(size.columns >= WIDE ? ["/ commands", "F1 help"] : ["F1"]),
  ];
  return {
    middle: [{ text: ` ${left.join(" · ")}`, style: "dim" }],
    end: [{ text: `${right.join(" · ")} `, style: "dim" }],
  };
}

function contextText({ facts: { usage }, size }: AppModel): readonly string[] {
  if (usage === undefined || usage.tokens === null || usage.percent === null) return [];
  const filled = Math.max(0, Math.min(BAR_CELLS, Math.round((usage.percent / 100) * BAR_CELLS)));
  const bar = `${"▓".repeat(filled)}${"░".repeat(BAR_CELLS - filled)} `;
  const share = usage.percent > 0 && usage.percent < 1 ? "<1" : Math.round(usage.percent);
  return [
    `${tokens(usage.tokens)}/${tokens(usage.contextWindow)} ${size.columns >= WIDE ? bar : ""}${share}%`,
  ];
}

/** Milliseconds as `0:12`. */
function minutes(elapsed: number): string {
  const seconds = Math.floor(elapsed / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function money(dollars: number): string {
  return dollars < 0.01 ? "<$0.01" : `$${dollars.toFixed(2)}`;
}

/** Tokens as `380`, `41.2k`, `200k` or `1M`. */
function tokens(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [amount, unit] = count < 1_000_000 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${amount.toFixed(1).replace(/\.0$/, "")}${unit}`;
}
