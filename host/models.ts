import { hostError } from "./errors.ts";
import type {
  AssistantMessageEventStream,
  Model,
  ModelContext,
  ProviderConfig,
  StreamOptions,
} from "./model-types.ts";

interface Provider {
  readonly name: string;
  readonly config: ProviderConfig;
  models: readonly Model[];
}

/** The model port: providers that extensions have registered, their models, and calls to them. */
export class Models {
  /** In the order of registration; of one name the last is in force. */
  #registered: readonly Provider[] = [];
  #providers: ReadonlyMap<string, Provider> = new Map();

  /** Registers a provider; a later one of the same name takes its place until it is undone. */
  register(name: string, config: ProviderConfig): () => void {
    const provider: Provider = { name, config, models: config.models };
    this.#setProviders([...this.#registered, provider]);
    return () => this.#setProviders(this.#registered.filter((other) => other !== provider));
  }

  unregister(name: string): void {
    this.#setProviders(this.#registered.filter((provider) => provider.name !== name));
  }

  #setProviders(providers: readonly Provider[]): void {
    this.#registered = providers;
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
  }

  /** Names of providers, those with the largest priority first. */
  providers(): readonly string[] {
    return [...this.#providers.values()]
      .sort((a, b) => (b.config.priority ?? 0) - (a.config.priority ?? 0))
      .map(({ name }) => name);
  }

  all(): Model[] {
    return this.providers().flatMap((name) => [...(this.#providers.get(name)?.models ?? [])]);
  }

  /** Models that could be called now. */
  available(): Model[] {
    return this.all().filter((model) => this.hasCredentials(model.provider));
  }

  /** A model by its names; one the provider does not list may still be described by it. */
  find(provider: string, modelId: string): Model | undefined {
    const known = this.#providers.get(provider);
    return known?.models.find(({ id }) => id === modelId) ?? known?.config.describe?.(modelId);
  }

  /** Reads `provider/model`, or a model id or provider alone where that is enough. */
  resolve(spec: string): Model | undefined {
    const slash = spec.indexOf("/");
    if (slash > 0) {
      const exact = this.find(spec.slice(0, slash), spec.slice(slash + 1));
      if (exact) return exact;
    }
    const byId = this.all().find(({ id }) => id === spec);
    return byId ?? this.#providers.get(spec)?.models[0];
  }

  /** The model used when nobody has chosen one: the first of the first provider with credentials. */
  firstAvailable(): Model | undefined {
    const name = this.providers().find((provider) => this.hasCredentials(provider));
    return name === undefined ? undefined : this.#providers.get(name)?.models[0];
  }

  /** Whether a model belongs to a provider that stands in when there is no other. */
  isLastResort(model: Model): boolean {
    return (this.#providers.get(model.provider)?.config.priority ?? 0) < 0;
  }

  hasCredentials(provider: string): boolean {
    return this.#providers.get(provider)?.config.hasCredentials() ?? false;
  }

  /** Name of a provider as people read it. */
  title(provider: string): string {
    return this.#providers.get(provider)?.config.title ?? provider;
  }

  /** How to supply credentials, in one line. */
  credentialsHint(provider: string): string | undefined {
    return this.#providers.get(provider)?.config.credentialsHint;
  }

  /** The error to raise where a provider cannot be called; it tells the way out. */
  credentialsMissing(provider: string): Error {
    const hint = this.credentialsHint(provider);
    const details = hint === undefined ? { provider } : { provider, hint };
    return hostError("MODEL_CREDENTIALS_MISSING", details);
  }

  /**
   * Calls a model. Its address is what its provider says: one that the caller writes into it would
   * be sent the key. Raises MODEL_CREDENTIALS_MISSING before anything is sent.
   */
  stream(
    model: Model,
    context: ModelContext,
    options?: StreamOptions,
  ): AssistantMessageEventStream {
    const provider = this.#providers.get(model.provider);
    if (!provider?.config.hasCredentials()) {
      throw this.credentialsMissing(model.provider);
    }
    const { baseUrl: _, ...rest } = model;
    const { baseUrl } = this.find(model.provider, model.id) ?? {};
    const addressed = baseUrl === undefined ? rest : { ...rest, baseUrl };
    return provider.config.streamSimple(addressed, context, options);
  }

  /** Asks every provider with credentials for its models. */
  async refresh(): Promise<void> {
    const asked = [...this.#providers.values()].filter(({ config }) => config.hasCredentials());
    await Promise.all(
      asked.map(async (provider) => {
        const models = await provider.config.refresh?.();
        if (models) provider.models = models;
      }),
    );
  }
}
