import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_CODES } from "../core/index.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const TABLES = ["core/errors.ts", "host/errors.ts", "host/packages/errors.ts", "tui/errors.ts"];
const DOCUMENTS = ["core/SPEC.md", "host/EXTENSIONS.md", "tui/SPEC.md", "host/sandbox/SPEC.md"];

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const codes = TABLES.flatMap((table) =>
  [...read(table).matchAll(/^ {2}([A-Z][A-Z0-9_]+): \(/gm)].map(([, code = ""]) => code),
);

function testsOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name);
    if (item.isDirectory()) return item.name === "sessions" ? [] : testsOf(path);
    return item.name.endsWith(".ts") && !item.name.startsWith("errors.") ? [path] : [];
  });
}

describe("error codes", () => {
  const documents = DOCUMENTS.map(read).join("\n");
  const tests = testsOf("test").map(read).join("\n");
  const cases = readdirSync(join(ROOT, "test/cases/sessions"))
    .filter((name) => name.endsWith(".expected.json"))
    .map((name) => read(`test/cases/sessions/${name}`))
    .join("\n");

  it("are read from the tables", () => {
    expect(codes).toContain("ENTRY_NOT_FOUND");
    expect(codes.length).toBeGreaterThan(25);
  });

  it.each([...new Set([...codes, ...DIAGNOSTIC_CODES])])(
    "%s is documented and met by a test",
    (code) => {
      expect(documents).toMatch(new RegExp(`(?<![A-Z_])${code}\\b`));
      expect(tests + cases).toMatch(new RegExp(`(?<![A-Z_])${code}\\b`));
    },
  );
});
