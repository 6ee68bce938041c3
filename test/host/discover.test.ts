import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BUILTINS } from "../../host/builtins.ts";
import { discoverBuiltins, discoverTrusted } from "../../host/discover.ts";
import { packageFolder } from "./package-folder.ts";

const ROOT = fileURLToPath(new URL("../../extensions/", import.meta.url));

describe("first-party extensions", () => {
  it("are those of the list, and every folder is on it", () => {
    const folders = readdirSync(ROOT, { withFileTypes: true })
      .filter((item) => item.isDirectory())
      .map(({ name }) => name);
    expect([...BUILTINS].sort()).toEqual(folders.sort());
  });

  it("are found in the order of their list, after all others, with what they may do", () => {
    const found = discoverBuiltins();
    expect(found.map(({ id }) => id)).toEqual(BUILTINS);
    const ranks = found.map(({ rank }) => rank);
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    const [trusted] = discoverTrusted(packageFolder({ "index.ts": "" }), "/", 999);
    expect(trusted?.rank).toBeLessThan(ranks[0] ?? 0);
    for (const { firstParty, permissions, manifest } of found) {
      expect(firstParty).toBe(true);
      expect(permissions).toEqual(new Set(manifest.permissions));
    }
  });

  it("leave clear and exit to others", () => {
    const names = discoverBuiltins().flatMap(({ manifest }) => manifest.commands);
    expect(names).toContain("tree");
    expect(names).not.toContain("clear");
    expect(names).not.toContain("exit");
  });
});

describe("an extension that runs trusted", () => {
  it("is a file, named after itself, or after its folder if it is an index", () => {
    const folder = packageFolder({ "one.ts": "", "two/index.ts": "" });
    const one = discoverTrusted("one.ts", folder, 3);
    expect(one).toMatchObject([
      { id: "one", shortId: "one", entry: join(folder, "one.ts"), permissions: "all", rank: 3 },
    ]);
    expect(one[0]?.firstParty).toBe(false);
    expect(discoverTrusted("two/index.ts", folder, 0)).toMatchObject([{ id: "two" }]);
  });

  it("is every entry of a package, in the order of its manifest", () => {
    const folder = packageFolder({
      "package.json": {
        name: "@acme/two parts",
        version: "2.0.0",
        coppice: { extensions: ["./b.ts", "./a.ts"] },
      },
      "a.ts": "",
      "b.ts": "",
    });
    const found = discoverTrusted(folder, "/", 1);
    expect(found).toMatchObject([
      {
        id: "@acme/two parts",
        shortId: "two-parts",
        version: "2.0.0",
        entry: join(folder, "b.ts"),
      },
      { id: "@acme/two parts", entry: join(folder, "a.ts") },
    ]);
    expect((found[0]?.rank ?? 0) < (found[1]?.rank ?? 0)).toBe(true);
    expect(found[1]?.rank).toBeLessThan(2);
  });

  it.each(["index.ts", "index.js", "index.mjs"])("is the %s of a folder", (name) => {
    const folder = packageFolder({ [name]: "" });
    expect(discoverTrusted(folder, "/", 0)).toMatchObject([{ entry: join(folder, name) }]);
  });

  it.each([
    ["an empty folder", {}, ".", /index\.ts/],
    ["a package without entries", { "package.json": { name: "x" } }, ".", /index\.ts/],
    ["a path where nothing is", {}, "nowhere.ts", /nowhere\.ts/],
  ])("is EXTENSION_EMPTY for %s, with what was looked for", (_name, files, path, message) => {
    expect(() => discoverTrusted(path, packageFolder(files), 0)).toThrow(
      expect.objectContaining({
        code: "EXTENSION_EMPTY",
        message: expect.stringMatching(message),
      }),
    );
  });
});
