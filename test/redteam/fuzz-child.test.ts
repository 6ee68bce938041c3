import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../host/sandbox/clock.ts";
import { type Death, HostProcess } from "../../host/sandbox/host-process.ts";
import { limitsOf } from "../../host/sandbox/limits.ts";
import { isTimed } from "./world.ts";

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`fuzz-child seed ${seed}`);

/** Milliseconds until such a child is gone. */
const KILLED = 2000;

const PROGRAM = `
const { writeSync } = require("node:fs");
let state = Number(process.argv[3]) >>> 0;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
const frame = (header, length, headerLength) => {
  const head = Buffer.from(header);
  const bytes = Buffer.alloc(8 + head.length);
  bytes.writeUInt32LE(length ?? 4 + head.length, 0);
  bytes.writeUInt32LE(headerLength ?? head.length, 4);
  head.copy(bytes, 8);
  return bytes;
};
const send = (bytes) => {
  for (let at = 0; at < bytes.length; ) {
    try { at += writeSync(3, bytes, at); } catch (error) { if (error.code !== "EAGAIN") throw error; }
  }
};
const ready = '{"t":"ready","engine":"x","node":"x","jit":false,"walled":false,"open":""}';
const forms = {
  random: () => Buffer.from(Array.from({ length: 4096 }, () => random() >>> 24)),
  lengths: () => frame("{}", 0xffffffff, 0xffffffff),
  headers: () => frame("{}", 6, 1000),
  json: () => frame('{"t":"post",'),
  depth: () => frame("[".repeat(60000)),
  types: () => frame('{"t":"post","g":"one","kind":{},"a":[]}'),
  unknown: () => frame('{"t":"__proto__","g":1}'),
  nothing: () => frame("null"),
  infinite: () => frame('{"t":"pong","n":1e999,"rss":1,"guests":[]}'),
  flood: () => frame('{"t":"post","g":' + (random() % 9) + ',"kind":"log","a":"x"}'),
  pongs: () => frame('{"t":"pong","n":' + random() + ',"rss":1,"guests":[]}'),
  silence: () => Buffer.alloc(0),
};
send(frame(ready));
const form = forms[process.argv[2]];
const more = () => { for (let i = 0; i < 100; i++) send(form()); setImmediate(more); };
more();
`;

const FORMS = ["random", "lengths", "headers", "json", "depth", "types", "unknown", "nothing"];
const LASTING = ["infinite", "flood", "pongs", "silence"];

it.each([...FORMS, ...LASTING])(
  "a child that sends %s is ended, and nothing else is",
  async (form) => {
    const folder = mkdtempSync(join(tmpdir(), "coppice-child-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const script = join(folder, "child.cjs");
    writeFileSync(script, PROGRAM);
    const before = Reflect.ownKeys(Object.prototype).length;
    const start = performance.now();
    const death = await new Promise<Death>((died) => {
      const host = new HostProcess({
        plan: {
          command: process.execPath,
          args: [script, form, String(seed)],
          engine: { module: "", manifest: "", version: "" },
          walled: false,
          isDirect: true,
        },
        limits: { ...limitsOf(() => undefined, 2 ** 33), silenceMs: 1000 },
        clock: systemClock,
        events: { frame: () => undefined, died },
      });
      onTestFinished(() => host.kill(undefined, "the test ends"));
      host.hold();
    });
    expect(death.kind).toBe(
      FORMS.includes(form) || form === "infinite" ? "protocol" : "unresponsive",
    );
    expect(Reflect.ownKeys(Object.prototype)).toHaveLength(before);
    if (isTimed) expect(performance.now() - start).toBeLessThan(KILLED);
  },
);
