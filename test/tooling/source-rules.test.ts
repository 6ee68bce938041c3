import ts from "typescript";
import { describe, expect, test } from "vitest";
import { machineProblems, ruleProblems } from "./house-rules.mjs";
import { countedLines, limitProblems } from "./limits.mjs";

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true);
}

function messages(file: string, text: string): string[] {
  return ruleProblems(file, parse(text)).map(({ message }) => message);
}

describe("counted lines", () => {
  test("leave out blank lines and comments", () => {
    expect(countedLines(parse("// a\n\nf();\n/*\n * b\n */\n/** c */\nfunction g() {}\n"))).toBe(2);
  });

  test("count a line with code before its comment, and every line of a template", () => {
    expect(countedLines(parse("f(); // a\nconst t = `\n\n1\n`;\n"))).toBe(5);
  });

  test.each([
    ["an array", "const a = [\n1,\n'b',\n[null, -2],\n];"],
    ["an object", "export const a = {\nb: { c: true },\nd: /e/,\nf: undefined,\n} as const;"],
    ["a map", "const a = new Map([\n['b', 1],\n['c', 2],\n]);"],
    ["a frozen object", "const a = Object.freeze({\nb: 1,\nc: 2,\n});"],
    ["a typed table", "const a = [\n1,\n2,\n] satisfies number[];"],
  ])("count of %s with plain data only its first and last line", (_, text) => {
    expect(countedLines(parse(text))).toBe(2);
  });

  test("count tables that hold code, and tables inside functions", () => {
    expect(countedLines(parse("const a = [\n() => 1,\n2,\n];"))).toBe(4);
    expect(countedLines(parse("function f() {\nconst a = [\n1,\n];\n}"))).toBe(5);
  });

  test("are at most 300 in a source and 500 in a test", () => {
    const lines = (count: number) => parse("f();\n".repeat(count));
    expect(limitProblems("host/a.ts", lines(300))).toEqual([]);
    expect(limitProblems("host/a.ts", lines(301))).toHaveLength(1);
    expect(limitProblems("test/host/a.test.ts", lines(500))).toEqual([]);
    expect(limitProblems("test/host/a.test.ts", lines(501))).toHaveLength(1);
  });
});

describe("the rules of the house", () => {
  test.each([
    ["an error without a code", "host/a.ts", "throw new Error('x');"],
    ["a type error without a code", "extensions/a/index.ts", "throw TypeError('x');"],
    ["an empty catch", "host/a.ts", "try { f(); } catch { /* fine */ }"],
    ["an empty catch of a promise", "test/a.test.ts", "p.catch(() => {});"],
    ["a catch of a promise that gives nothing", "tui/a.ts", "p.catch(() => undefined);"],
    ["an import without extension", "core/a.ts", `import "./b";`],
    ["a re-export without extension", "core/a.ts", `export * from "..";`],
    ["a dynamic import of compiled code", "host/a.ts", `await import("./b.js");`],
    ["a vague file", "host/utils.ts", ""],
    ["a vague folder", "tui/common/rows.ts", ""],
    ["a vague word", "host/string-helpers.ts", ""],
    ["a hidden finding", "host/a.ts", "// biome-ignore lint/x: y"],
    ["the time in core", "core/a.ts", "const t = Date.now();"],
    ["a date of now in core", "core/a.ts", "const t = new Date();"],
    ["chance in core", "core/a.ts", "const t = Math.random();"],
  ])("find %s", (_, file, text) => {
    expect(messages(file, text)).toHaveLength(1);
  });

  test.each([
    ["an error in errors.ts", "host/errors.ts", "throw new Error('x');"],
    ["an error in a test", "test/a.test.ts", "throw new Error('x');"],
    ["a catch that answers", "host/a.ts", "try { f(); } catch { g(); }"],
    ["imports with extension", "host/a.ts", `import "./b.ts"; import c from "./c.json";`],
    ["packages", "host/a.ts", `import "node:fs"; import "coppice/core";`],
    ["the name the users of the format know", "core/session-manager.ts", ""],
    ["a date that is given", "core/a.ts", "const t = new Date(text);"],
    ["the time in host", "host/a.ts", "const t = Date.now();"],
  ])("allow %s", (_, file, text) => {
    expect(messages(file, text)).toEqual([]);
  });

  test("find the paths of one machine in any text", () => {
    const place = ["", "root", ".coppice"].join("/");
    expect(machineProblems(`see ${place}\n`, [])).toHaveLength(1);
    expect(machineProblems("a\nsee /srv/box/a\n", ["/srv/box"])).toMatchObject([{ line: 2 }]);
    expect(machineProblems("/home/ann/app, https://x.org/work/a, src/root/b", [])).toEqual([]);
  });
});
