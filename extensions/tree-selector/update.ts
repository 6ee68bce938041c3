import type { PanelEvent, PanelStep, TreeFilter } from "coppice";
import { errorMessage } from "coppice/core";
import { filterById, isUserMessage, nextFilter } from "./filters.ts";
import { FILTER_ACTIONS, isOnRows, needsEmptyQuery } from "./keys.ts";
import { actInBox, type BoxOutcome, labelBox } from "./label-box.ts";
import { lineOf, lineText } from "./line-edit.ts";
import {
  dataOf,
  positionOfNode,
  type SelectorModel,
  selectedId,
  selectedNode,
  type TreeChoice,
  withTree,
} from "./model.ts";
import { MOVES } from "./moves.ts";
import { NONE } from "./order.ts";
import type { Settled, Settler, Wanted } from "./settle.ts";
import type { TreeData } from "./tree-data.ts";

/** What the selector works with while it is open. */
export interface SelectorEnv {
  /** Never empty. */
  readonly filters: readonly TreeFilter[];
  /** The filter that Escape returns to before it closes. */
  readonly openedWith: TreeFilter;
  readonly settler: Settler;
  /** Whether it only picks an entry: no silent going, no new session. */
  readonly isPicker: boolean;
  /** Said when a row is chosen that may not be. */
  readonly refusal: string;
  reload(): Promise<TreeData>;
  setLabel(id: string, label: string | undefined): void;
}

export type SelectorStep = PanelStep<SelectorModel, TreeChoice>;
type InputEvent = Extract<PanelEvent, { type: "key" | "paste" }>;
type KeyEvent = Extract<PanelEvent, { type: "key" }>;
type Handler = (env: SelectorEnv, model: SelectorModel, event: KeyEvent) => SelectorStep;
type Outcome = { readonly kind: "settled"; readonly settled: Settled } | BoxOutcome;

/** The next state after an event, without side effects (session tree §13.5). */
export function update(env: SelectorEnv, model: SelectorModel, event: PanelEvent): SelectorStep {
  switch (event.type) {
    case "resize":
      return { model: { ...model, page: Math.max(1, (event.size?.rows ?? 0) - FRAME_ROWS) } };
    case "effect":
      return replay(env, afterWork(model, event));
    default:
      return mustWait(model, event)
        ? { model: { ...model, waiting: [...model.waiting, event] } }
        : act(env, model, event);
  }
}

/** Rows of the screen that are no list: header, status line and keys. */
const FRAME_ROWS = 4;

function mustWait(model: SelectorModel, event: InputEvent): boolean {
  if (model.work === undefined) return false;
  if (event.type === "key" && event.action === "app.tree.close") return false;
  if (model.work === "saving" || model.waiting.length > 0) return true;
  const action = event.type === "key" ? actionOf(model, event) : undefined;
  return action !== undefined && isOnRows(action);
}

function act(env: SelectorEnv, before: SelectorModel, event: InputEvent): SelectorStep {
  if (event.type === "key" && event.action === "app.tree.close") return { model: before, done: {} };
  const { notice: _, ...model } = before;
  if (model.box) return actInBox(env, model, model.box, event);
  if (event.type === "paste") return typed(env, model, event.text);
  const action = actionOf(model, event);
  if (action === undefined) return typed(env, model, event.text ?? "");
  const move = Object.hasOwn(MOVES, action) ? MOVES[action] : undefined;
  if (move) return { model: move(model) };
  const handler = Object.hasOwn(HANDLERS, action) ? HANDLERS[action] : undefined;
  return handler?.(env, model, event) ?? { model };
}

/** What a key means: a printable one types while there is a query (tui spec §3.1). */
function actionOf(model: SelectorModel, event: KeyEvent): string | undefined {
  const { action } = event;
  return action !== undefined && needsEmptyQuery(action) && model.wanted.query !== ""
    ? undefined
    : action;
}

function typed(env: SelectorEnv, model: SelectorModel, text: string): SelectorStep {
  const query = model.wanted.query + text.replace(/[\r\n\t]+/g, " ");
  return query.trim() === "" ? { model } : want(env, model, { query });
}

function want(
  env: SelectorEnv,
  model: SelectorModel,
  change: Partial<Pick<Wanted, "filter" | "query">>,
): SelectorStep {
  const wanted = { ...model.wanted, ...change };
  if (wanted.filter === model.wanted.filter && wanted.query === model.wanted.query) {
    return { model };
  }
  return {
    model: { ...model, wanted, work: "settling" },
    effect: async (): Promise<Outcome> => ({
      kind: "settled",
      settled: await env.settler.settle(wanted),
    }),
  };
}

const chooseFilter: Handler = (env, model, event) => {
  if (event.key === "ctrl+u" && model.wanted.query !== "") return want(env, model, { query: "" });
  const id = FILTER_ACTIONS[event.action ?? ""];
  if (!env.filters.some((filter) => filter.id === id)) {
    return { model: { ...model, notice: `There is no filter ${id}.` } };
  }
  return want(env, model, { filter: filterById(env.filters, id) });
};

const choose =
  (action: "go" | "goSilently"): Handler =>
  (env, model) => {
    const id = selectedId(model);
    if (id === undefined) return { model };
    const { accepted, order } = dataOf(model);
    const place = order.order[positionOfNode(model, selectedNode(model))] ?? NONE;
    if (accepted && accepted[place] !== true) return { model: { ...model, notice: env.refusal } };
    return chosen(model, env.isPicker ? "go" : action, id);
  };

function chosen(model: SelectorModel, action: TreeChoice["action"], id: string): SelectorStep {
  const resume = { filterId: model.shown.filter.id, query: model.shown.query };
  return { model, done: { value: { action, id, resume } } };
}

const NO_SOURCE = "A new session starts from one of your messages; this row is none.";

const HANDLERS: Readonly<Record<string, Handler>> = {
  "app.tree.filter.cycleForward": (env, model) =>
    want(env, model, { filter: nextFilter(env.filters, model.wanted.filter, 1) }),
  "app.tree.filter.cycleBackward": (env, model) =>
    want(env, model, { filter: nextFilter(env.filters, model.wanted.filter, -1) }),
  ...Object.fromEntries(Object.keys(FILTER_ACTIONS).map((action) => [action, chooseFilter])),
  "app.tree.editLabel": (_env, model) => {
    const id = selectedId(model);
    return { model: id === undefined ? model : { ...model, box: labelBox(model, id) } };
  },
  "app.tree.toggleLabelTimestamp": (_env, model) => ({
    model: { ...model, labelTimes: !model.labelTimes },
  }),
  "tui.editor.deleteCharBackward": (env, model) => {
    const clusters = lineOf(model.wanted.query).clusters.slice(0, -1);
    return want(env, model, { query: lineText({ clusters, at: 0 }) });
  },
  "tui.select.confirm": choose("go"),
  "app.tree.goSilently": choose("goSilently"),
  "app.tree.newSession": (env, model) => {
    const id = selectedId(model);
    if (env.isPicker || id === undefined) return { model };
    const isSource = isUserMessage(dataOf(model), positionOfNode(model, selectedNode(model)));
    return isSource ? chosen(model, "newSession", id) : { model: { ...model, notice: NO_SOURCE } };
  },
  "tui.select.cancel": (env, model) => {
    if (model.wanted.query !== "") return want(env, model, { query: "" });
    if (model.wanted.filter.id === env.openedWith.id) return { model, done: {} };
    return want(env, model, { filter: env.openedWith });
  },
};

function afterWork(
  model: SelectorModel,
  event: Extract<PanelEvent, { type: "effect" }>,
): SelectorModel {
  if (event.error !== undefined) return withProblem(model, errorMessage(event.error));
  const outcome = event.value as Outcome;
  if (outcome.kind === "unsaved") {
    const box = model.box && { ...model.box, problem: outcome.problem };
    return { ...model, work: undefined, ...(box && { box }) };
  }
  const { wanted, tree, problem } = outcome.settled;
  if (outcome.kind === "settled" && wanted !== model.wanted) return model;
  if (!tree) return withProblem(model, problem ?? "");
  const { box: _, ...rest } = model;
  return withTree({ ...rest, wanted, work: undefined }, wanted, tree);
}

/** Back to what is shown, which stays as it was. */
function withProblem(model: SelectorModel, notice: string): SelectorModel {
  const { box: _, ...rest } = model;
  return { ...rest, wanted: model.shown, work: undefined, notice };
}

/** Acts on the keys that waited, until one of them starts new work. */
function replay(env: SelectorEnv, model: SelectorModel): SelectorStep {
  let step: SelectorStep = { model };
  while (step.model.work === undefined && !step.done) {
    const [event, ...waiting] = step.model.waiting;
    if (event?.type !== "key" && event?.type !== "paste") break;
    step = act(env, { ...step.model, waiting }, event);
  }
  return step;
}
