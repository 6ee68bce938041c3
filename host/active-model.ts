import type { SessionContext, SessionManager } from "../core/index.ts";
import { hostError } from "./errors.ts";
import { chooseModel, clampThinkingLevel, type ModelChoice } from "./model-choice.ts";
import { type Model, THINKING_LEVELS, type ThinkingLevel } from "./model-types.ts";
import type { Runtime } from "./runtime.ts";

/** The model that the next turn would use, why, and how much it may think. */
export class ActiveModel {
  readonly #sessionManager: SessionManager;
  readonly #flag: string | undefined;
  #choice: ModelChoice = { kind: "none", source: "credentials" };
  #level: ThinkingLevel = "off";

  constructor(sessionManager: SessionManager, flag: string | undefined) {
    this.#sessionManager = sessionManager;
    this.#flag = flag;
  }

  get choice(): ModelChoice {
    return this.#choice;
  }

  get model(): Model | undefined {
    return this.#choice.kind === "none" ? undefined : this.#choice.model;
  }

  /** Clamped to what the model can. */
  get level(): ThinkingLevel {
    return clampThinkingLevel(this.#level, this.model);
  }

  /** Chooses by flag, the context at the leaf, setting and credentials. Raises MODEL_UNKNOWN. */
  choose({ models, settings }: Runtime, { model: recorded, thinkingLevel }: SessionContext): void {
    const setting = settings.get("model") as string | undefined;
    this.#choice = chooseModel(models, { flag: this.#flag, recorded, setting });
    const isRecorded = this.#sessionManager.isOnPath("thinking_level_change");
    const wished = isRecorded ? thinkingLevel : settings.get("thinkingLevel");
    this.#level = THINKING_LEVELS.find((level) => level === wished) ?? "off";
  }

  /** Uses a model and records it at the leaf. */
  set(model: Model): void {
    this.#sessionManager.appendModelChange(model.provider, model.id);
    this.#choice = { kind: "model", model, source: "chosen" };
  }

  unset(): void {
    this.#choice = { kind: "none", source: "chosen" };
  }

  /** Sets and records the level; gives it, clamped, or `undefined` if nothing changes. */
  setLevel(level: ThinkingLevel): ThinkingLevel | undefined {
    const next = clampThinkingLevel(level, this.model);
    if (next === this.level) return undefined;
    this.#sessionManager.appendThinkingLevelChange(next);
    this.#level = next;
    return next;
  }

  /** The model, if there is one at all. Raises NO_ACTIVE_MODEL naming what needs it. */
  require(purpose: string): Model {
    if (this.#choice.kind === "none") throw hostError("NO_ACTIVE_MODEL", { purpose });
    return this.#choice.model;
  }

  /** The model, if it can be called now. Raises NO_ACTIVE_MODEL, MODEL_CREDENTIALS_MISSING. */
  requireCallable({ models }: Runtime, purpose: string): Model {
    const model = this.require(purpose);
    if (models.hasCredentials(model.provider)) return model;
    throw models.credentialsMissing(model.provider);
  }
}
