import type { ActiveModel } from "./active-model.ts";
import type { NavigateTreeOptions, NavigateTreeResult } from "./api.ts";
import type { Conversation } from "./conversation.ts";
import type { Hooks } from "./hooks.ts";
import { landingFor, type Move, refuseWrites, runMove } from "./navigate.ts";
import { asOperation, refuseInside } from "./operation.ts";

/** Moves inside the session file: the checks before one, and the one that runs (session tree §8). */
export class Mover {
  readonly #conversation: Conversation;
  readonly #model: ActiveModel;
  readonly #hooks: () => Hooks;
  #running: AbortController | undefined;
  #leafBefore: { readonly leafId: string | null } | undefined;

  constructor(conversation: Conversation, model: ActiveModel, hooks: () => Hooks) {
    this.#conversation = conversation;
    this.#model = model;
    this.#hooks = hooks;
  }

  /** Aborts the running move; without one does nothing. */
  abort(): void {
    this.#running?.abort();
  }

  /** Another session is in place: there is no move before. */
  forget(): void {
    this.#leafBefore = undefined;
  }

  async navigateTree(
    targetId: string,
    options: NavigateTreeOptions = {},
  ): Promise<NavigateTreeResult> {
    refuseInside();
    const { sessionManager } = this.#conversation;
    if (targetId === sessionManager.getLeafId()) return { cancelled: false };
    const landing = landingFor(sessionManager, targetId);
    if (options.summarize) this.#model.require("a summary");
    this.#refuseWorking();
    refuseWrites(sessionManager, options);
    return this.#run({ targetId, landing, options });
  }

  async navigateBack(): Promise<NavigateTreeResult | undefined> {
    refuseInside();
    if (!this.#leafBefore) return undefined;
    this.#refuseWorking();
    const { leafId } = this.#leafBefore;
    if (leafId === this.#conversation.sessionManager.getLeafId()) return { cancelled: false };
    return this.#run({ targetId: leafId ?? "root", landing: { leafId }, options: {} });
  }

  /** Busy with anything but a move, which a new one supersedes (§8.2). */
  #refuseWorking(): void {
    if (this.#running === undefined) this.#conversation.refuseBusy();
  }

  async #run(move: Omit<Move, "signal">): Promise<NavigateTreeResult> {
    const controller = new AbortController();
    const given = move.options.signal;
    const signal = given ? AbortSignal.any([given, controller.signal]) : controller.signal;
    this.#running?.abort();
    this.#running = controller;
    this.#conversation.activity = "navigating";
    try {
      const running = { ...move, signal };
      return await asOperation("navigating", () => runMove(this.#host(), running));
    } finally {
      if (this.#running === controller) {
        this.#running = undefined;
        this.#conversation.activity = "idle";
      }
    }
  }

  #host() {
    const conversation = this.#conversation;
    return {
      sessionManager: conversation.sessionManager,
      hooks: this.#hooks(),
      moved: (oldLeafId: string | null, editorText: string | undefined) => {
        this.#leafBefore = { leafId: oldLeafId };
        conversation.rebuild();
        const text = editorText === undefined ? {} : { editorText };
        conversation.announce({ type: "leaf_moved", ...text });
      },
    };
  }
}
