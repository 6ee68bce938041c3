import type { AgentSession, StatusState } from "../host/index.ts";
import type { AppModel } from "./model.ts";
import type { SessionFacts } from "./session-facts.ts";

/** Asks the status items of extensions whenever what they may show has changed. */
export class StatusItems {
  readonly #session: AgentSession;
  #asked = "";

  constructor(session: AgentSession) {
    this.#session = session;
  }

  /** What the items show now; `undefined` if nothing they may show has changed. */
  refresh(facts: SessionFacts): AppModel["statusItems"] | undefined {
    const items = this.#session.runtime.contributions.get("status.item");
    const state = stateOf(facts, this.#session.activity !== "idle");
    const asked = JSON.stringify([state, items.map(({ id }) => id)]);
    if (asked === this.#asked) return undefined;
    this.#asked = asked;
    const texts = items.map(({ side = "left", text }) => ({ side, text: text(state) ?? "" }));
    const of = (wanted: "left" | "right"): readonly string[] =>
      texts.flatMap(({ side, text }) => (side === wanted && text !== "" ? [text] : []));
    return { left: of("left"), right: of("right") };
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
