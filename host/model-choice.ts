import { hostError } from "./errors.ts";
import type { Model, ThinkingLevel } from "./model-types.ts";
import type { Models } from "./models.ts";

/** Where the choice of a model comes from. */
export type ModelSource = "flag" | "session" | "setting" | "credentials" | "last resort" | "chosen";

/** Which model is used and why; a `missing` one has no credentials and cannot be called now. */
export type ModelChoice =
  | { readonly kind: "model" | "missing"; readonly model: Model; readonly source: ModelSource }
  | { readonly kind: "none"; readonly source: ModelSource };

/** Tokens, where the window of a model is not known (session tree §9.3). */
const UNKNOWN_CONTEXT_WINDOW = 128_000;

export interface ModelWishes {
  /** `--model`: a model, or `none`. */
  readonly flag?: string | undefined;
  /** What the session records at the leaf. */
  readonly recorded?: { readonly provider: string; readonly modelId: string } | null;
  readonly setting?: string | undefined;
}

/**
 * The flag, else what is recorded at the leaf, else the setting, else the first provider with
 * credentials, else the model of last resort. Raises MODEL_UNKNOWN for a flag that names none.
 */
export function chooseModel(models: Models, wishes: ModelWishes): ModelChoice {
  const { flag, recorded, setting } = wishes;
  if (flag === "none") return { kind: "none", source: "flag" };
  if (flag !== undefined) {
    const model = models.resolve(flag);
    if (!model) throw hostError("MODEL_UNKNOWN", { name: flag });
    return callable(models, model, "flag");
  }
  if (recorded) {
    const model = models.find(recorded.provider, recorded.modelId);
    return callable(models, model ?? unknownModel(recorded), "session");
  }
  return chooseDefault(models, setting);
}

function chooseDefault(models: Models, setting: string | undefined): ModelChoice {
  if (setting === "none") return { kind: "none", source: "setting" };
  const wished = setting === undefined ? undefined : models.resolve(setting);
  if (wished) return callable(models, wished, "setting");
  const model = models.firstAvailable();
  if (!model) return { kind: "none", source: "credentials" };
  return {
    kind: "model",
    model,
    source: models.isLastResort(model) ? "last resort" : "credentials",
  };
}

function callable(models: Models, model: Model, source: ModelSource): ModelChoice {
  return { kind: models.hasCredentials(model.provider) ? "model" : "missing", model, source };
}

/** Stands for a recorded model that no provider of this run knows. */
function unknownModel({ provider, modelId }: { provider: string; modelId: string }): Model {
  return {
    id: modelId,
    name: modelId,
    provider,
    api: "unknown",
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: UNKNOWN_CONTEXT_WINDOW,
    maxTokens: 0,
  };
}

/** The level that a model can do: `off` for one that does not reason. */
export function clampThinkingLevel(level: ThinkingLevel, model: Model | undefined): ThinkingLevel {
  return model && !model.reasoning ? "off" : level;
}
