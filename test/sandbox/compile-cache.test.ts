import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileCached, stackMapper } from "../../host/sandbox/compile/index.ts";
import { findEntry } from "../../host/sandbox/entry.ts";
import { compile, guestWith, packageFolder, run } from "./guest-world.ts";

const files = {
  "index.ts": `import { part } from "./part"; export default () => part;`,
  "part/index.ts": `export const part = "first";`,
};

describe("the cache of compiled packages", () => {
  const cachedFrom = (root: string) => async (folder: string) =>
    await compileCached({ id: "sample", root, entries: ["index.ts"] }, folder);

  test("gives what was compiled, and lies in files named by their content", async () => {
    const root = packageFolder(files);
    const folder = join(root, "cache");
    const first = await cachedFrom(root)(folder);
    expect(await cachedFrom(root)(folder)).toEqual(first);
    const names = readdirSync(folder).sort();
    expect(names).toHaveLength(3);
    expect(names).toContain(`${first.hash}.js`);
    expect(names).toContain(`${first.hash}.map`);
  });

  test("sees a change of content, also one that keeps size and time", async () => {
    const root = packageFolder(files);
    const folder = join(root, "cache");
    await cachedFrom(root)(folder);
    const part = join(root, "part/index.ts");
    writeFileSync(part, `export const part = "other";`);
    expect((await cachedFrom(root)(folder)).code).toContain("other");
    utimesSync(part, 1, 1);
    expect((await cachedFrom(root)(folder)).code).toContain("other");
  });

  test("sees a file that now comes before the one that was found", async () => {
    const root = packageFolder(files);
    const folder = join(root, "cache");
    await cachedFrom(root)(folder);
    writeFileSync(join(root, "part.js"), `export const part = "nearer";`);
    expect((await cachedFrom(root)(folder)).code).toContain("nearer");
  });

  test("is not believed where its files were changed or are damaged", async () => {
    const root = packageFolder(files);
    const folder = join(root, "cache");
    const first = await cachedFrom(root)(folder);
    const [index = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
    const damages: [name: string, text: string][] = [
      [`${first.hash}.js`, `${first.code}// more`],
      [`${first.hash}.map`, "{}"],
      [index, "{"],
      [index, `{"inputs":1}`],
    ];
    for (const [name, text] of damages) {
      writeFileSync(join(folder, name), text);
      expect(await cachedFrom(root)(folder)).toEqual(first);
      expect(readFileSync(join(folder, name), "utf8")).not.toBe(text);
    }
  });

  test("is done without where it cannot be written", async () => {
    const root = packageFolder({ ...files, cache: "a file" });
    expect((await cachedFrom(root)(join(root, "cache"))).code).toContain("first");
  });
});

describe("a stack of a package", () => {
  const source = {
    "index.ts": `import { fail } from "./part.ts";\n\ninterface Much { readonly more: string }\nexport default (): Much => fail();\n`,
    "part.ts": `/* where it\nhappens */ export const fail = (): never => { throw new RangeError("no"); };\n`,
  };

  test("names the author's files and lines, and nobody else's", async () => {
    const root = packageFolder(source);
    const compiled = await compile(root);
    const guest = await guestWith(compiled.modules);
    const [entry] = await run(compiled, root, guest);
    const error = guest.evaluate(
      `(run) => { try { run(); } catch (error) { return error.stack; } }`,
    );
    const stack = (error as (run: unknown) => string)(entry?.default);
    expect(stackMapper({ fileName: "ext:sample", map: compiled.map })(stack).split("\n")).toEqual([
      "RangeError: no",
      "    at fail (part.ts:2:53)",
      "    at index_default (index.ts:4:28)",
    ]);
  });

  test("is text that may be forged: cleaned, cut, without other places", () => {
    const map = { fileName: "ext:sample", map: `{"version":3,"sources":[],"mappings":""}` };
    const forged = [
      "Error: \u001b[31mred\u001b[0m",
      "    at host (/home/person/secret.js:1:1)",
      "    at ext:sample:9:9",
      "    at new Promise (<anonymous>)",
      ...Array.from({ length: 100 }, (_, i) => `line ${i} ${"x".repeat(600)}`),
    ].join("\n");
    const lines = stackMapper(map)(forged).split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "Error:  red ",
      "    at new Promise (<anonymous>)",
      expect.any(String),
    ]);
    expect(lines).toHaveLength(30);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(500);
  });
});

describe("an entry that a manifest names", () => {
  test("is found by the trusted loader's rules, without running it", () => {
    const root = packageFolder({
      "src/index.ts": `throw new Error("ran");`,
      "lib/index.js": `throw new Error("ran");`,
      "package.json": "{}",
    });
    expect(findEntry(root, "./src/index.ts")).toBe(join(root, "src/index.ts"));
    expect(findEntry(root, "./src/index.js")).toBe(join(root, "src/index.ts"));
    expect(findEntry(root, "src/index")).toBe(join(root, "src/index.ts"));
    expect(findEntry(root, "./lib")).toBe(join(root, "lib/index.js"));
    expect(findEntry(root, "./gone.ts")).toBeUndefined();
  });
});
