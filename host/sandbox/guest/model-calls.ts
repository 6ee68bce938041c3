import type { ModelRegistry } from "../../api.ts";
import type { Model } from "../../model-types.ts";
import { append } from "./captured.ts";
import type { MemberMaker } from "./members.ts";

type Args = Parameters<ModelRegistry["streamSimple"]>;

/** What `coppice/ai` asks of the host: the model registry of a context that no handler was given. */
export function modelCalls(members: MemberMaker, key: string): Readonly<Record<string, unknown>> {
  let made: ModelRegistry | undefined;
  const registry = (): ModelRegistry => {
    const context = () => members.make("ctx", { key, isCommand: false, n: 0 });
    made ??= (context() as { readonly modelRegistry: ModelRegistry }).modelRegistry;
    return made;
  };
  const complete = (model: Args[0], context: Args[1], options: Args[2]) =>
    registry().complete(model, context, options);
  return {
    complete,
    completeSimple: complete,
    streamSimple: (model: Args[0], context: Args[1], options: Args[2]) =>
      registry().streamSimple(model, context, options),
    getModel: (provider: string, id: string) => registry().find(provider, id),
    getModels(provider?: string) {
      const all = registry().getAll();
      const models: Model[] = [];
      for (let i = 0; i < all.length; i++) {
        const model = all[i] as Model;
        if (provider === undefined || model.provider === provider) append(models, model);
      }
      return models;
    },
  };
}
