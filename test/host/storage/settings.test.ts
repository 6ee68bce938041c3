import { existsSync, lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonProblem } from "../../../host/storage/json-position.ts";
import { loadSettings, type SettingsOptions } from "../../../host/storage/settings.ts";
import { SETTINGS, variableOf } from "../../../host/storage/settings-table.ts";
import { diskWith, json, textOf, type World, world } from "./world.ts";

const USER = ".coppice/settings.json";

function load(at: World, more: Partial<SettingsOptions> & { set?: Record<string, string> } = {}) {
  const { set, ...options } = more;
  return loadSettings({ cwd: at.project, variables: { ...at.variables, ...set }, ...options });
}

describe("a setting", () => {
  it("comes from flag, environment, trusted project, user, default, in this order", async () => {
    const at = world();
    const key = "branchSummary.prompt";
    const sources = async (options: Parameters<typeof load>[1]) => {
      const settings = await load(at, options);
      return [settings.get(key), settings.source(key)];
    };
    expect(await sources({})).toEqual(["ask", "default"]);
    at.file(USER, json({ [key]: "never" }));
    expect(await sources({})).toEqual(["never", "user"]);
    at.file("work/app/.coppice/settings.json", json({ [key]: "always" }));
    expect(await sources({})).toEqual(["never", "user"]);
    expect(await sources({ isTrusted: true })).toEqual(["always", "project"]);
    const set = { COPPICE_BRANCH_SUMMARY_PROMPT: "ask" };
    expect(await sources({ isTrusted: true, set })).toEqual(["ask", "environment"]);
    expect(await sources({ set, flags: { [key]: "never" } })).toEqual(["never", "flag"]);
  });

  it("may stand as a dotted key or as an object in an object", async () => {
    const at = world();
    at.file(
      USER,
      json({ tree: { layout: "trunk" }, extensions: ["./x"], "extensions.disabled": ["labels"] }),
    );
    const settings = await load(at);
    expect(settings.get("tree.layout")).toBe("trunk");
    expect(settings.get("extensions")).toEqual(["./x"]);
    expect(settings.get("extensions.disabled")).toEqual(["labels"]);
    expect(settings.warnings).toEqual([]);
  });

  it("with a value it cannot have counts as the default, with a warning that names place and choice", async () => {
    const at = world();
    at.file(USER, json({ doubleEscapeAction: "jump", durability: 7 }));
    const settings = await load(at, { set: { COPPICE_UI_REDUCED_MOTION: "maybe" } });
    expect(settings.get("doubleEscapeAction")).toBe("tree");
    expect(settings.get("doubleEscapeAction")).toBe("tree");
    expect(settings.get("durability")).toBe("turn");
    expect(settings.get("ui.reducedMotion")).toBe(false);
    expect(settings.warnings).toHaveLength(3);
    expect(settings.warnings[0]).toContain(join(at.root, USER));
    expect(settings.warnings[0]).toContain('"branch"');
  });

  it("that is not ours is given as it stands, and has no default", async () => {
    const at = world();
    at.file(USER, json({ "acme.color": { a: 1 } }));
    const settings = await load(at);
    expect(settings.get("acme.color")).toEqual({ a: 1 });
    expect(settings.get("acme.size")).toBeUndefined();
    expect(settings.get("toString")).toBeUndefined();
  });

  it("of a project never reaches what only the user decides", async () => {
    const at = world();
    at.file(
      "work/app/.coppice/settings.json",
      json({
        "extensions.prefer": { a: "b" },
        "sandbox.enabled": false,
        "extensions.disabled": ["x"],
      }),
    );
    const settings = await load(at, { isTrusted: true });
    expect(settings.get("extensions.prefer")).toEqual({});
    expect(settings.get("sandbox.enabled")).toBeUndefined();
    expect(settings.get("extensions.disabled")).toEqual(["x"]);
  });

  it.each([
    ["limits.maxLineBytes", "COPPICE_LIMITS_MAX_LINE_BYTES", "4096", 4096],
    ["extensions.disabled", "COPPICE_EXTENSIONS_DISABLED", "a, b", ["a", "b"]],
    ["extensions.disabled", "COPPICE_EXTENSIONS_DISABLED", '["a"]', ["a"]],
    ["keys", "COPPICE_KEYS", '{"x":["y"]}', { x: ["y"] }],
    ["ui.reducedMotion", "COPPICE_UI_REDUCED_MOTION", "1", true],
    ["compaction.enabled", "COPPICE_COMPACTION_ENABLED", "False", false],
    ["treeFilterMode", "COPPICE_TREE_FILTER_MODE", "mine", "mine"],
    ["model", "COPPICE_MODEL", "acme/m1", "acme/m1"],
    ["keys", "COPPICE_KEYS", "{", {}],
    ["limits.maxLineBytes", "COPPICE_LIMITS_MAX_LINE_BYTES", "lots", 64 * 1024 * 1024],
    ["model", "COPPICE_MODEL", "", undefined],
  ])("%s is set for one run by %s=%s", async (key, name, text, value) => {
    expect(variableOf(key)).toBe(name);
    expect((await load(world(), { set: { [name]: text } })).get(key)).toEqual(value);
  });

  it("has a default of its own kind, or none", () => {
    for (const [key, row] of Object.entries(SETTINGS)) {
      if (row.default !== undefined) expect(row.kind.accepts(row.default), key).toBe(true);
      expect(row.kind.words).not.toBe("");
    }
  });
});

describe("a settings file", () => {
  it("that is broken is told with line and column, counts as empty, and is never written", async () => {
    const at = world();
    const text = '{\n  "model": "x",\n  "keys": {]\n}';
    const path = at.file(USER, text);
    const settings = await load(at);
    expect(settings.problems).toMatchObject([
      { code: "SETTINGS_INVALID", details: { path, line: 3, column: 12 } },
    ]);
    expect(settings.problems[0]?.message).toContain(`${path} line 3 column 12`);
    expect(settings.get("model")).toBeUndefined();
    expect(() => settings.set("model", "y")).toThrow(
      expect.objectContaining({ code: "SETTINGS_INVALID" }),
    );
    expect(textOf(path)).toBe(text);
  });

  it.each(["[]", "7", "null"])("that is %s is no settings file", async (text) => {
    const at = world();
    at.file(USER, text);
    expect((await load(at)).problems).toMatchObject([{ code: "SETTINGS_INVALID" }]);
  });

  it("may be empty, begin with a byte-order mark, or be missing", async () => {
    const at = world();
    expect((await load(at)).problems).toEqual([]);
    at.file(USER, " \n");
    expect((await load(at)).problems).toEqual([]);
    at.file(USER, `\ufeff${json({ model: "m" })}`);
    expect((await load(at)).get("model")).toBe("m");
  });

  it("that is a folder cannot be read", async () => {
    const at = world();
    mkdirSync(join(at.root, USER), { recursive: true });
    expect((await load(at)).problems[0]?.message).toContain("EISDIR");
  });

  it("is changed one setting at a time, the rest staying", async () => {
    const at = world();
    const settings = await load(at);
    settings.set("model", "acme/m1");
    const path = join(at.root, USER);
    expect(textOf(path)).toBe('{\n  "model": "acme/m1"\n}\n');
    expect(settings.get("model")).toBe("acme/m1");
    at.file(USER, json({ tree: { layout: "classic", other: 1 }, unknown: [1] }));
    settings.set("tree.layout", "trunk");
    settings.set("doubleEscapeAction", "none");
    expect(JSON.parse(textOf(path))).toEqual({
      tree: { layout: "trunk", other: 1 },
      unknown: [1],
      doubleEscapeAction: "none",
    });
    settings.set("doubleEscapeAction", undefined);
    settings.set("tree.layout", undefined);
    expect(JSON.parse(textOf(path))).toEqual({ tree: { other: 1 }, unknown: [1] });
    expect((await load(at)).get("tree.layout")).toBe("classic");
  });

  it("takes no value of the wrong kind", async () => {
    const at = world();
    const settings = await load(at);
    expect(() => settings.set("durability", "often")).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining('"entry"'),
      }),
    );
    expect(existsSync(join(at.root, USER))).toBe(false);
  });

  it("stays whole when writing fails, and a linked one stays linked", async () => {
    const at = world();
    const real = at.file("dotfiles/settings.json", json({ model: "m" }));
    mkdirSync(join(at.root, ".coppice"));
    symlinkSync(real, join(at.root, USER));
    const broken = diskWith({
      rename: () => {
        throw Object.assign(new Error("no"), { code: "EACCES", syscall: "rename" });
      },
    });
    const failing = await load(at, { disk: broken });
    expect(() => failing.set("model", "x")).toThrow(
      expect.objectContaining({
        code: "SETTINGS_WRITE_FAILED",
        message: expect.stringContaining("EACCES"),
      }),
    );
    expect(textOf(real)).toBe(json({ model: "m" }));
    (await load(at)).set("model", "x");
    expect(lstatSync(join(at.root, USER)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(textOf(real))).toEqual({ model: "x" });
  });
});

describe("the place of an error in JSON", () => {
  it.each([
    ["", 1, 1, "too early"],
    ['{"a":1,}', 1, 8, "key"],
    ['{"a" 1}', 1, 6, '":"'],
    ["{\n\n a:1}", 3, 2, "key"],
    ['{"a":}', 1, 6, "value"],
    ["[1,]", 1, 4, "value"],
    ["[1 2]", 1, 4, '"]"'],
    ['{"a":1]', 1, 7, '"}"'],
    ["{} x", 1, 4, "nothing"],
    ['{"a":"b\n"}', 1, 6, "value"],
    ['{"a":01}', 1, 6, "value"],
    ['{"a":[{"b":2}', 1, 14, "too early"],
    ["nul", 1, 1, "value"],
    ["// x\n{}", 1, 1, "value"],
  ])("%j is at line %i, column %i", (text, line, column, words) => {
    expect(jsonProblem(text)).toMatchObject({
      line,
      column,
      reason: expect.stringContaining(words),
    });
  });

  it("is there if and only if JSON.parse refuses the text", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      "1",
      "-",
      ".5",
      "e3",
      "true",
      "null",
      " ",
      "\n",
      '"\\u00e9"',
      '"\\x"',
      "0",
    );
    const text = fc.array(piece, { maxLength: 10 }).map((all) => all.join(""));
    const valid = fc.jsonValue().map((value) => JSON.stringify(value, undefined, 1));
    fc.assert(
      fc.property(fc.oneof(text, valid), (sample) => {
        expect(jsonProblem(sample) === undefined).toBe(isJson(sample));
      }),
      { numRuns: 3000 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
