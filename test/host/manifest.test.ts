import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readManifest } from "../../host/manifest.ts";
import { packageFolder } from "./package-folder.ts";

describe("a manifest", () => {
  it("tells what a package is, holds and may do, without running it", () => {
    const folder = packageFolder({
      "package.json": {
        name: "@acme/notes",
        version: "1.2.0",
        description: "Notes",
        coppice: {
          extensions: ["./src/index.ts"],
          permissions: ["commands", "ui"],
          commands: ["note"],
          verbs: { notes: "print the notes" },
        },
      },
    });
    expect(readManifest(folder)).toMatchObject({
      name: "@acme/notes",
      version: "1.2.0",
      description: "Notes",
      extensions: ["./src/index.ts"],
      permissions: ["commands", "ui"],
      commands: ["note"],
      verbs: { notes: "print the notes" },
    });
  });

  it("may be empty, or not say anything to hosts", () => {
    const folder = packageFolder({ "package.json": {} });
    expect(readManifest(folder)).toMatchObject({
      name: basename(folder),
      version: "0.0.0",
      extensions: [],
      permissions: [],
      commands: [],
    });
  });

  it("takes its resources as a whole from the first key that has one, permissions on their own", () => {
    const folder = packageFolder({
      "package.json": {
        coppice: { permissions: ["ui"] },
        pi: { extensions: ["./pi.ts"], permissions: ["exec"] },
        omp: { extensions: ["./omp.ts"] },
      },
    });
    expect(readManifest(folder)).toMatchObject({ extensions: ["./pi.ts"], permissions: ["ui"] });
  });

  it.each([
    ["a missing file", undefined, /ENOENT/],
    ["a broken one", '{ "name": "x",\n  oops }', /line 2 column 3/],
    ["one that is no object", "[1]", /line 1 column 1/],
    [
      "a list that is a text",
      { coppice: { extensions: "./index.ts" } },
      /extensions must be a list/,
    ],
    ["a list of numbers", { coppice: { permissions: [1] } }, /permissions must be a list/],
    ["verbs without words", { coppice: { verbs: { tree: 1 } } }, /verbs must be an object/],
  ])("is MANIFEST_INVALID with file and place: %s", (_name, content, message) => {
    const folder = packageFolder(content === undefined ? {} : { "package.json": content });
    const path = join(folder, "package.json");
    expect(() => readManifest(folder)).toThrow(
      expect.objectContaining({
        code: "MANIFEST_INVALID",
        message: expect.stringMatching(message),
        details: expect.objectContaining({ path }),
      }),
    );
  });
});
