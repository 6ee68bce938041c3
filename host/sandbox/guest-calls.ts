import {
  CoppiceError,
  coreError,
  errorCode,
  errorMessage,
  type IndexRow,
  isJsonObject,
} from "../../core/index.ts";
import { callOf, runRow } from "../context.ts";
import type { PickEntryOptions } from "../contributions-types.ts";
import { hostError } from "../errors.ts";
import type { Call, Method } from "../methods/method.ts";
import type { AssistantMessageEvent, AssistantMessageEventStream } from "../model-types.ts";
import { missingPermissions } from "../permissions.ts";
import { misfit } from "../shape.ts";
import { cleanLine } from "../text/index.ts";
import { sandboxError } from "./errors.ts";
import type { GuestLink } from "./guest-link.ts";
import { drivenPanel, type GuestPanel } from "./guest-panel.ts";
import { guestMethod } from "./guest-rows.ts";
import { shownValues } from "./guest-shown.ts";
import type { Lease } from "./leases.ts";
import type { FromChild } from "./protocol.ts";
import { proxyFor } from "./proxies.ts";
import { decodeArguments, parseGuestJson, unmarked } from "./wire-decode.ts";
import { encodeFailure, encodeForGuest } from "./wire-encode.ts";
import { isThrownBy } from "./wire-errors.ts";

/** A call as its key tells it: `id member key invocation more`. */
interface CallKey {
  readonly id: number;
  readonly member: string;
  readonly key: string;
  readonly n: number;
  readonly more: string;
}

/** What one guest asks of the host: looked up, checked and run as a row of the method table. */
export class GuestCalls {
  readonly #link: GuestLink;
  readonly #undos = new Map<string, () => void>();
  readonly #trueIds = new Map<string, string>();
  #inFlight = 0;
  #refs = 0;

  constructor(link: GuestLink) {
    this.#link = link;
  }

  /** Whether a call of the guest has not been answered. */
  get isBusy(): boolean {
    return this.#inFlight > 0;
  }

  /** A message of the guest. Whatever is wrong with it is answered or reported, never thrown. */
  post({ kind, a }: Extract<FromChild, { t: "post" }>, body: Uint8Array): void {
    if (kind === "result") this.#link.result(Number(a), body);
    else if (kind === "error") this.#failed(Number(a), body);
    else if (kind === "cancel") this.#link.handles.cancel(Number(a));
    else if (kind === "call") void this.#call(keyOf(a), body);
    else if (kind === "post") this.#oneWay(keyOf(a), body);
  }

  #failed(n: number, body: Uint8Array): void {
    try {
      this.#link.failed(n, body);
    } catch (error) {
      this.#link.invocations.take(n)?.reject(error);
    }
  }

  async #call({ id, member, key, n }: CallKey, body: Uint8Array): Promise<void> {
    const { limits } = this.#link.parts;
    const answer = (text: string) => this.#link.turn("answer", id, text);
    this.#inFlight++;
    try {
      if (this.#inFlight > limits.callsInFlight) {
        throw sandboxError("LIMIT_EXCEEDED", {
          limit: "calls in flight",
          value: limits.callsInFlight,
        });
      }
      // A call that nobody is asked about runs at once: what comes after it must find it begun.
      const admission = this.#admission(member, key, n);
      const release = admission === undefined ? none : await admission;
      const asked = this.#inScope(n, () => this.#run(member, key, n, body, release));
      if (n === 0 && MODEL_CALLS.test(member)) this.#link.invocations.pauseFor(replyOf(asked));
      const value = await asked;
      if (isStream(value)) await this.#stream(id, value);
      answer(isStream(value) ? "" : encodeForGuest(value, this.#link.numbering));
    } catch (error) {
      answer(encodeFailure(error, this.#refOf(member, error), this.#link));
    } finally {
      this.#inFlight--;
      this.#link.parts.source.changed();
      this.#link.onSettled();
    }
  }

  /** Registrations and writes: done in order, and what goes wrong is reported (extensions spec §2.1). */
  #oneWay({ id, member, key, n, more }: CallKey, body: Uint8Array): void {
    try {
      if (member === "undo") this.#undo(more);
      else if (member === "fn") this.#callFunction(key, body);
      else if (member === "report") this.#reported(key, body);
      else this.#inScope(n, () => this.#write(member, key, n, more, body));
    } catch (error) {
      this.#report(errorCode(error) ?? "HOST_ERROR", member, errorMessage(error));
    } finally {
      this.#link.ack = id;
      this.#link.parts.source.changed();
    }
  }

  #write(member: string, key: string, n: number, more: string, body: Uint8Array): void {
    const { sessionManager } = this.#link.parts.runtime.session;
    const value = this.#run(member, key, n, body);
    if (typeof value === "function") this.#undos.set(more, value as () => void);
    const newId = sessionManager.getLeafId();
    if (member === "api.appendEntry" && more !== "" && newId !== null) {
      this.#trueIds.set(more, newId);
    }
  }

  #undo(registration: string): void {
    const undo = this.#undos.get(registration);
    this.#undos.delete(registration);
    undo?.();
  }

  #callFunction(id: string, body: Uint8Array): void {
    const values = unmarked(parseGuestJson(body));
    if (Array.isArray(values)) this.#link.handles.callFunction(Number(id), values);
  }

  /** Something that the prelude has noticed, such as the use of what is not supported. */
  #reported(key: string, body: Uint8Array): void {
    const parts = parseGuestJson(body);
    if (this.#link.leases.find(key)?.root !== "api" || !Array.isArray(parts)) return;
    const [, member, message] = parts.map((part) => cleanLine(String(part).slice(0, 500)));
    this.#report("NOT_SUPPORTED", member ?? "", message ?? "");
  }

  /** The row behind a member, for this kind of context, run with rights the host has noted itself. */
  #run(member: string, key: string, n: number, body: Uint8Array, release = none): unknown {
    const { row, call } = this.#found(member, key, n);
    try {
      return this.#runFound(row, call, body);
    } finally {
      release();
    }
  }

  /** Waits for a person where nobody has decided yet; gives what ends a permission for one call. */
  #admission(member: string, key: string, n: number): Promise<() => void> | undefined {
    const { row, call } = this.#found(member, key, n);
    const { instance, runtime, budget } = call;
    const { permissions: gate } = runtime;
    const isChanging = instance.extension.package?.changing !== undefined;
    if (!gate || !isChanging || row.refused) return undefined;
    const needed = missingPermissions(instance, row.permission);
    const admit = (permission: string) => gate.admit(instance, permission, row.name, budget);
    return needed.length > 0 ? admitAll(needed, admit) : undefined;
  }

  #found(member: string, key: string, n: number): { row: Method; call: Call } {
    const lease = this.#link.leases.find(key);
    const row = lease && rowFor(member, lease);
    if (!row) throw hostError("NOT_SUPPORTED", { member: cleanLine(member.slice(0, 100)) });
    return { row, call: this.#callOf(lease, n) };
  }

  #runFound(row: Method, call: Call, body: Uint8Array): unknown {
    const values = shownValues(row.name, this.#arguments(row, body));
    if (row.name === "ctx.ui.pickEntry") return this.#pick(row, call, values);
    if (row.name === "ctx.ui.panel" && isGuestPanel(values[0])) {
      return runRow(row, call, [drivenPanel(values[0]), values[1]]);
    }
    return runRow(row, call, values);
  }

  /** Whoever draws the entries asks at once which may be chosen: the guest has said so before. */
  async #pick(row: Method, call: Call, values: readonly unknown[]): Promise<unknown> {
    const [options] = values as [PickEntryOptions & { accept?: AskRows }];
    if (typeof options?.accept !== "function") return runRow(row, call, values);
    const rows = call.runtime.session.sessionManager.getIndex();
    const answers = await options.accept(rows);
    const wrong = misfit(["boolean"], answers, "the answer of accept");
    if (wrong !== undefined) {
      throw coreError("INVALID_ARGUMENT", { argument: row.name, reason: wrong });
    }
    const list = answers as readonly boolean[];
    const accepted = new Set(rows.filter((_, i) => list[i]).map(({ id }) => id));
    const accept = (asked: readonly IndexRow[]) => asked.map(({ id }) => accepted.has(id));
    return runRow(row, call, [{ ...options, accept }]);
  }

  #arguments(row: Method, body: Uint8Array): unknown[] {
    const first: { value?: unknown } = {};
    return decodeArguments(body, row.args, {
      functionOf: (id, path) => proxyFor(this.#link, row.name, path, id, first.value),
      signalOf: (id) => this.#link.handles.signalOf(id),
      trueId: (text) => {
        const known = this.#trueIds.get(text) ?? text;
        first.value ??= known;
        return known;
      },
    });
  }

  /** With the time of the invocation, as long as that is open (sandbox spec §4.7). */
  #callOf({ call, isCommand }: Lease, n: number): Call {
    const facts = this.#link.invocations.find(n)?.facts;
    const isSame = facts?.call.instance === call.instance && facts.isCommand === isCommand;
    return isSame ? facts.call : callOf(call.runtime, call.instance);
  }

  #inScope<T>(n: number, work: () => T): T {
    const scope = this.#link.invocations.find(n)?.scope;
    return scope ? scope.runInAsyncScope(work) : work();
  }

  /** Events of a reply of a model, as they come. */
  async #stream(id: number, stream: AssistantMessageEventStream): Promise<void> {
    let waiting: AssistantMessageEvent[] = [];
    const send = () => {
      if (waiting.length > 0) this.#link.turn("stream", id, JSON.stringify(waiting));
      waiting = [];
    };
    for await (const event of stream) {
      if (waiting.length === 0) setImmediate(send);
      waiting.push(event);
    }
    send();
  }

  /** A failure without a code is told to the guest by a number only; the rest stands in the report. */
  #refOf(member: string, error: unknown): number {
    if (error instanceof CoppiceError || isThrownBy(error, this.#link)) return 0;
    this.#refs++;
    this.#report("HOST_ERROR", member, `${this.#refs}: ${errorMessage(error)}`);
    return this.#refs;
  }

  #report(code: string, where: string, message: string): void {
    const { instance, runtime } = this.#link.parts;
    const { id: extension, version } = instance.extension;
    const text = cleanLine(message.slice(0, 4000));
    runtime.reports.add({ code, extension, version, where: cleanLine(where), message: text });
  }
}

function isGuestPanel(value: unknown): value is GuestPanel {
  const { title, update, view } = isJsonObject(value) ? value : {};
  return typeof title === "string" && typeof update === "function" && typeof view === "function";
}

/** Asks for one permission after the other; what was given for this call ends with it, or at a refusal. */
async function admitAll(
  needed: readonly string[],
  admit: (permission: string) => Promise<() => void>,
): Promise<() => void> {
  const ends: (() => void)[] = [];
  const release = () => {
    for (const end of ends) end();
  };
  try {
    for (const permission of needed) ends.push(await admit(permission));
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

const none = (): void => undefined;

type AskRows = (rows: readonly IndexRow[]) => unknown;

function rowFor(member: string, { root, isCommand }: Lease): Method | undefined {
  const row = guestMethod(member);
  const isThere = row?.name.startsWith(`${root}.`) && (isCommand || !row.commandOnly);
  return isThere ? row : undefined;
}

function keyOf(a: number | string): CallKey {
  const [id = "", member = "", key = "", n = "", more = ""] = String(a).slice(0, 500).split(" ");
  return { id: Number(id), member, key, n: Number(n), more };
}

/** Calls of models; those of `coppice/ai` do not say which handler makes them. */
const MODEL_CALLS = /^ctx\.modelRegistry\.(complete|streamSimple)$/;

function replyOf(asked: unknown): Promise<unknown> {
  return isStream(asked) ? asked.result() : Promise.resolve(asked);
}

function isStream(value: unknown): value is AssistantMessageEventStream {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
