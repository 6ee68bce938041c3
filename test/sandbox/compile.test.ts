import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createJiti } from "jiti";
import { describe, expect, test } from "vitest";
import { compile, type Files, load, packageFolder, run } from "./guest-world.ts";

/** Each gives `default() === "works"`; both loaders must agree. */
const FORMS: Readonly<Record<string, Files>> = {
  "TypeScript with an enum, a namespace and a parameter property": {
    "index.ts": `
      enum Level { Low = 1, High }
      const enum Fixed { Word = "works" }
      namespace Words { export const word = "works"; }
      class Holder { constructor(private readonly word: string) {} get(): string { return this.word; } }
      export default (): string => Level[2] === "High" && Words.word === Fixed.Word ? new Holder(Words.word).get() : "";`,
  },
  "decorators of the older form": {
    "index.ts": `
      const seen: string[] = [];
      const note = (word: string) => (_target: object, key: string) => { seen.push(word + key); };
      class Noted { @note("wo") rks = 1; }
      export default () => seen.join("");`,
  },
  "import = require": {
    "index.ts": `import part = require("./part.cjs"); export default () => part.word;`,
    "part.cjs": `exports.word = "works";`,
  },
  "CommonJS that sets exports.default": {
    "index.ts": `import words, { default as same } from "words"; export default () => words === same && words.default;`,
    "package.json": `{ "type": "module" }`,
    "node_modules/words/package.json": `{ "name": "words", "main": "main.js" }`,
    "node_modules/words/main.js": `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "works";`,
  },
  "CommonJS as the entry": {
    "index.cjs": `const { word } = require("./part.cjs"); module.exports = () => word;`,
    "part.cjs": `module.exports.word = "works";`,
  },
  "CommonJS compiled from a module as the entry": {
    "index.cjs": `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = () => "works";`,
  },
  "an import cycle": {
    "index.ts": `import { b } from "./b.ts"; export const a = () => "works"; export default () => b();`,
    "b.ts": `import { a } from "./index.ts"; export const b = () => a();`,
  },
  "top-level await": {
    "index.ts": `const { word } = await import("./part.ts"); export default () => word;`,
    "part.ts": `export const word = await Promise.resolve("works");`,
  },
  JSON: {
    "index.ts": `import data from "./data.json" with { type: "json" }; export default () => data.word;`,
    "data.json": `{ "word": "works" }`,
  },
  "suffixes left out, and named as they will be": {
    "index.ts": `import { a } from "./a"; import { b } from "./b.js"; import { c } from "./c"; export default () => a + b + c;`,
    "a.ts": `export const a = "wo";`,
    "b.ts": `export const b = "rk";`,
    "c/index.ts": `export const c = "s";`,
  },
  "an npm package by its exports and conditions": {
    "index.ts": `import { word } from "words/sub"; import { tail } from "words"; export default () => word + tail;`,
    "node_modules/words/package.json": `{ "name": "words", "exports": {
      ".": { "require": "./main.cjs" }, "./sub": { "import": "./sub.mjs", "require": "./wrong.cjs" } } }`,
    "node_modules/words/sub.mjs": `export const word = "wor";`,
    "node_modules/words/main.cjs": `exports.tail = "ks";`,
  },
  "computed imports of its own modules": {
    "index.ts": `
      import "./parts/one.ts";
      const name = "one";
      export default async () => (await import("./parts/" + name + ".ts")).word;`,
    "parts/one.ts": `export const word = "works";`,
  },
  "createRequire, for JSON and for modules": {
    "index.ts": `
      import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      const { word } = require("./data.json");
      export default () => word + require("./tail.cjs");`,
    "data.json": `{ "word": "work" }`,
    "tail.cjs": `module.exports = "s";`,
  },
};

describe("a compiled package", () => {
  for (const [name, files] of Object.entries(FORMS)) {
    test(`runs ${name}, as the loader of trusted code does`, async () => {
      const [entry = ""] = Object.keys(files);
      const root = packageFolder(files);
      const [contained] = await run(await compile(root, entry), root);
      const jiti = createJiti(root, { fsCache: false });
      const trusted = await jiti.import<() => unknown>(join(root, entry), { default: true });
      expect(await callDefault(contained)).toBe("works");
      expect(await trusted()).toBe("works");
    });
  }

  test("has its entries in their order, and one instance of what they share", async () => {
    const root = packageFolder({
      "a.ts": `import { shared } from "./shared.ts"; export { shared }; export default "a";`,
      "b.ts": `import { shared } from "./shared.ts"; export { shared }; export default "b";`,
      "shared.ts": `export const shared = {};`,
    });
    const [b, a] = await run(await compile(root, "b.ts", "a.ts"), root);
    expect([b?.default, a?.default]).toEqual(["b", "a"]);
    expect(a?.shared).toBe(b?.shared);
  });

  test("knows the real places of its modules, which are not compiled in", async () => {
    const root = packageFolder({
      "index.ts": `
        export { place as cjs } from "./sub/part.cjs";
        export const place = [import.meta.url, import.meta.dirname, import.meta.filename, import.meta.resolve("./x y.ts"), __dirname];`,
      "sub/part.cjs": `const path = require("node:path"); exports.place = { __dirname, here: path.basename(__filename) };`,
    });
    const compiled = await compile(root);
    const [{ place, cjs } = {} as never] = await run(compiled, root);
    expect(place).toEqual([
      pathToFileURL(join(root, "index.ts")).href,
      root,
      join(root, "index.ts"),
      pathToFileURL(join(root, "x y.ts")).href,
      root,
    ]);
    expect(cjs).toEqual({ __dirname: join(root, "sub"), here: "part.cjs" });
    expect(compiled.code + compiled.map).not.toContain(root);
  });

  test("reaches bundled modules, host modules and JSON by computed names, and nothing else", async () => {
    const { default: ask } = (await load({
      "index.ts": `
        import "dep";
        export default async (name: string) => {
          try { return Object.keys(await import(name)); } catch (error) { return error.code; }
        };`,
      "data.json": `{ "a": 1 }`,
      "unused.ts": `export const unused = 1;`,
      "node_modules/dep/index.js": `exports.dep = 1;`,
      "node_modules/other/index.js": `exports.other = 1;`,
    })) as unknown as { default: (name: string) => Promise<unknown> };
    expect(await ask("./index.ts")).toEqual(["default"]);
    expect(await ask("./data.json")).toContain("a");
    expect(await ask("dep")).toContain("dep");
    for (const name of ["./unused.ts", "other", "/etc/passwd", "file:///etc/passwd", "../x.ts"]) {
      expect(await ask(name), name).toBe("MODULE_NOT_FOUND");
    }
  });

  test("names the modules of the host that it needs, under every alias", async () => {
    const root = packageFolder({
      "index.ts": `
        import { a } from "@mariozechner/pi-coding-agent";
        import { Text } from "@oh-my-pi/pi-tui";
        import { complete } from "@earendil-works/pi-ai/compat";
        import { Type } from "@sinclair/typebox";
        import { readFile } from "fs/promises";
        import { other } from "@mariozechner/pi-ai/unheard-of";
        import type { Never } from "@mariozechner/pi-agent-core";
        export default [a, Text, complete, Type, readFile, other, new URL("a:b"), {} as Never];`,
      "node_modules/@sinclair/typebox/index.js": `throw new Error("a copy was loaded");`,
    });
    const { modules, unknown, inputs } = await compile(root);
    for (const name of ["coppice", "coppice/tui", "coppice/ai", "typebox", "fs/promises", "url"]) {
      expect(modules).toContain(name);
    }
    expect(modules).not.toContain("coppice:agent-core");
    expect(unknown).toEqual(["@mariozechner/pi-ai/unheard-of"]);
    expect(inputs.map(({ path }) => path)).toEqual(["index.ts"]);
  });

  test("has a member for every name that a host module lacks, which raises when it is used", async () => {
    const { default: use } = (await load({
      "index.ts": `
        import { nothingLikeIt } from "coppice";
        import * as net from "node:net";
        export default () => [typeof nothingLikeIt, typeof net.createServer, () => nothingLikeIt(), () => net.createServer()];`,
    })) as unknown as { default: () => [string, string, () => void, () => void] };
    const [first, second, callFirst, callSecond] = use();
    expect([first, second]).toEqual(["function", "function"]);
    expect(callFirst).toThrow("coppice.nothingLikeIt is not supported by this host");
    expect(callSecond).toThrow(/node:net\.createServer is not supported by this host.*run trusted/);
  });

  test("may lack what it only asks for when it runs", async () => {
    const { default: found } = await load({
      "index.cjs": `
        let found = "nothing";
        try { found = require("bufferutil"); } catch (error) { found = error.code; }
        module.exports = found;`,
    });
    expect(found).toBe("MODULE_NOT_FOUND");
  });

  test("sees native parts as not supported when they are used", async () => {
    const { default: native } = (await load({
      "index.ts": `import part from "./part.node"; export default () => part.start();`,
      "part.node": "\0",
    })) as unknown as { default: () => void };
    expect(native).toThrow(/part\.node is not supported by this host.*run trusted/);
  });

  test("reads text files as text", async () => {
    const files = {
      "index.ts": `import text from "./a.md"; export default text;`,
      "a.md": "# words\n",
    };
    expect((await load(files)).default).toBe("# words\n");
  });

  test("is the same for the same files, and another for others", async () => {
    const files = { "index.ts": `export default 1;` };
    const first = await compile(packageFolder(files));
    const again = await compile(packageFolder(files));
    const other = await compile(packageFolder({ "index.ts": `export default 2;` }));
    expect(again).toEqual({ ...first, inputs: again.inputs });
    expect(other.hash).not.toBe(first.hash);
  });

  test("ignores the author's tsconfig and the folders around the package", async () => {
    const root = packageFolder({
      "package.json": `{ "imports": { "#x": "./wrong.ts" } }`,
      "node_modules/outside/index.js": `exports.x = 1;`,
      "inner/tsconfig.json": `{ "compilerOptions": { "paths": { "alias": ["./real.ts"] } } }`,
      "inner/index.ts": `import "alias";`,
      "inner/out.ts": `import "outside";`,
    });
    await expect(compile(join(root, "inner"))).rejects.toThrow(`cannot find "alias"`);
    await expect(compile(join(root, "inner"), "out.ts")).rejects.toThrow(`cannot find "outside"`);
  });
});

describe("what a package may give the compiler", () => {
  const refused = (root: string, ...entries: string[]) =>
    compile(root, ...entries).then(
      () => "compiled",
      (error) => `${error.code} ${error.message}`,
    );

  test("ends at its folder: an import that leads out is told with file, line and column", async () => {
    const root = packageFolder({
      "secret.ts": `export default "secret";`,
      "package/index.ts": `const a = 1;\nexport { default } from "../secret.ts";`,
    });
    expect(await refused(join(root, "package"))).toBe(
      `EXTENSION_LOAD_FAILED the extension sample did not load (index.ts): index.ts:2:25: "../secret.ts" leads out of the package folder`,
    );
    expect(await refused(join(root, "package"), "../secret.ts")).toContain("leads out");
  });

  test("ends there through links too, of files and of folders", async () => {
    const root = packageFolder({
      "out/secret.json": `"secret"`,
      "out/index.ts": `export default "secret";`,
      "package/file.ts": `export { default } from "./link.json";`,
      "package/folder.ts": `export { default } from "./linked/index.ts";`,
      "package/inside.ts": `export { default } from "./near.json";`,
      "package/data.json": `"near"`,
    });
    symlinkSync("../out/secret.json", join(root, "package/link.json"));
    symlinkSync("../out", join(root, "package/linked"));
    symlinkSync("data.json", join(root, "package/near.json"));
    expect(await refused(join(root, "package"), "file.ts")).toContain(
      "file.ts:1:25: link.json is a link that leads out of the package folder",
    );
    expect(await refused(join(root, "package"), "folder.ts")).toContain("folder.ts:1:25: ");
    expect(await refused(join(root, "package"), "inside.ts")).toBe("compiled");
  });

  test("is one file for a package that is one file", async () => {
    const root = packageFolder({ "one.ts": `import "./two.ts";`, "two.ts": `export {};` });
    expect(await refused(join(root, "one.ts"), "one.ts")).toContain("leads out");
    writeFileSync(join(root, "one.ts"), "export default 1;");
    expect(await refused(join(root, "one.ts"), "one.ts")).toBe("compiled");
  });

  test("is no folder, and no file of a kind that is not code", async () => {
    const root = packageFolder({
      "index.ts": `import "./picture.png";`,
      "attribute.ts": `export { default } from "./data.json" with { type: "bytes" };`,
      "picture.png": "",
      "data.json": "1",
    });
    expect(await refused(root)).toContain("picture.png: files of this kind cannot be imported");
    expect(await refused(root, "attribute.ts")).toContain(`type: "bytes" is not supported`);
  });

  test("has limits in files, bytes, output and time", async () => {
    const { compilePackage } = await import("../../host/sandbox/compile/index.ts");
    const root = packageFolder({
      "index.ts": `import "./a.ts"; import "./b.ts"; export default "${"x".repeat(500)}";`,
      "a.ts": "export {};",
      "b.ts": "export {};",
    });
    const within = (limits: object) =>
      compilePackage({ id: "sample", root, entries: ["index.ts"], limits }).then(
        () => "compiled",
        (error) => error.message,
      );
    expect(await within({ files: 2 })).toContain("more than 2 files are imported");
    expect(await within({ fileBytes: 100 })).toContain("index.ts is larger than 100 bytes");
    expect(await within({ inputBytes: 550 })).toContain("more than 550 bytes of files");
    expect(await within({ outputBytes: 400 })).toContain("larger than 400 bytes");
    expect(await within({ timeMs: 0 })).toContain("did not compile within 0 ms");
    expect(await within({})).toBe("compiled");
  });

  test("can be called off", async () => {
    const { compilePackage } = await import("../../host/sandbox/compile/index.ts");
    const root = packageFolder({ "index.ts": "export default 1;" });
    const signal = AbortSignal.abort("enough");
    const request = { id: "sample", root, entries: ["index.ts"], signal };
    await expect(compilePackage(request)).rejects.toBe("enough");
  });

  test("is told with its place where it is wrong", async () => {
    const root = packageFolder({ "index.ts": `import "./part.ts";`, "part.ts": `\nlet "ä" + ;` });
    expect(await refused(root)).toMatch(/EXTENSION_LOAD_FAILED .*: part\.ts:2:5: /);
    const missing = packageFolder({ "index.ts": `/* ä */ import "./gone.ts";` });
    expect(await refused(missing)).toContain(`index.ts:1:16: cannot find "./gone.ts"`);
  });
});

async function callDefault(namespace: unknown): Promise<unknown> {
  return await (namespace as { default: () => unknown }).default();
}
