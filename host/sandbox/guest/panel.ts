import type { Panel, PanelEvent, PanelSize } from "../../panel.ts";
import type { PanelAnswer, PanelTurn } from "../panel-wire.ts";
import { apply, table } from "./captured.ts";

type Effect = () => Promise<unknown>;

/**
 * A panel as the host drives it: its model stays here. `update` takes a turn and gives what is shown
 * then; `view` runs an effect, whose outcome the next turn brings to the panel.
 */
export function panelForHost(panel: Panel<unknown, unknown>): object {
  let model = panel.init;
  let last = 0;
  const effects = table<Effect>();
  const outcomes = table<PanelEvent>();

  function takeTurn(turn: PanelTurn, size: PanelSize): PanelAnswer {
    const event = turn.type === "settled" ? outcomes[turn.effect] : turn;
    if (turn.type === "settled") delete outcomes[turn.effect];
    if (!event) return { view: apply(panel.view, panel, [model, size]) };
    const step = apply(panel.update, panel, [model, event]) as ReturnType<typeof panel.update>;
    model = step.model;
    const answer: { -readonly [K in keyof PanelAnswer]: PanelAnswer[K] } = {
      view: apply(panel.view, panel, [model, size]),
    };
    if (step.done !== undefined) answer.done = { value: step.done.value };
    if (typeof step.effect === "function") {
      effects[++last] = step.effect;
      answer.effect = last;
    }
    return answer;
  }

  async function runEffect(id: number): Promise<void> {
    const effect = effects[id];
    delete effects[id];
    if (!effect) return;
    try {
      outcomes[id] = { type: "effect", value: await effect() };
    } catch (error) {
      outcomes[id] = { type: "effect", error };
    }
  }

  return { title: panel.title, keys: panel.keys, update: takeTurn, view: runEffect };
}
