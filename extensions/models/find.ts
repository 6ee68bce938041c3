import type { Model, ModelRegistry } from "coppice";

/** The name by which a model is chosen and shown. */
export function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/**
 * The models that a name may mean: `provider/id`, an id, or a provider (its first model), each
 * exactly; else all those whose names hold it.
 */
export function matchingModels(models: readonly Model[], name: string): readonly Model[] {
  const wanted = name.toLowerCase();
  const exact =
    models.find((model) => nameOf(model).toLowerCase() === wanted) ??
    models.find(({ id }) => id.toLowerCase() === wanted) ??
    models.find(({ provider }) => provider.toLowerCase() === wanted);
  if (exact) return [exact];
  return models.filter((model) => `${nameOf(model)} ${model.name}`.toLowerCase().includes(wanted));
}

/** A model that no list holds, of a provider that can describe it. */
export function describedModel(registry: ModelRegistry, name: string): Model | undefined {
  const slash = name.indexOf("/");
  return slash > 0 ? registry.find(name.slice(0, slash), name.slice(slash + 1)) : undefined;
}
