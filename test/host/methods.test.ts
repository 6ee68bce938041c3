import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HOOKS, SPELLINGS } from "../../host/hook-catalogue.ts";
import { METHODS, SUPPORTED } from "../../host/methods/index.ts";

const SPEC = fileURLToPath(new URL("../../host/EXTENSIONS.md", import.meta.url));

/** Heading of the section that documents the members of an object, and what its names begin with. */
const SECTIONS: Readonly<Record<string, string>> = {
  "### 2.3": "api.",
  "### 2.4": "ctx.",
  "### 2.5": "ctx.",
  "### 2.6": "ctx.ui.",
  "### 2.7": "ctx.sessionManager.",
  "### 2.8": "ctx.modelRegistry.",
};

interface Documented {
  readonly names: ReadonlySet<string>;
  /** Permission column by name. */
  readonly permission: (name: string) => string;
}

/** Members of the tables of §2, read from the document that rules them. */
function documented(): Documented {
  const rows = new Map<string, string>();
  let prefix: string | undefined;
  for (const line of readFileSync(SPEC, "utf8").split("\n")) {
    if (line.startsWith("#")) {
      prefix = Object.entries(SECTIONS).find(([heading]) => line.startsWith(`${heading} `))?.[1];
    }
    const [, member = "", , permission = ""] = line.split(/(?<!\\)\|/);
    if (prefix === undefined || !line.startsWith("| ")) continue;
    for (const [, name] of member.matchAll(/[`, {;](\w+)\??(?=[(:<`,;?}]| \()/g)) {
      rows.set(`${prefix}${name}`, permission.trim());
    }
  }
  return { names: new Set(rows.keys()), permission: (name) => rows.get(name) ?? "" };
}

describe("the table of methods", () => {
  const document = documented();

  it("is read from the document", () => {
    expect(document.names).toContain("api.registerCommand");
    expect(document.names).toContain("ctx.ui.setEditorText");
    expect(document.names.size).toBeGreaterThan(100);
  });

  it.each(METHODS.map(({ name }) => name))("%s is documented", (name) => {
    expect(document.names).toContain(name);
  });

  it.each(METHODS)("$name has the permission of the document", ({ name, permission = [] }) => {
    for (const one of [permission].flat()) expect(document.permission(name)).toContain(one);
  });

  it("has every name once", () => {
    expect(new Set(METHODS.map(({ name }) => name)).size).toBe(METHODS.length);
  });

  it("lets nothing be used in a factory but what registers or asks for the API", () => {
    const early = METHODS.filter(({ inFactory }) => inFactory).map(({ name }) => name);
    expect(early).toEqual([
      "api.on",
      "api.supports",
      "api.contribute",
      "api.registerCommand",
      "api.registerShortcut",
      "api.registerTool",
      "api.registerProvider",
      "api.registerFlag",
      "api.getFlag",
      "api.registerMessageRenderer",
      "api.registerEntryRenderer",
    ]);
  });
});

describe("the catalogue of events", () => {
  const text = readFileSync(SPEC, "utf8");
  const [table = ""] = text.slice(text.indexOf("### 2.2")).split("### 2.3");

  it.each([...Object.keys(HOOKS), ...Object.keys(SPELLINGS)])("%s is documented", (event) => {
    expect(table).toContain(`\`${event}\``);
    expect(SUPPORTED).toContain(`on:${event}`);
  });

  /** How the document writes the kinds that have no name of their own there. */
  const kinds: Readonly<Record<string, string>> = { gate: "before, fails closed" };

  /** Its result does not replace the message yet. */
  const watchedOnly = new Set(["message_end"]);
  const rows = Object.entries(HOOKS).filter(([event]) => !watchedOnly.has(event));

  it.each(rows)("%s has the kind and permissions of the document", (event, row) => {
    const isRow = (line: string) => line.split("|")[1]?.includes(`\`${event}\``);
    const line = table.split("\n").find(isRow) ?? "";
    expect(line).toMatch(new RegExp(`\\| ${kinds[row.kind] ?? row.kind}\\b`));
    for (const permission of Object.values({ ...row.honour, receive: row.receive ?? "" })) {
      expect(line).toContain(permission);
    }
  });
});
