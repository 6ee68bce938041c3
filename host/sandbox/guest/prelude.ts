import type { Environment } from "../../../core/index.ts";
import type { GuestSettings, MemberRow, WireLease } from "../guest-settings.ts";
import { ANSWERS, agentSignal } from "./answers.ts";
import { type Border, type BorderParts, borderOf } from "./border.ts";
import { Calls } from "./calls.ts";
import { dateNow, parse, stringify, table } from "./captured.ts";
import { forHost, type HostForms } from "./for-host.ts";
import { installGlobals, installModule, installModuleGlobals } from "./globals.ts";
import { errorText, hostFailure, markOwn } from "./guest-errors.ts";
import { MemberMaker } from "./members.ts";
import { Mirror } from "./mirror.ts";
import { modelCalls } from "./model-calls.ts";
import { Modules } from "./modules.ts";
import { randomOf } from "./random.ts";
import { type GuestFunction, References } from "./references.ts";
import { Registrations } from "./registrations.ts";
import { acceptOf, rowsOf, viewOf } from "./rows-view.ts";
import { Runner } from "./runner.ts";
import { GuestTimers } from "./timers.ts";
import { encodeArguments, encodeValue, type Marks } from "./wire.ts";
import { registerAhead, writeAhead } from "./writes.ts";

type DispatchFunction = (kind: string, a: number | string, b: string) => void;
type Handler = (a: never, b: string) => void;

/** Prepares the isolate of a package and gives the one function that the host enters it by. */
export function start(
  post: BorderParts["post"],
  settingsText: string,
  wait: BorderParts["wait"],
): DispatchFunction {
  const settings = parse(settingsText) as GuestSettings;
  const border = borderOf({ post, wait, limits: settings.limits });
  const handlers = new Guest(settings, border).handlers();
  return (kind, a, b) => {
    border.turnStarts();
    try {
      handlers[kind]?.(a as never, b);
    } catch (error) {
      border.log("error", failureText(error));
    }
    border.turnEnds();
  };
}

/** What the host's own code raises in the isolate keeps its code. */
function ownErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw typeof error === "object" && error !== null ? markOwn(error) : error;
  }
}

function failureText(error: unknown): string {
  try {
    const { message, stack } = parse(errorText(error)) as { message: string; stack?: string };
    return stack ?? message;
  } catch {
    return "an error that cannot be read was thrown";
  }
}

/** The parts of a guest, put together. */
class Guest {
  readonly #settings: GuestSettings;
  readonly #border: Border;
  readonly #references: References;
  readonly #mirror: Mirror;
  readonly #members: MemberMaker;
  readonly #calls: Calls;
  readonly #registrations: Registrations;
  readonly #modules: Modules;
  readonly #timers: GuestTimers;
  readonly #runner: Runner;
  readonly #closed = table<true>();
  readonly #marks: Marks;
  readonly #forms: HostForms;
  /** What every guest has on its global object, beside what the engine gives. */
  #globals: Readonly<Record<string, unknown>> = {};

  constructor(settings: GuestSettings, border: Border) {
    this.#settings = settings;
    this.#border = border;
    this.#references = new References(border, () => {
      const { AbortController: Controller } = this.#globals;
      return new (Controller as typeof AbortController)();
    });
    const env = environmentOf(settings);
    this.#mirror = new Mirror(env, (id) => this.#references.forget(id));
    this.#forms = { env, cwd: () => this.#mirror.get("header").cwd };
    this.#marks = this.#makeMarks();
    const { callsInFlight: inFlight, timers } = settings.limits;
    this.#calls = new Calls({ border, marks: this.#marks, inFlight });
    this.#timers = new GuestTimers(border, timers);
    this.#members = new MemberMaker({
      settings,
      mirror: this.#mirror,
      isClosed: (key) => this.#closed[key] === true,
      run: (row, lease, values) => this.#runMember(row, lease, values),
      report: (code, member, message) => this.#report(code, member, message),
    });
    this.#registrations = new Registrations(settings, this.#members);
    installGlobals(border, this.#timers);
    this.#modules = new Modules({
      settings,
      host: modelCalls(this.#members, settings.contextKey),
      log: (level, text) => border.log(level, text),
      report: ({ code, message }, member) => this.#report(code, member, message),
    });
    installModuleGlobals(
      settings.globals,
      (name) => this.#modules.require(name) as Readonly<Record<string, unknown>>,
    );
    this.#runner = this.#makeRunner();
  }

  /** What the host may ask for, by kind. */
  handlers(): Readonly<Record<string, Handler>> {
    const handlers = table<Handler>();
    const add = <A extends number | string>(kind: string, run: (a: A, b: string) => void) => {
      handlers[kind] = run as unknown as Handler;
    };
    add<number>("state", (_, text) => this.#mirror.take(parse(text) as never));
    add<string>("module", (name, text) => this.#modules.add(name, text));
    add<number>("load", (n, code) => {
      this.#globals = this.#modules.require("coppice:globals") as Readonly<Record<string, unknown>>;
      installModule(this.#globals);
      this.#runner.load(n, code);
    });
    add<number>("factory", (n, index) => this.#runner.factory(n, Number(index)));
    add<string>("run", (header, text) => this.#runner.run(header, text));
    add<string>("now", (header, text) => this.#runner.runNow(header, text));
    add<number>("answer", (id, text) => this.#calls.answer(id, text));
    add<number>("stream", (id, text) => this.#calls.streamed(id, text));
    add<number>("abort", (id, reason) => this.#references.abort(id, reason));
    add<number>("tick", (id) => this.#timers.tick(id));
    add<string>("close", (key) => {
      this.#closed[key] = true;
      if (key === this.#settings.apiKey) this.#timers.clearAll();
    });
    return handlers;
  }

  #makeRunner(): Runner {
    const { id, root, apiKey: key } = this.#settings;
    return new Runner({
      id,
      root,
      border: this.#border,
      references: this.#references,
      marks: this.#marks,
      api: this.#members.make("api", { key, isCommand: true, n: 0 }),
      require: this.#modules.require,
    });
  }

  #makeMarks(): Marks {
    return {
      functionMark: (run, owner) => this.#references.functionMark(run as GuestFunction, owner),
      signalMark: (signal) => this.#references.signalMark(signal as AbortSignal),
      valueOf: (letter, rest) => this.#valueOfMark(letter, rest),
    };
  }

  #valueOfMark(letter: string, rest: string): unknown {
    switch (letter) {
      case "a":
        return this.#references.signalOf(rest);
      case "e":
        return hostFailure(rest);
      case "f":
        return (...values: readonly unknown[]) => this.#callHostFunction(rest, values);
      case "i":
        return this.#mirror.session.getEntry(rest);
      case "R":
        return rowsOf(this.#mirror, rest);
      case "A":
        return acceptOf(rest);
      case "v":
        return viewOf(this.#mirror);
      case "x":
        return this.#members.make("ctx", parse(rest) as WireLease);
      default:
        return undefined;
    }
  }

  /** A function that the host gave with a call: nothing comes back. */
  #callHostFunction(id: string, values: readonly unknown[]): void {
    const text = encodeValue(values, "arguments");
    this.#border.send("post", `${this.#mirror.nextSequence()} fn ${id} 0`, text);
  }

  #runMember(row: MemberRow, lease: WireLease, given: readonly unknown[]): unknown {
    const { box, name } = row;
    const values = forHost(name, given, this.#forms);
    if (name === "api.supports") return this.#supports(values[0] as string);
    if (name === "ctx.signal")
      return agentSignal(this.#mirror, (id) => this.#references.signalOf(`${id}`));
    if (name === "api.getFlag") return this.#registrations.flag(values[0] as string);
    if (box === "mirror" || box === "in") {
      return ownErrors(() => ANSWERS[name]?.(this.#mirror, values[0], values[1]));
    }
    if (box === "reg" || (box === "reg-s" && !row.isAsync))
      return this.#register(row, lease, values);
    if (box === "post") return this.#post(row, lease, values);
    if (row.name === "ctx.modelRegistry.streamSimple") {
      return this.#calls.stream(row, lease, values);
    }
    return this.#calls.call(row, lease, values);
  }

  #post(row: MemberRow, lease: WireLease, values: readonly unknown[]): undefined {
    const sequence = this.#mirror.nextSequence();
    const id = ownErrors(() => writeAhead(this.#mirror, sequence, row.name, values));
    const text = encodeArguments(row.args, values, this.#marks);
    this.#border.send("post", `${sequence} ${row.name} ${lease.key} ${lease.n} ${id}`, text);
    return undefined;
  }

  /** The functions stay here; the host calls them. Gives the undo. */
  #register(row: MemberRow, lease: WireLease, values: readonly unknown[]): () => void {
    const id = this.#registrations.begin(row.name, values);
    const text = encodeArguments(row.args, values, this.#marks);
    const send = (member: string, body: string) => {
      const sequence = this.#mirror.nextSequence();
      this.#border.send("post", `${sequence} ${member} ${lease.key} ${lease.n} ${id}`, body);
    };
    send(row.name, text);
    const forget = registerAhead(this.#mirror, row.name, values);
    let isDone = false;
    return () => {
      if (isDone || this.#closed[lease.key]) return;
      isDone = true;
      this.#registrations.end(row.name, values);
      forget();
      send("undo", "[]");
    };
  }

  #supports(name: string): boolean {
    const { supported } = this.#settings;
    for (let i = 0; i < supported.length; i++) if (supported[i] === name) return true;
    return false;
  }

  #report(code: string, member: string, message: string): void {
    const sequence = this.#mirror.nextSequence();
    const { apiKey } = this.#settings;
    this.#border.send("post", `${sequence} report ${apiKey} 0`, stringify([code, member, message]));
  }
}

/** Ids of provisional entries; the host gives the true ones. */
function environmentOf({ seed }: GuestSettings): Environment {
  const random = randomOf(seed);
  return { now: dateNow, randomBytes: random, sha256: () => "" };
}
