import { CoppiceError } from "../core/index.ts";
import { LONGEST_TIMER_MS } from "./budget.ts";
import { apiFor } from "./context.ts";
import { hostError } from "./errors.ts";
import type { SessionShutdownReason, SessionStartReason } from "./events.ts";
import { type Extension, Instance } from "./extension.ts";
import { loadTrusted } from "./load-trusted.ts";
import { errorParts } from "./reports.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Starts and ends the instances of all extensions. A failure is a report; the others go on
 * (extensions spec §1.5).
 */
export class ExtensionHost {
  readonly #runtime: Runtime;
  readonly #extensions: readonly Extension[];
  readonly #disabled: ReadonlySet<string>;
  #instances: readonly Instance[] = [];

  constructor(runtime: Runtime, extensions: readonly Extension[], disabled: readonly string[]) {
    this.#runtime = runtime;
    this.#extensions = extensions;
    this.#disabled = new Set(disabled);
  }

  get instances(): readonly Instance[] {
    return this.#instances;
  }

  isDisabled(extension: Extension): boolean {
    return this.#disabled.has(extension.id);
  }

  /** The extension whose manifest names a command, loaded or not. */
  ownerOfCommand(name: string): Extension | undefined {
    return this.#extensions.find(({ manifest }) => manifest.commands.includes(name));
  }

  /** Loads all enabled extensions in parallel and commits them in load order. */
  async load(): Promise<void> {
    const enabled = this.#extensions.filter((extension) => !this.isDisabled(extension));
    const loaded = await Promise.all(enabled.map((extension) => this.#loadOne(extension)));
    this.#instances = loaded.filter((instance) => instance !== undefined);
    for (const instance of this.#instances) this.#commit(instance);
  }

  async start(reason: SessionStartReason, previousSessionFile?: string): Promise<void> {
    const previous = previousSessionFile === undefined ? {} : { previousSessionFile };
    await this.#runtime.hooks.after("session_start", {
      type: "session_start",
      reason,
      ...previous,
    });
  }

  /** Tells all instances that their session ends; reads and appends still go to it (§3.5). */
  async shutdown(reason: SessionShutdownReason, targetSessionFile?: string): Promise<void> {
    const target = targetSessionFile === undefined ? {} : { targetSessionFile };
    await this.#runtime.hooks.after("session_shutdown", {
      type: "session_shutdown",
      reason,
      ...target,
    });
  }

  /** Ends all instances; everything they registered is undone. */
  unload(): void {
    for (const instance of this.#instances) instance.end();
    this.#instances = [];
  }

  async #loadOne(extension: Extension): Promise<Instance | undefined> {
    const instance = new Instance(extension);
    const limit = Number(this.#runtime.settings.get("extensions.loadTimeoutMs"));
    try {
      await within(extension, limit, async () => {
        const factory = await loadTrusted(extension);
        await factory(apiFor(this.#runtime, instance));
      });
      return instance;
    } catch (error) {
      instance.end();
      this.#reportLoad(extension, error);
      return undefined;
    }
  }

  #commit(instance: Instance): void {
    try {
      instance.commit();
    } catch (error) {
      instance.end();
      this.#instances = this.#instances.filter((other) => other !== instance);
      this.#reportLoad(instance.extension, error);
    }
  }

  #reportLoad({ id, version, entry }: Extension, error: unknown): void {
    const code = "EXTENSION_LOAD_FAILED";
    const { stack, ...parts } = errorParts(error);
    const isOwn = error instanceof CoppiceError && error.code === code;
    // The report names extension and entry itself.
    const message = isOwn ? String(error.details.reason) : parts.message;
    const report = { code, extension: id, version, where: entry, message };
    this.#runtime.reports.add(stack === undefined ? report : { ...report, stack });
  }
}

/** Runs work that may take so many milliseconds; raises EXTENSION_LOAD_FAILED beyond. */
async function within(
  { id, entry }: Extension,
  limit: number,
  work: () => Promise<void>,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const reason = `it did not load within ${limit} ms`;
    timer = setTimeout(
      () => reject(hostError("EXTENSION_LOAD_FAILED", { extension: id, entry, reason })),
      Math.min(limit, LONGEST_TIMER_MS),
    );
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
