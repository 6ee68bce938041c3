import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scanPackage } from "../../host/packages/scan.ts";
import { folder, write } from "./world.ts";

async function permissionsOf(text: string): Promise<readonly string[]> {
  const root = write(folder(), { "index.ts": text });
  return (await scanPackage(root, ["index.ts"])).permissions;
}

const FACTORY = (body: string) =>
  `import type { ExtensionAPI } from "coppice"; export default function (pi: ExtensionAPI) { ${body} }`;

describe("members of the API", () => {
  test.each([
    [
      `pi.registerCommand("x", { handler: async (_a, ctx) => { await ctx.newSession(); } })`,
      ["commands", "session:branch"],
    ],
    [`pi.registerTool({ name: "t" })`, ["tools:register"]],
    [`pi.on("session_start", (_e, ctx) => ctx.sessionManager.getBranch())`, ["session:read"]],
    [`pi.appendEntry("a", 1); pi.setLabel("id", "l")`, ["session:append", "session:label"]],
    [
      `pi.on("session_start", async (_e, ctx) => { ctx.ui.notify("x"); await ctx.ui.custom(f) })`,
      ["ui", "ui:render"],
    ],
    [
      `pi.on("agent_end", (_e, { navigateTree }) => navigateTree("x"))`,
      ["session:navigate", "session:read"],
    ],
    [`pi.sendUserMessage("hi"); pi.setModel(m)`, ["agent:prompt", "model:select"]],
    [`const { ui } = context; ui.select("t", [])`, ["ui"]],
    [`pi.events.emit("x", 1)`, ["bus"]],
    [
      `const key = await ctx.modelRegistry.getApiKey(m); const t = ctx.modelRegistry.authStorage`,
      ["model:complete", "model:credentials"],
    ],
  ])("%s", async (body, expected) => {
    expect(await permissionsOf(FACTORY(body))).toEqual(expected);
  });

  test("the API has whatever name the factory gives it", async () => {
    expect(
      await permissionsOf(`export default (host) => { host.registerCommand("a", b) }`),
    ).toEqual(["commands"]);
  });

  test("common names of other objects say nothing", async () => {
    const text = `export default () => { list.select(1); repo.branch("x"); /a/.exec("git"); map.complete(); socket.sendMessage(1) }`;
    expect(await permissionsOf(text)).toEqual([]);
  });
});

describe("events", () => {
  test.each([
    [`pi.on("tool_call", async () => ({ block: true, reason: "no" }))`, ["tools:block"]],
    [
      `pi.on("tool_call", async (event) => { if (event.input.command) return { block: true } })`,
      ["tools:block", "tools:input"],
    ],
    [
      `pi.on("tool_call", (event) => { event.input.command = "ls" })`,
      ["tools:block", "tools:input", "tools:mutate"],
    ],
    [`pi.on("session_before_tree", () => ({ cancel: true }))`, ["session:gate", "session:read"]],
    [
      `pi.on("session_before_tree", () => ({ summary: { summary: "s" } }))`,
      ["session:read", "session:summarize"],
    ],
    [`pi.on("session_before_fork", () => ({ cancel: true }))`, ["session:gate"]],
    [
      `pi.on("context", (event) => ({ messages: event.messages.slice(1) }))`,
      ["agent:context", "session:read"],
    ],
    [`pi.on("turn_start", tick)`, []],
    [`const h = () => ({ block: true }); pi.on("tool_call", h)`, ["tools:block"]],
  ])("%s", async (body, expected) => {
    expect(await permissionsOf(FACTORY(body))).toEqual(expected);
  });
});

describe("Node", () => {
  test.each([
    [`pi.exec("git", ["status"])`, ["exec:git"]],
    [`pi.exec(program, [])`, ["exec"]],
    [`import { execFile } from "node:child_process"; execFile("head", [])`, ["exec:head"]],
    [
      `import { execFile } from "child_process"; import { promisify } from "util"; const run = promisify(execFile); await run("git")`,
      ["exec:git"],
    ],
    [
      `import * as cp from "node:child_process"; cp.spawn(x); cp.execSync("ls")`,
      ["exec", "exec:sh"],
    ],
    [`import { spawn } from "node:child_process"; spawn("ls", { shell: true })`, ["exec:sh"]],
    [`const { exec } = require("child_process"); const p = promisify(exec)`, ["exec:sh"]],
    [
      `import { readFileSync } from "node:fs"; readFileSync("/etc/hosts"); readFileSync(x)`,
      ["fs:read", "fs:read:/etc/hosts"],
    ],
    [
      `import fs from "fs"; fs.promises.writeFile("./out/a.md", t); fs.existsSync("../up")`,
      ["fs:read", "fs:write:$CWD/out/a.md"],
    ],
    [`import * as fs from "node:fs/promises"; fs.rm(p)`, ["fs:write"]],
    [`const fs = await import("node:fs"); fs.writeFileSync(p, t)`, ["fs:write"]],
    [`fetch(\`https://API.example.com:8443/v1/\${id}\`)`, ["net:api.example.com:8443"]],
    [
      `const BASE = "https://a.example.com"; fetch(BASE + "/x"); fetch(\`\${BASE}/y\`)`,
      ["net:a.example.com"],
    ],
    [`fetch(\`https://api.\${host}/x\`); fetch(\`https://a.com\${rest}\`)`, ["net"]],
    [`fetch(new URL("/x", "https://b.example.com/"))`, ["net:b.example.com"]],
    [`const s = new WebSocket("wss://ws.example.com/")`, ["net:ws.example.com"]],
    [
      `import https from "node:https"; https.get("https://c.example.com/")`,
      ["net", "net:c.example.com"],
    ],
    [
      `const k = process.env.NOTES_TOKEN; const { HOME, OTHER } = process.env`,
      ["env:HOME", "env:NOTES_TOKEN", "env:OTHER"],
    ],
    [`const k = (process.env as any).FOO; spawn2({ env: { ...process.env } })`, ["env", "env:FOO"]],
    [`const v = process.env[name]`, ["env"]],
    [
      `import { SessionManager } from "@mariozechner/pi-coding-agent"; SessionManager.list(cwd); SessionManager.inMemory()`,
      ["session:list"],
    ],
    [`import { complete } from "@earendil-works/pi-ai"; complete(m, c)`, ["model:complete"]],
    [
      `import { createBashTool } from "@mariozechner/pi-coding-agent"; tools.push(createBashTool(cwd))`,
      ["exec:sh"],
    ],
  ])("%s", async (text, expected) => {
    expect(await permissionsOf(text)).toEqual(expected);
  });
});

test("own files are followed, those of dependencies and outside are not", async () => {
  const root = folder();
  write(root, {
    "outside.ts": `fetch("https://outside.example.com/")`,
    "p/src/index.ts": `import "./a.js"; import b from "./b"; import "dep"; import "../../outside.ts"; export * from "./c/index.js";`,
    "p/src/a.ts": `import "./index.ts"; fetch("https://a.example.com/")`,
    "p/src/b/index.ts": `fetch("https://b.example.com/")`,
    "p/src/c/index.mjs": `fetch("https://never.example.com/")`,
    "p/src/c/index.ts": `fetch("https://c.example.com/")`,
    "p/src/unused.ts": `fetch("https://unused.example.com/")`,
    "p/node_modules/dep/index.js": `fetch("https://dep.example.com/")`,
  });
  const scan = await scanPackage(join(root, "p"), ["src/index.ts"]);
  expect(scan.permissions).toEqual(["net:a.example.com", "net:b.example.com", "net:c.example.com"]);
  expect(scan.imports.get("src/index.ts")?.map(({ source }) => source)).toEqual(["dep"]);
});

test("a file that is no program is named, and the others are read", async () => {
  const root = write(folder(), {
    "index.ts": `import "./broken.ts"; fetch("https://a.example.com/")`,
    "broken.ts": "const = ;\n%%%",
  });
  const { permissions, problems } = await scanPackage(root, ["index.ts"]);
  expect(permissions).toEqual(["net:a.example.com"]);
  expect(problems.join()).toMatch(/^broken\.ts: /);
});

test("all that TypeScript can write is read; type-only imports are known as such", async () => {
  const root = folder();
  const text = `
    import type { A } from "@oh-my-pi/pi-coding-agent";
    import { type B, C } from "@mariozechner/pi-ai";
    enum E { a } namespace N { export const x = 1 }
    @dec class K { constructor(private readonly a: A, public b = <B>{}) {} #x = 1; static { } }
    import cp = require("child_process");
    cp.spawn("ls");
    export default async function* g() { using x = y; yield* (await import("./late")).default satisfies C }
  `;
  writeFileSync(join(root, "index.ts"), text);
  const { imports, permissions, problems } = await scanPackage(root, ["index.ts"]);
  expect(problems).toEqual([]);
  expect(permissions).toEqual(["exec:ls"]);
  expect(imports.get("index.ts")).toMatchObject([
    { source: "@oh-my-pi/pi-coding-agent", isType: true },
    { source: "@mariozechner/pi-ai", isType: false },
    { source: "child_process", isType: false },
  ]);
});
