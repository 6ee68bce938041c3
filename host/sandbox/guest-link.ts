import type { ContextFacts } from "../context.ts";
import { factsOf } from "../context.ts";
import type { Instance } from "../extension.ts";
import type { Runtime } from "../runtime.ts";
import { sandboxError } from "./errors.ts";
import { GuestHandles } from "./guest-handles.ts";
import type { HostProcess } from "./host-process.ts";
import { Invocations } from "./invocations.ts";
import { Leases } from "./leases.ts";
import type { SandboxLimits } from "./limits.ts";
import { MirrorCursor } from "./mirror-cursor.ts";
import type { MirrorSource } from "./mirror-source.ts";
import type { Lane, ToChild } from "./protocol.ts";
import { parseGuestJson, unmarked } from "./wire-decode.ts";
import { encodeValues, type Numbering } from "./wire-encode.ts";
import { errorOfGuest, wireFailure } from "./wire-errors.ts";

export interface LinkParts {
  /** The number of this load. */
  readonly g: number;
  readonly host: HostProcess;
  readonly instance: Instance;
  readonly runtime: Runtime;
  readonly limits: SandboxLimits;
  readonly source: MirrorSource;
  /** A stack of the guest in the author's own lines. */
  mapStack(stack: string): string;
}

export interface InvokeOptions {
  readonly lane?: Lane;
  /** Paid from the bucket of background work. */
  readonly background?: boolean;
  /** A field of the first value that comes back as the guest has left it: `{result, edited}`. */
  readonly inPlace?: string;
  /** The caller does not wait any longer once this fires. */
  readonly signal?: AbortSignal | undefined;
}

/** One generation of a guest as the main process sees it: what is asked of it and what it was given. */
export class GuestLink {
  readonly parts: LinkParts;
  readonly leases = new Leases();
  readonly handles: GuestHandles;
  readonly invocations: Invocations;
  readonly #cursor: MirrorCursor;
  #phase: "loading" | "active" | "ended" = "loading";
  #forgotten: number[] = [];
  #gone: Error | undefined;
  /** Number of the last write of the guest that was done or refused. */
  ack = 0;
  /** Called when something that was asked of the guest, or by it, has settled. */
  onSettled: () => void = () => undefined;

  constructor(parts: LinkParts) {
    this.parts = parts;
    const { limits, runtime, source, instance } = parts;
    this.invocations = new Invocations(limits.nesting);
    this.handles = new GuestHandles((id, reason) =>
      this.send({ t: "abort", g: parts.g, id }, reason),
    );
    const signalId = (signal: AbortSignal) => this.handles.signalId(signal);
    this.#cursor = new MirrorCursor({ runtime, source, instance, signalId });
  }

  /** Whether a command of the guest, or what it has asked to be called back for, is running. */
  get hasCommand(): boolean {
    return this.invocations.hasCommand;
  }

  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** The instance is committed: everything works from now on. */
  activate(): void {
    this.#phase = "active";
  }

  send(header: ToChild, body: string | Uint8Array = ""): void {
    if (!this.#gone) this.parts.host.send(header, body);
  }

  /** Enters the guest, after what has changed outside. */
  turn(kind: string, a: number | string, body: string, options: TurnOptions = {}): void {
    const { lane = "async", ...more } = options;
    this.flush();
    this.send({ t: "turn", g: this.parts.g, lane, kind, a, ...more }, body);
  }

  /** Tells the guest what it does not know yet. */
  flush(): void {
    if (this.#gone) return;
    const forget = this.#forgotten;
    this.#forgotten = [];
    const own = { phase: this.#phase, ack: this.ack };
    const pieces = this.#cursor.differences(own);
    for (const piece of pieces) this.send({ t: "state", g: this.parts.g }, piece);
    if (forget.length > 0) this.send({ t: "state", g: this.parts.g }, JSON.stringify({ forget }));
  }

  /** Calls a function of the guest; the values cross as copies. */
  async invoke(
    id: number,
    values: readonly unknown[],
    { lane = "async", background = false, signal, inPlace }: InvokeOptions = {},
  ): Promise<unknown> {
    const facts = values.map((value) => factsIn(value)).find((found) => found !== undefined);
    const owned: number[] = [];
    return this.#ask(facts, signal, owned, (n) => {
      const text = encodeValues(values, this.#numbering(n, owned));
      const kind = lane === "sync" ? "now" : "run";
      this.turn(kind, JSON.stringify([n, id, inPlace]), text, {
        lane,
        ...(background && { background }),
      });
    });
  }

  /** Asks for something that is no function of the guest's: to load, to run a factory. */
  request(kind: string, body: string, slice?: number): Promise<unknown> {
    return this.#ask(undefined, undefined, [], (n) =>
      this.turn(kind, n, body, slice === undefined ? {} : { slice }),
    );
  }

  result(n: number, bytes: Uint8Array): void {
    this.invocations.take(n)?.resolve(bytes);
  }

  failed(n: number, bytes: Uint8Array): void {
    this.invocations.take(n)?.reject(errorOfGuest(bytes, this, this.parts.mapStack));
  }

  /** The guest is gone: what waits for it fails, what it asked for is aborted. */
  close(error: Error): void {
    if (this.#gone) return;
    this.#gone = error;
    this.handles.close();
    this.invocations.rejectAll(error);
  }

  /** How the values of a call's answer are numbered: they are kept as long as the guest. */
  get numbering(): Numbering {
    return this.#numbering(0, []);
  }

  #numbering(n: number, owned: number[]): Numbering {
    return {
      functionId: (run) => String(this.handles.functionId(run, owned)),
      signalId: (signal) => `${signal.aborted ? "!" : ""}${this.handles.signalId(signal, owned)}`,
      lease: (facts) => this.#lease(facts, n),
      failure: (error) => wireFailure(error, 0, this),
    };
  }

  /** A context that is not the instance's own ends for the guest when its instance does. */
  #lease(facts: ContextFacts, n: number): string {
    const { instance } = facts.call;
    const isKnown = instance === this.parts.instance || this.leases.keysOf(instance).length > 0;
    const text = this.leases.wire(facts, n);
    if (!isKnown) instance.scope.add(() => this.closeKeys(instance));
    return text;
  }

  /** From now on the guest's own calls with these keys raise STALE_CONTEXT. */
  closeKeys(instance: Instance): void {
    for (const key of this.leases.keysOf(instance)) this.turn("close", key, "");
  }

  async #ask(
    facts: ContextFacts | undefined,
    signal: AbortSignal | undefined,
    owned: readonly number[],
    send: (n: number) => void,
  ): Promise<unknown> {
    if (this.#gone) throw this.#gone;
    const { host } = this.parts;
    const { invocation, settled } = this.invocations.open(facts);
    const giveUp = () => this.invocations.take(invocation.n)?.reject(gaveUp());
    host.hold();
    try {
      signal?.addEventListener("abort", giveUp, { once: true });
      send(invocation.n);
      return unmarked(parseGuestJson(await settled));
    } finally {
      signal?.removeEventListener("abort", giveUp);
      host.release();
      this.invocations.take(invocation.n);
      this.#forgotten.push(...this.handles.release(owned));
      this.onSettled();
    }
  }
}

type TurnOptions = { readonly lane?: Lane; readonly slice?: number; readonly background?: boolean };

function factsIn(value: unknown): ContextFacts | undefined {
  return typeof value === "object" && value !== null ? factsOf(value) : undefined;
}

/** Nobody waits for the result any longer; the caller has said why. */
function gaveUp(): Error {
  return sandboxError("EXTENSION_CRASHED", { extension: "the extension", kind: "given up" });
}
