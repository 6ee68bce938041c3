import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const copied = [
  "build.mjs",
  "tsconfig.base.json",
  "tsconfig.modules.json",
  "tsconfig.extensions.json",
];
const sources = {
  "package.json": `{ "type": "module" }`,
  "core/index.ts": `export const one: number = 1;`,
  "core/gone.ts": `export const gone = 1;`,
  "core/SPEC.md": `# not shipped`,
  "host/data.jsonl": `{}`,
  "tui/main.ts": `import { one } from "../core/index.ts"; console.log(one);`,
  "extensions/add/package.json": `{ "name": "add", "type": "module",
    "coppice": { "extensions": ["./index.ts", "!./old.ts"], "permissions": [] } }`,
  "extensions/add/index.ts": `import { one } from "coppice/core";
    import { two } from "./two.ts";
    export default (): number => one + two;`,
  "extensions/add/two.ts": `export const two = 2;`,
  "extensions/add/words.md": `words`,
};

describe("the build", () => {
  let base = "";

  const inDist = (file: string): string => path.join(base, "dist", file);
  const read = (file: string): string => fs.readFileSync(inDist(file), "utf8");
  const has = (...files: string[]): boolean[] => files.map((file) => fs.existsSync(inDist(file)));

  function build(): { status: number | null; output: string } {
    const child = spawnSync(process.execPath, ["build.mjs"], { cwd: base, encoding: "utf8" });
    return { status: child.status, output: child.stdout + child.stderr };
  }

  beforeAll(() => {
    base = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "coppice-build-")));
    for (const file of copied) fs.copyFileSync(path.join(root, file), path.join(base, file));
    fs.symlinkSync(path.join(root, "node_modules"), path.join(base, "node_modules"));
    for (const [file, text] of Object.entries(sources)) {
      fs.mkdirSync(path.join(base, path.dirname(file)), { recursive: true });
      fs.writeFileSync(path.join(base, file), `${text}\n`);
    }
    expect(build()).toEqual({ status: 0, output: "" });
  });

  afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

  test("makes a program that runs, with declarations", () => {
    const child = spawnSync(process.execPath, [inDist("tui/main.js")], { encoding: "utf8" });
    expect(child.stdout).toBe("1\n");
    expect(fs.statSync(inDist("tui/main.js")).mode & 0o111).toBe(0o111);
    expect(has("core/index.d.ts", "host/data.jsonl", "core/SPEC.md")).toEqual([true, true, false]);
  });

  test("makes extensions of CommonJS that take the host's modules by name", () => {
    expect(read("extensions/add/index.js")).toContain(`require("coppice/core")`);
    expect(read("extensions/add/index.js")).toContain(`require("./two.js")`);
    expect(JSON.parse(read("extensions/package.json"))).toEqual({ type: "commonjs" });
    expect(read("extensions/add/words.md")).toBe("words\n");
    expect(has("extensions/add/index.d.ts")).toEqual([false]);
  });

  test("writes manifests that name the compiled entries", () => {
    expect(JSON.parse(read("extensions/add/package.json"))).toEqual({
      name: "add",
      coppice: { extensions: ["./index.js", "!./old.js"], permissions: [] },
    });
  });

  test("clears what a removed source left, and brings back a removed output", () => {
    fs.rmSync(path.join(base, "core/gone.ts"));
    fs.rmSync(inDist("extensions/add/two.js"));
    fs.mkdirSync(inDist("host/old"));
    fs.writeFileSync(inDist("host/old/a.js"), "");
    expect(build()).toEqual({ status: 0, output: "" });
    expect(has("core/gone.js", "core/gone.d.ts", "host/old")).toEqual([false, false, false]);
    expect(has("extensions/add/two.js", "core/index.js")).toEqual([true, true]);
  });

  test("fails with the compiler's sentence", () => {
    fs.writeFileSync(path.join(base, "core/wrong.ts"), "export const wrong: number = 'a';\n");
    const { status, output } = build();
    expect(status).not.toBe(0);
    expect(output).toContain("core/wrong.ts(1,14): error TS2322");
  });
});
