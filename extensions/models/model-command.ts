import type {
  CommandOptions,
  ExtensionAPI,
  ExtensionContext,
  Model,
  ModelRegistry,
  SelectOption,
} from "coppice";
import { errorMessage } from "coppice/core";
import { describedModel, matchingModels, nameOf } from "./find.ts";

const REFRESH = "Ask the providers for their models";

/** `/model`: offers the models that can be called now; `/model name` uses one, `/model none` none. */
export function modelCommand(api: ExtensionAPI): CommandOptions {
  return {
    description: "choose the model; without a name it offers those that can be used now",
    getArgumentCompletions: (prefix, { modelRegistry }) =>
      completions(modelRegistry.getAvailable(), prefix.trim()),
    handler: async (args, ctx) => {
      const name = args.trim();
      if (name === "none") return useNone(api, ctx);
      const model = name === "" ? await offer(ctx) : await find(ctx, name);
      if (model) await use(api, ctx, model);
    },
  };
}

function completions(models: readonly Model[], prefix: string) {
  const wanted = prefix.toLowerCase();
  return models
    .filter((model) => nameOf(model).toLowerCase().includes(wanted))
    .map((model) => ({ value: nameOf(model), description: model.name }));
}

async function useNone(api: ExtensionAPI, ctx: ExtensionContext): Promise<void> {
  await api.setModel(undefined);
  ctx.ui.notify("Model: none; prompts are not sent until one is chosen");
}

async function use(api: ExtensionAPI, ctx: ExtensionContext, model: Model): Promise<void> {
  if (await api.setModel(model)) return ctx.ui.notify(`Model: ${nameOf(model)}`);
  const { modelRegistry } = ctx;
  const provider = modelRegistry.getProviderDisplayName(model.provider);
  const { hint = "give a key" } = modelRegistry.getProviderAuthStatus(model.provider);
  ctx.ui.notify(
    `${nameOf(model)} cannot be used: no credentials for ${provider}; ${hint}, or use /model offline`,
    "error",
  );
}

/** Lets the person choose; asks the providers for more if that is what is chosen. */
async function offer(ctx: ExtensionContext): Promise<Model | undefined> {
  const models = ctx.modelRegistry.getAvailable();
  if (!ctx.hasUI) {
    for (const model of models) ctx.ui.notify(line(ctx, model));
    return undefined;
  }
  const options = [...models.map((model) => option(ctx, model)), { label: REFRESH }];
  const chosen = await ctx.ui.select("Model", options);
  if (chosen !== REFRESH) return models.find((model) => nameOf(model) === chosen);
  return (await refresh(ctx)) ? offer(ctx) : undefined;
}

function option(ctx: ExtensionContext, model: Model): SelectOption {
  const tokens = `${Math.round(model.contextWindow / 1000)}k tokens`;
  const current = isCurrent(ctx, model) ? ", in use" : "";
  return { label: nameOf(model), description: `${model.name}, ${tokens}${current}` };
}

function line(ctx: ExtensionContext, model: Model): string {
  const { label, description } = option(ctx, model);
  return `${label} (${description})`;
}

function isCurrent({ model }: ExtensionContext, { provider, id }: Model): boolean {
  return model?.provider === provider && model.id === id;
}

async function find(ctx: ExtensionContext, name: string): Promise<Model | undefined> {
  const { modelRegistry } = ctx;
  const known = await choose(ctx, name, search(modelRegistry, name));
  if (known !== "unknown") return known;
  const described = describedModel(modelRegistry, name);
  if (described) return described;
  if (!(await refresh(ctx))) return undefined;
  const found = await choose(ctx, name, search(modelRegistry, name));
  if (found !== "unknown") return found;
  ctx.ui.notify(
    `No model is called ${JSON.stringify(name)}; /model offers those there are`,
    "error",
  );
  return undefined;
}

/** Models that can be called come first; only if none matches, the others. */
function search(registry: ModelRegistry, name: string): readonly Model[] {
  const available = matchingModels(registry.getAvailable(), name);
  return available.length > 0 ? available : matchingModels(registry.getAll(), name);
}

async function choose(
  ctx: ExtensionContext,
  name: string,
  models: readonly Model[],
): Promise<Model | undefined | "unknown"> {
  if (models.length < 2) return models[0] ?? "unknown";
  if (!ctx.hasUI) {
    const names = models.map(nameOf).join(", ");
    ctx.ui.notify(`${JSON.stringify(name)} may mean several models: ${names}`, "error");
    return undefined;
  }
  const title = `Which model is ${JSON.stringify(name)}?`;
  const chosen = await ctx.ui.select(
    title,
    models.map((model) => option(ctx, model)),
  );
  return models.find((model) => nameOf(model) === chosen);
}

async function refresh(ctx: ExtensionContext): Promise<boolean> {
  try {
    await ctx.modelRegistry.refresh();
    return true;
  } catch (error) {
    ctx.ui.notify(errorMessage(error), "error");
    return false;
  }
}
