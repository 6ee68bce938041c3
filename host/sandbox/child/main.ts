import { Socket } from "node:net";
import type { ChildLimits } from "../limits.ts";
import { type EnginePlace, type Frame, FrameReader, type ToChild, toChild } from "../protocol.ts";
import { type Engine, loadEngine } from "./engine.ts";
import { Guest, type GuestParts } from "./guest.ts";
import { Outbox } from "./outbox.ts";
import { isWalled, openDoors } from "./self-test.ts";
import type { Turn } from "./turn-queue.ts";

/** Milliseconds a last report may take to be read. */
const LAST_WORDS_MS = 50;

/**
 * The extension host process: no authority, one channel. It ends with that channel, by its own hand
 * or the supervisor's (sandbox spec §2).
 */
class ExtensionHostProcess {
  readonly #outbox: Outbox;
  readonly #guests = new Map<number, Guest>();
  #engine: Engine | undefined;
  #limits: ChildLimits | undefined;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  receive({ header, body }: Frame<ToChild>): void {
    switch (header.t) {
      case "hello":
        this.#hello(header.limits, header.engine);
        break;
      case "ping":
        this.#pong(header.n);
        break;
      case "load":
        void this.#load(header, body);
        break;
      default:
        this.#toGuest(header, body);
    }
  }

  #toGuest(header: ForGuest, body: Buffer): void {
    const guest = this.#guests.get(header.g);
    if (!guest || !this.#limits) return;
    const text = body.toString("utf8");
    switch (header.t) {
      case "dispose":
        guest.dispose();
        break;
      case "state":
        guest.addState(text);
        break;
      case "answer":
        guest.answer(header.id, text);
        break;
      default:
        guest.add(turnOf(header, text, this.#limits));
    }
  }

  #hello(limits: ChildLimits, place: EnginePlace): void {
    this.#limits = limits;
    this.#engine = loadEngine(place);
    if (!this.#engine) this.#outbox.send({ t: "unready", missing: "engine" });
    else {
      this.#outbox.send({
        t: "ready",
        engine: place.version,
        node: process.version,
        jit: !process.execArgv.includes("--jitless"),
        walled: isWalled(),
        open: openDoors(),
      });
    }
  }

  #pong(n: number): void {
    const guests = [...this.#guests.values()].map((guest) => guest.figures());
    this.#outbox.send({ t: "pong", n, rss: process.memoryUsage.rss(), guests });
  }

  async #load({ g, memoryMb, waits, parts }: ToChild & { t: "load" }, body: Buffer): Promise<void> {
    const [engine, limits] = [this.#engine, this.#limits];
    if (!engine || !limits) return;
    const lost: GuestParts["lost"] = (kind, limit) =>
      this.#outbox.sendLast({ t: "fault", g, kind, limit, used: limit }, LAST_WORDS_MS);
    const ended = () => this.#guests.delete(g);
    const texts = textsOf(parts, body);
    try {
      const outbox = this.#outbox;
      const guest = new Guest({ g, engine, limits, outbox, memoryMb, waits, lost, ended });
      this.#guests.set(g, guest);
      const { prelude = "", settings = "", ...modules } = Object.fromEntries(texts);
      await guest.start(prelude, settings);
      for (const [name, text] of Object.entries(modules)) {
        guest.add({ ...asyncTurn(limits), kind: "module", a: name, b: text });
      }
      this.#outbox.send({ t: "started", g });
    } catch (error) {
      this.#guests.get(g)?.dispose();
      this.#outbox.send({ t: "loadfail", g }, String(error).slice(0, 4000));
    }
  }
}

type ForGuest = Extract<ToChild, { t: "abort" | "answer" | "dispose" | "state" | "turn" }>;

function turnOf(
  header: Extract<ForGuest, { t: "abort" | "turn" }>,
  b: string,
  limits: ChildLimits,
): Turn {
  const turn = asyncTurn(limits);
  if (header.t === "abort") return { ...turn, kind: "abort", a: header.id, b };
  const { kind, a, lane, slice = limits.sliceMs, background = false } = header;
  return { kind, a, b, lane, slice, background };
}

function asyncTurn({ sliceMs }: ChildLimits): Pick<Turn, "lane" | "slice" | "background"> {
  return { lane: "async", slice: sliceMs, background: false };
}

function textsOf(
  parts: readonly { readonly name: string; readonly bytes: number }[],
  body: Buffer,
): ReadonlyMap<string, string> {
  let at = 0;
  return new Map(
    parts.map(({ name, bytes }) => {
      const text = body.toString("utf8", at, at + bytes);
      at += bytes;
      return [name, text];
    }),
  );
}

const socket = new Socket({ fd: 3, readable: true, writable: true });
const host = new ExtensionHostProcess(new Outbox(socket));
const reader = new FrameReader(toChild);
const end = () => process.kill(process.pid, "SIGKILL");
socket.on("data", (chunk) => {
  for (const frame of reader.push(chunk)) host.receive(frame);
});
socket.on("close", end);
socket.on("error", end);
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.stack}\n`, end);
});
