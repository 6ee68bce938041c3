import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type World, world } from "./world.ts";

/** Runs a verb that must succeed without a word on stderr, and change nothing. */
async function read(there: World, ...args: readonly string[]): Promise<string> {
  const before = there.hashes();
  const { code, stdout, stderr } = await there.coppice(...args);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(there.hashes()).toEqual(before);
  return stdout;
}

describe("coppice context", () => {
  test("--json is the context at the leaf, with the text of every message", async () => {
    const there = world();
    const file = there.copyOf("context-two-compactions");
    const context = JSON.parse(await read(there, "context", file, "--json"));
    expect(Object.keys(context)).toEqual([
      "leafId",
      "messages",
      "thinkingLevel",
      "model",
      "mode",
      "modeData",
      "injectedTtsrRules",
    ]);
    expect(context).toMatchObject({
      leafId: "u9",
      thinkingLevel: "off",
      model: { provider: "acme", modelId: "m1" },
      mode: "none",
      modeData: null,
      injectedTtsrRules: [],
    });
    const [summary, user, assistant] = context.messages;
    expect(context.messages).toHaveLength(9);
    expect(summary).toMatchObject({ role: "compactionSummary", text: "sum one" });
    expect(user).toMatchObject({ role: "user", text: "q2" });
    expect(assistant).toMatchObject({ role: "assistant", text: "r2", stopReason: "stop" });
  });

  test("--leaf asks at another leaf", async () => {
    const there = world();
    const file = there.copyOf("context-two-compactions");
    const context = JSON.parse(await read(there, "context", file, "--leaf", "c1", "--json"));
    expect(context.leafId).toBe("c1");
    expect(context.messages.map(({ text }: { text: string }) => text)).toEqual([
      "sum one",
      "q2",
      "r2",
    ]);
  });

  test("--request is what the model would be sent: converted and repaired", async () => {
    const there = world();
    const file = there.copyOf("context-tool-calls");
    const args = ["context", file, "--leaf", "r1", "--request", "--json"];
    const request = JSON.parse(await read(there, ...args));
    expect(Object.keys(request)).toEqual(["leafId", "model", "systemPrompt", "messages"]);
    expect(request.systemPrompt).not.toBe("");
    expect(request.messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "toolResult", toolCallId: "k1", isError: false },
      { role: "toolResult", toolCallId: "k2", isError: true },
    ]);
  });

  test("without --json it is text, with the state at the end", async () => {
    const there = world();
    const text = await read(there, "context", there.copyOf("context-two-compactions"));
    expect(text).toMatch(/^compactionSummary:\n {2}sum one\n\nuser:\n {2}q2\n/);
    expect(text).toMatch(/leaf: u9\nmodel: acme\/m1\nthinking: off\nmode: none\n$/);
  });

  test("hostile text is cleaned in text and escaped in JSON", async () => {
    const there = world();
    const file = join(there.project, "hostile.jsonl");
    const text = "\x1b]0;gotcha\x07\x1b[2Jred\u202e\r\nnext";
    const header = { type: "session", version: 3, id: "x", timestamp: "2026-03-01T09:00:00.000Z" };
    const message = { role: "user\x1b[31m", content: text, timestamp: 0 };
    const entry = { type: "message", id: "a1", parentId: null, timestamp: "", message };
    writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
    const plain = await read(there, "context", file);
    expect(plain).toContain("  red\n  next\n");
    const json = await read(there, "context", file, "--json");
    expect(JSON.parse(json).messages[0].text).toBe(text);
    const tree = await read(there, "tree", file, "--json");
    for (const form of [plain, json, tree]) {
      expect(form).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }
  });
});

describe("coppice tree", () => {
  test("prints the rows of the classic layout", async () => {
    const there = world();
    const rows = await read(there, "tree", there.copyOf("select-tree-h"));
    expect(rows).toBe(
      "  • user: go\n  • assistant: ok\n› ├─ • user: right\n  └─ user: left\n  (3/4)\n",
    );
  });

  test("--json is the documented contract", async () => {
    const there = world();
    const file = there.copyOf("format-3-example");
    const tree = JSON.parse(await read(there, "tree", file, "--json"));
    expect(Object.keys(tree)).toEqual([
      "session",
      "leafId",
      "entryCount",
      "roots",
      "labels",
      "diagnostics",
      "nodes",
    ]);
    expect(tree.session).toEqual({
      id: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
      version: 3,
      cwd: "/home/ann/app",
      name: null,
      file,
      readOnly: false,
    });
    expect(tree).toMatchObject({
      leafId: "1a2b3c03",
      entryCount: 4,
      roots: ["1a2b3c01"],
      labels: [{ id: "1a2b3c02", text: "start", timestamp: "2026-03-01T09:01:00.000Z" }],
      diagnostics: [],
    });
    expect(tree.nodes).toEqual([
      {
        id: "1a2b3c02",
        parentId: "1a2b3c01",
        type: "message",
        role: "user",
        text: "user: Hello",
        label: "start",
        depth: 0,
        active: true,
      },
      expect.objectContaining({ id: "1a2b3c03", role: "assistant", depth: 1, active: true }),
    ]);
  });

  test("the version is that of the file, which stays as it is", async () => {
    const there = world();
    const file = there.copyOf("real-v1");
    const tree = JSON.parse(await read(there, "tree", file, "--json", "--filter", "all"));
    expect(tree.session.version).toBe(1);
    expect(tree.entryCount).toBe(1018);
    expect(tree.nodes.length).toBeGreaterThan(800);
  });

  test("readOnly tells a file that could not be written", async () => {
    const there = world();
    const run = await there.coppice("tree", there.copyOf("open-version-99"), "--json");
    expect(JSON.parse(run.stdout).session).toMatchObject({ version: 99, readOnly: true });
    expect(run.stderr).toMatch(/^note: VERSION_NEWER: /);
  });

  test("a mode that is not there names those that are", async () => {
    const there = world();
    const run = await there.coppice("tree", there.copyOf("select-tree-t"), "--filter", "mine");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^INVALID_ARGUMENT: --filter mine: [^\n]*user-only[^\n]*\n$/);
  });

  test("a damaged session is printed, and one line of stderr says so", async () => {
    const there = world();
    const run = await there.coppice("tree", there.copyOf("damage-glued"), "--json");
    expect(JSON.parse(run.stdout).diagnostics).toMatchObject([{ code: "GLUED_RECORDS", line: 3 }]);
    expect(run.stderr).toMatch(/^note: GLUED_RECORDS: [^\n]*\n$/);
    expect(run.code).toBe(0);
  });

  test("a trusted extension of the run gives a mode of its own", async () => {
    const there = world();
    mkdirSync(join(there.project, "mine"));
    writeFileSync(
      join(there.project, "mine", "index.ts"),
      `export default (api) => api.contribute("tree.filter", {
        id: "mine", title: "Mine", tag: "mine",
        predicate: (rows) => rows.map((row) => row.role === "assistant"),
      });`,
    );
    const file = there.copyOf("select-tree-h");
    const rows = await read(there, "tree", file, "--filter", "mine", "-e", "mine", "--trust");
    expect(rows).toBe("› • assistant: ok\n  (1/1) [mine]\n");
  });

  test("without its extension the verb says that it is switched off", async () => {
    const there = world({ COPPICE_EXTENSIONS_DISABLED: "tree-selector" });
    const run = await there.coppice("tree", there.copyOf("select-tree-t"));
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^VERB_DISABLED: coppice tree [^\n]*tree-selector[^\n]*\n$/);
    expect((await there.coppice("context", there.copyOf("select-tree-t"))).code).toBe(0);
  });
});

describe("help and version", () => {
  test("--version is that of the package", async () => {
    const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
    for (const flag of ["--version", "-V"]) {
      expect(await read(world(), flag)).toBe(`${manifest.version}\n`);
    }
    expect(await read(world(), "tree", "--version")).toBe(`${manifest.version}\n`);
  });

  test("--help shows options, verbs and examples", async () => {
    const help = await read(world(), "--help");
    for (const part of [
      "--print <prompt>",
      "--no-color",
      "Verbs:",
      "tree ",
      "context ",
      "Examples:",
    ]) {
      expect(help).toContain(part);
    }
  });

  test.each([
    ["tree", "--filter <mode>"],
    ["context", "--leaf <entry>"],
  ])("%s --help shows its own", async (verb, option) => {
    const help = await read(world(), verb, "--help");
    expect(help).toMatch(new RegExp(`^Usage: coppice ${verb} `));
    expect(help).toContain(option);
    expect(help).toContain(`coppice ${verb} 0199a1b2`);
  });
});

describe("streams", () => {
  test("a reader that goes away is no failure", async () => {
    const there = world();
    const run = there.start(["tree", there.copyOf("real-v1"), "--json", "--filter", "all"]);
    run.hangUp();
    expect(await run.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("no colour is ever written to a pipe", async () => {
    const there = world({ FORCE_COLOR: "1", NO_COLOR: "" });
    const file = there.copyOf("select-tree-t");
    for (const args of [["tree", file], ["context", file], ["--help"], ["-p", "hello"]]) {
      expect((await there.coppice(...args)).stdout).not.toContain("\x1b");
    }
  });
});
