import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { nodeEnvironment } from "../../../host/environment.ts";
import { acquireLock } from "../../../host/storage/lock.ts";
import { isStale, type Owner, parseOwner } from "../../../host/storage/owner.ts";
import { hostIdentity, processState } from "../../../host/storage/processes.ts";
import { openSession } from "../../../host/storage/sessions.ts";
import { HEADER, linesIn, textOf, user, userMessage, world } from "./world.ts";

const WRITER = fileURLToPath(new URL("./writer.mjs", import.meta.url));
const LINES = [HEADER, user("u1", null, "one")];

/** A real process that has, or tries to have, a session open for writing. */
class Writer {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #input: Interface;

  constructor(path: string, ...flags: string[]) {
    this.child = spawn(process.execPath, [WRITER, path, ...flags], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#input = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    this.#lines = this.#input[Symbol.asyncIterator]();
    writers.push(this);
  }

  async says(): Promise<{
    ok?: unknown;
    code?: string;
    message?: string;
    details?: Record<string, unknown>;
  }> {
    return JSON.parse((await this.#lines.next()).value as string);
  }

  tell(line: string): this {
    this.child.stdin?.write(`${line}\n`);
    return this;
  }

  end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve();
    const ended = new Promise<void>((resolve) => this.child.once("exit", () => resolve()));
    this.child.kill(signal);
    return ended;
  }
}

const writers: Writer[] = [];
afterEach(async () => {
  for (const writer of writers.splice(0)) await writer.end("SIGKILL");
});

const leftovers = (path: string) =>
  readdirSync(dirname(path)).filter((name) => name !== basename(path) && name !== "work");

describe("two processes", () => {
  it("cannot both write: the second is told who does, and may read", async () => {
    const path = world().file("a.jsonl", LINES);
    const writer = new Writer(path);
    expect(await writer.says()).toEqual({ ok: "open" });
    const error = await openSession(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SESSION_LOCKED", details: { pid: writer.child.pid } });
    const { message } = error as Error;
    for (const words of [`${writer.child.pid}`, "--read-only", "--fork", `${path}.lock`]) {
      expect(message).toContain(words);
    }
    const reader = await openSession(path, { mode: "read" });
    expect(reader.getEntries()).toHaveLength(1);
    const branched = reader.createBranchedSession("u1");
    expect(branched).toBeDefined();
    reader.close();
    writer.tell("append more");
    expect(await writer.says()).toMatchObject({ ok: expect.any(String) });
    writer.tell("close");
    await writer.says();
    const session = await openSession(path);
    expect(session.getEntries()).toHaveLength(2);
    session.close();
  });

  it("are told apart also in one process", async () => {
    const path = world().file("a.jsonl", LINES);
    const session = await openSession(path);
    await expect(openSession(path)).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      details: { pid: process.pid },
    });
    session.appendMessage(userMessage("still the first"));
    session.close();
    (await openSession(path)).close();
  });

  it("hand over when the first is killed", async () => {
    const path = world().file("a.jsonl", LINES);
    const writer = new Writer(path);
    await writer.says();
    writer.tell("append acknowledged");
    const { ok } = await writer.says();
    await writer.end("SIGKILL");
    expect(existsSync(`${path}.lock`)).toBe(true);
    const session = await openSession(path);
    expect(session.getLeafId()).toBe(ok);
    session.appendMessage(userMessage("next"));
    session.close();
    expect(leftovers(path)).toEqual([]);
  });

  it("leave nothing when the first ends by a signal it can catch, or by itself", async () => {
    const path = world().file("a.jsonl", LINES);
    const one = new Writer(path);
    await one.says();
    await one.end("SIGTERM");
    expect(leftovers(path)).toEqual([]);
    const other = new Writer(path);
    await other.says();
    const ended = new Promise((resolve) => other.child.once("exit", resolve));
    other.child.stdin?.end();
    await ended;
    expect(leftovers(path)).toEqual([]);
  });

  it("do not hand over while the first is only stopped", async () => {
    const path = world().file("a.jsonl", LINES);
    const writer = new Writer(path);
    await writer.says();
    writer.child.kill("SIGSTOP");
    const old = new Date(Date.now() - 3_600_000);
    utimesSync(`${path}.lock`, old, old);
    await expect(openSession(path)).rejects.toMatchObject({ code: "SESSION_LOCKED" });
  });

  it("that try to take over a dead owner's lock at once: exactly one succeeds", async () => {
    const path = world().file("a.jsonl", LINES);
    const first = new Writer(path);
    await first.says();
    await first.end("SIGKILL");
    const racers = Array.from({ length: 5 }, () => new Writer(path, "wait"));
    for (const racer of racers) await racer.says();
    for (const racer of racers) racer.tell("go");
    const results = await Promise.all(racers.map((racer) => racer.says()));
    expect(results.filter(({ ok }) => ok === "open")).toHaveLength(1);
    expect(results.filter(({ code }) => code === "SESSION_LOCKED")).toHaveLength(4);
    const winner = racers[results.findIndex(({ ok }) => ok === "open")] as Writer;
    winner.tell("append won");
    expect(await winner.says()).toMatchObject({ ok: expect.any(String) });
    expect(leftovers(path).sort()).toEqual([`${basename(path)}.lock`, `${basename(path)}.owner`]);
  });

  it("of which one creates the file: the other's message is refused", async () => {
    const at = world();
    const path = at.file("blank.jsonl", "");
    const one = await openSession(path);
    const other = await openSession(path);
    one.appendMessage(userMessage("first"));
    expect(() => other.appendMessage(userMessage("second"))).toThrow(
      expect.objectContaining({ code: "SESSION_LOCKED" }),
    );
    one.close();
    expect(() => other.appendMessage(userMessage("second"))).toThrow(
      expect.objectContaining({ code: "SESSION_CHANGED" }),
    );
    expect(linesIn(path)).toHaveLength(2);
  });

  it("a new message is in the file when its process is killed at once", async () => {
    const at = world();
    const path = `${at.root}/new.jsonl`;
    const writer = new Writer(path);
    await writer.says();
    writer.tell("append hello");
    await writer.says();
    await writer.end("SIGKILL");
    expect(linesIn(path).map((line) => JSON.parse(line).type)).toEqual(["session", "message"]);
  });
});

describe("a lock", () => {
  const lostBy: readonly [string, (path: string) => void][] = [
    ["owner record is gone", (path) => unlinkSync(`${path}.owner`)],
    [
      "owner record names another",
      (path) => {
        const owner = { ...JSON.parse(textOf(`${path}.owner`)), id: "other", pid: 7 };
        writeFileSync(`${path}.owner`, JSON.stringify(owner));
      },
    ],
  ];

  it.each(lostBy)(
    "whose %s is lost: the next append raises, and nothing is written",
    async (_, lose) => {
      const path = world().file("a.jsonl", LINES);
      const session = await openSession(path);
      lose(path);
      for (let i = 0; i < 2; i++) {
        expect(() => session.appendMessage(userMessage("lost"))).toThrow(
          expect.objectContaining({ code: "SESSION_LOCKED" }),
        );
      }
      expect(session.isReadOnly()).toBe(true);
      expect(linesIn(path)).toEqual(LINES);
      session.createBranchedSession("u1");
      session.close();
      expect(existsSync(`${path}.lock`)).toBe(true);
    },
  );

  it("of the same file by another path is the same lock", async () => {
    const at = world();
    const path = at.file("real/a.jsonl", LINES);
    const { symlinkSync } = await import("node:fs");
    symlinkSync(`${at.root}/real`, `${at.root}/link`);
    const session = await openSession(path);
    await expect(openSession(`${at.root}/link/a.jsonl`)).rejects.toMatchObject({
      code: "SESSION_LOCKED",
    });
    session.close();
  });

  const leftBehind: readonly [string, object | string | undefined, number, boolean][] = [
    ["without owner, fresh", undefined, 0, false],
    ["without owner, old", undefined, 31, true],
    ["with a broken owner, fresh", "{", 0, false],
    ["with a broken owner, old", "{", 31, true],
    ["of another host, fresh", { host: "elsewhere" }, 0, false],
    ["of another host, old", { host: "elsewhere" }, 31, true],
    ["of another space of processes, fresh", { space: "pid:[1]" }, 0, false],
    ["of another boot", { bootId: "before" }, 0, true],
    ["of a process id that was given to another process", { start: "1" }, 0, true],
    ["of a live process, old", {}, 3600, false],
  ];

  it.each(leftBehind)(
    "%s: %j, refreshed %i s ago, is taken over: %s",
    (_, change, seconds, isTaken) => {
      const path = world().file("a.jsonl", LINES);
      const now = Date.now();
      const owner = {
        id: "old",
        pid: process.pid,
        start: processState(process.pid).start,
        ...hostIdentity(now),
        time: now,
      };
      mkdirSync(`${path}.lock`);
      const refreshed = new Date(now - 1000 * seconds);
      utimesSync(`${path}.lock`, refreshed, refreshed);
      const text = typeof change === "string" ? change : JSON.stringify({ ...owner, ...change });
      if (change !== undefined) writeFileSync(`${path}.owner`, text);
      const take = () => acquireLock(path, nodeEnvironment);
      if (isTaken) {
        const lock = take();
        lock.check();
        lock.release();
        expect(leftovers(path)).toEqual([]);
      } else expect(take).toThrow(expect.objectContaining({ code: "SESSION_LOCKED" }));
    },
  );

  it("tells of `coppice doctor --unlock` only where its owner cannot be checked", () => {
    const path = world().file("a.jsonl", LINES);
    mkdirSync(`${path}.lock`);
    expect(() => acquireLock(path, nodeEnvironment)).toThrow(/doctor --unlock/);
    rmdirSync(`${path}.lock`);
    const lock = acquireLock(path, nodeEnvironment);
    expect(() => acquireLock(path, nodeEnvironment)).not.toThrow(/doctor --unlock/);
    lock.release();
  });

  it("is free if only a record of a process that is gone is left", () => {
    const path = world().file("a.jsonl", LINES);
    writeFileSync(
      `${path}.owner`,
      JSON.stringify({ id: "old", pid: 1, host: "elsewhere", boot: 1, time: 1 }),
    );
    const lock = acquireLock(path, nodeEnvironment);
    lock.check();
    lock.release();
    expect(leftovers(path)).toEqual([]);
  });

  it("being taken over by a process that died in the act can be taken over after a while", () => {
    const path = world().file("a.jsonl", LINES);
    const gone = { id: "gone", pid: process.pid, start: "1", ...hostIdentity(Date.now()), time: 1 };
    mkdirSync(`${path}.lock`);
    writeFileSync(`${path}.owner`, JSON.stringify(gone));
    mkdirSync(`${path}.gone.claim`);
    expect(() => acquireLock(path, nodeEnvironment)).toThrow(
      expect.objectContaining({ code: "SESSION_LOCKED" }),
    );
    const old = new Date(Date.now() - 60_000);
    utimesSync(`${path}.gone.claim`, old, old);
    acquireLock(path, nodeEnvironment).release();
    expect(leftovers(path)).toEqual([]);
  });

  it("is not given up by one that has lost it", () => {
    const path = world().file("a.jsonl", LINES);
    const lock = acquireLock(path, nodeEnvironment);
    writeFileSync(`${path}.owner`, textOf(`${path}.owner`).replace(/"id":"[^"]*"/, '"id":"other"'));
    lock.release();
    lock.release();
    expect(statSync(`${path}.lock`).isDirectory()).toBe(true);
    expect(() => lock.check()).toThrow(expect.objectContaining({ code: "SESSION_LOCKED" }));
  });
});

describe("staleness", () => {
  const here = { host: "h", boot: 1_000_000 };
  const owner: Owner = { id: "x", pid: 7, start: "s", ...here, time: 2_000_000 };
  const age = { refreshed: 0, now: 10_000_000 };
  const alive = (start?: string) => () => ({ isAlive: true, start });

  it("of an owner on this host is decided by its process alone", () => {
    expect(isStale(owner, here, alive("s"), age)).toBe(false);
    expect(isStale(owner, here, alive("t"), age)).toBe(true);
    expect(isStale(owner, here, alive(undefined), age)).toBe(false);
    expect(isStale({ ...owner, start: undefined }, here, alive("t"), age)).toBe(false);
    expect(isStale(owner, here, () => ({ isAlive: false }), age)).toBe(true);
  });

  it("holds for a record from before the boot", () => {
    expect(isStale({ ...owner, time: 900_000 }, here, alive("s"), age)).toBe(true);
    expect(isStale({ ...owner, time: 990_000 }, here, alive("s"), age)).toBe(false);
    const named = { ...owner, time: 1, bootId: "b" };
    expect(isStale(named, { ...here, bootId: "b" }, alive("s"), age)).toBe(false);
    expect(isStale(named, { ...here, bootId: "c" }, alive("s"), age)).toBe(true);
  });

  it("is judged from whole records only", () => {
    expect(parseOwner(JSON.stringify(owner))).toEqual(owner);
    for (const broken of [
      undefined,
      "",
      "{",
      "[]",
      '{"id":"x"}',
      JSON.stringify({ ...owner, id: "../x" }),
    ]) {
      expect(parseOwner(broken)).toBeUndefined();
    }
  });

  it("knows the processes of this machine", () => {
    const own = processState(process.pid);
    expect(own.isAlive).toBe(true);
    expect(processState(process.pid)).toEqual(own);
    expect(processState(2 ** 30).isAlive).toBe(false);
    expect(hostIdentity(Date.now())).toMatchObject({
      host: expect.any(String),
      boot: expect.any(Number),
    });
  });
});
