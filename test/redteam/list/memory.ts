import type { Attack } from "../attack.ts";

const grown = ["oom", "timeout", "stuck", "wedged", "catastrophic", "rss"];

/** R34–R39: memory. */
export const MEMORY: readonly Attack[] = [
  {
    id: "R34",
    title: "objects pushed for ever",
    command: "const a = []; for (;;) a.push({ a: [a.length] });",
    fault: ["oom", "timeout"],
    limits: { sliceMs: 5000 },
  },
  {
    id: "R35",
    open: "fails, and why is not known yet",
    title: "a Map grown until the engine fails",
    command: "const m = new Map(); for (let i = 0; ; i++) m.set(i, i);",
    limits: { sliceMs: 5000 },
    fault: grown,
  },
  {
    id: "R36",
    title: "resizable buffers outside the accounting",
    command: `
    const out = [typeof ArrayBuffer.prototype.resize, typeof ArrayBuffer.prototype.transfer];
    try { const b = new ArrayBuffer(1, { maxByteLength: 1e9 }); out.push(b.resizable === true && b.maxByteLength); } catch (error) { out.push("refused"); }
    return out;`,
    says: /\["undefined","undefined",("refused"|false|null)?/,
  },
  {
    id: "R37",
    title: "array buffers until nothing is left",
    command: `const a = []; try { for (;;) a.push(new ArrayBuffer(8e6)); } catch (error) { return error.name; }`,
    says: /= \w*Error/,
    fault: grown,
  },
  {
    id: "R38",
    title: "WebAssembly memory",
    command: "return typeof WebAssembly;",
    says: /= undefined/,
  },
  {
    id: "R39",
    open: "fails, and why is not known yet",
    title: "Intl objects kept, a little per turn",
    command: `globalThis.kept = []; const more = () => { for (let i = 0; i < 200; i++) kept.push(new Intl.NumberFormat("en", { minimumFractionDigits: i % 20 })); setTimeout(more, 10); }; more(); return "begun";`,
    limits: { hostMemoryMb: 250 },
    fault: ["rss", "oom", "catastrophic"],
    drive: (arena) => arena.command("/attack"),
  },
];
