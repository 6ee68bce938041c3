import type { AgentSession, StatusItem, StatusState } from "../host/index.ts";
import { failureText } from "./failure.ts";
import type { AppEvent } from "./model.ts";
import type { SessionFacts } from "./session-facts.ts";

/** Asks the status items of extensions whenever what they may show has changed. */
export class StatusItems {
  readonly #session: AgentSession;
  readonly #send: (event: AppEvent) => void;
  #asked = "";
  #round = 0;
  readonly #broken = new Set<string>();

  constructor(session: AgentSession, send: (event: AppEvent) => void) {
    this.#session = session;
    this.#send = send;
  }

  async refresh(facts: SessionFacts): Promise<void> {
    const items = this.#session.runtime.contributions.get("status.item");
    const state = stateOf(facts, this.#session.activity !== "idle");
    const asked = JSON.stringify([state, items.map(({ id }) => id)]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    const round = ++this.#round;
    const texts = await Promise.all(items.map((item) => this.#textOf(item, state)));
    if (round !== this.#round) return;
    const of = (wanted: "left" | "right"): readonly string[] =>
      items.flatMap(({ side = "left" }, i) => (side === wanted && texts[i] ? [texts[i]] : []));
    this.#send({ type: "statusItems", items: { left: of("left"), right: of("right") } });
  }

  /** An item that fails is told of once, and stays away. */
  async #textOf(item: StatusItem, state: StatusState): Promise<string | undefined> {
    if (this.#broken.has(item.id)) return undefined;
    try {
      const text: unknown = await item.text(state);
      return typeof text === "string" ? text : undefined;
    } catch (error) {
      this.#broken.add(item.id);
      this.#send({ type: "failed", text: failureText(error, `the status item ${item.id}`) });
      return undefined;
    }
  }
}

function stateOf(facts: SessionFacts, busy: boolean): StatusState {
  const { cwd, name, choice, thinkingLevel, leafId, label } = facts;
  return {
    cwd,
    thinkingLevel,
    busy,
    leafId,
    ...(name !== undefined && { sessionName: name }),
    ...(choice.kind !== "none" && {
      model: { provider: choice.model.provider, id: choice.model.id },
    }),
    ...(label !== undefined && { leafLabel: label }),
  };
}
