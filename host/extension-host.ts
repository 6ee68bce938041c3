import { CoppiceError } from "../core/index.ts";
import { LONGEST_TIMER_MS } from "./budget.ts";
import { apiFor } from "./context.ts";
import { hostError } from "./errors.ts";
import type { SessionShutdownReason, SessionStartReason } from "./events.ts";
import { type Extension, Instance } from "./extension.ts";
import { loadTrusted } from "./load-trusted.ts";
import { errorParts } from "./reports.ts";
import type { Runtime } from "./runtime.ts";
import type { Sandbox, SandboxOptions } from "./sandbox/sandbox.ts";

/** Time, limits and start of the sandbox, where they are not the usual ones. */
export type ContainmentOptions = Partial<Pick<SandboxOptions, "clock" | "limits" | "launch">>;

/**
 * Starts and ends the instances of all extensions. A failure is a report; the others go on
 * (extensions spec §1.5).
 */
export class ExtensionHost {
  readonly #runtime: Runtime;
  readonly #extensions: readonly Extension[];
  readonly #disabled: ReadonlySet<string>;
  #instances: readonly Instance[] = [];
  readonly #sandboxOptions: ContainmentOptions;
  #sandbox: Promise<Sandbox> | undefined;
  /** Packages without a sandbox, by what is missing. */
  readonly #unavailable = new Map<string, readonly string[]>();

  constructor(
    runtime: Runtime,
    extensions: readonly Extension[],
    disabled: readonly string[],
    sandbox: ContainmentOptions = {},
  ) {
    this.#runtime = runtime;
    this.#sandboxOptions = sandbox;
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
    this.#reportUnavailable();
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

  /** Ends all instances and the processes they ran in. */
  async close(): Promise<void> {
    this.unload();
    await (await this.#sandbox)?.close();
  }

  /** Something has changed that extensions in the sandbox keep a copy of. */
  async changed(): Promise<void> {
    (await this.#sandbox)?.changed();
  }

  /** Starts an extension again that has ended by a fault; the session goes on (sandbox spec §2.6). */
  async #restart(extension: Extension): Promise<void> {
    const instance = await this.#loadOne(extension);
    this.#reportUnavailable();
    if (!instance) return;
    this.#instances = [...this.#instances, instance];
    this.#commit(instance);
    const type = "session_start";
    await this.#runtime.hooks.afterIn(type, { type, reason: "reload" }, instance);
  }

  /** Made when the first package of a third party is to load, and not at all without one. */
  #sandboxed(): Promise<Sandbox> {
    this.#sandbox ??= import("./sandbox/sandbox.ts").then(({ Sandbox: Place }) => {
      const restart = (extension: Extension) => this.#restart(extension);
      return new Place({ runtime: this.#runtime, restart, ...this.#sandboxOptions });
    });
    return this.#sandbox;
  }

  async #loadOne(extension: Extension): Promise<Instance | undefined> {
    const instance = new Instance(extension);
    const limit = Number(this.#runtime.settings.get("extensions.loadTimeoutMs"));
    try {
      const run = await this.#prepare(extension, instance);
      await within(extension, limit, run);
      return instance;
    } catch (error) {
      instance.end();
      this.#reportLoad(extension, error);
      return undefined;
    }
  }

  /** Code of the user's own and of coppice runs in this process, all other code in the sandbox. */
  async #prepare(extension: Extension, instance: Instance): Promise<() => Promise<void>> {
    if (isContained(extension)) return (await this.#sandboxed()).prepare(extension, instance);
    return async () => {
      const factory = await loadTrusted(extension);
      await factory(apiFor(this.#runtime, instance));
    };
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

  /** One line for all packages that have no sandbox to run in (sandbox spec §11.5). */
  #reportUnavailable(): void {
    for (const [missing, ids] of this.#unavailable) {
      const { code, message } = hostError("SANDBOX_UNAVAILABLE", {
        extension: ids.join(", "),
        missing,
      });
      const report = { extension: "sandbox", version: "", where: "start" };
      this.#runtime.reports.add({ code, message, ...report });
    }
    this.#unavailable.clear();
  }

  #reportLoad({ id, version, entry }: Extension, error: unknown): void {
    if (error instanceof CoppiceError && error.code === "SANDBOX_UNAVAILABLE") {
      const missing = String(error.details.missing);
      this.#unavailable.set(missing, [...(this.#unavailable.get(missing) ?? []), id]);
      return;
    }
    const code = "EXTENSION_LOAD_FAILED";
    const { stack, ...parts } = errorParts(error);
    const isOwn = error instanceof CoppiceError && error.code === code;
    // The report names extension and entry itself.
    const message = isOwn ? String(error.details.reason) : parts.message;
    const report = { code, extension: id, version, where: entry, message };
    this.#runtime.reports.add(stack === undefined ? report : { ...report, stack });
  }
}

function isContained({ firstParty, permissions }: Extension): boolean {
  return !firstParty && permissions !== "all";
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
