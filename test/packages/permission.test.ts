import { expect, test } from "vitest";
import {
  covers,
  defaultOf,
  type Permission,
  parsePermission,
  riskOf,
} from "../../host/packages/permission.ts";
import { PERMISSIONS } from "../../host/packages/permission-table.ts";

function permission(text: string): Permission {
  const found = parsePermission(text);
  if (found) return found;
  throw new TypeError(`${text} is no permission`);
}

test("every name of the table is a permission, with a scope only where it has one", () => {
  for (const [name, row] of Object.entries(PERMISSIONS)) {
    expect(parsePermission(name)).toMatchObject({ name, scope: undefined });
    if (!row.scope) expect(parsePermission(`${name}:x`)).toBeUndefined();
  }
});

test.each([
  ["exec:git", "exec", "git"],
  ["exec:/usr/bin/git", "exec", "/usr/bin/git"],
  ["net:api.example.com", "net", "api.example.com"],
  ["net:*.example.com:8443", "net", "*.example.com:8443"],
  ["net:localhost:11434", "net", "localhost:11434"],
  ["env:NOTES_*", "env", "NOTES_*"],
  ["fs:read:$CWD/**", "fs:read", "$CWD/**"],
  ["fs:write:~/notes/*.md", "fs:write", "~/notes/*.md"],
])("%s has a scope", (text, name, scope) => {
  expect(parsePermission(text)).toMatchObject({ name, scope });
});

test.each([
  "",
  "everything",
  "session",
  "session:write",
  "session:read:x",
  "fs",
  "fs:read:relative",
  "exec:",
  "exec:rm -rf",
  "exec:a\nb",
  "net:http://x",
  "net:a b",
  "env:A-B",
  "constructor",
  "__proto__:x",
])("%j is no permission", (text) => {
  expect(parsePermission(text)).toBeUndefined();
});

test.each([
  ["session:read", "session:read", true],
  ["session:read", "session:list", false],
  ["exec:git", "exec:git", true],
  ["exec", "exec:git", false],
  ["exec:git", "exec", false],
  ["net:*.example.com", "net:api.example.com:443", true],
  ["net:*.example.com", "net:example.com", false],
  ["net:example.com:443", "net:example.com", false],
  ["net:example.com", "net:EXAMPLE.com:8080", true],
  ["net:*", "net:example.com", true],
  ["net:*", "net:localhost", false],
  ["net:*", "net:169.254.169.254", false],
  ["net:*", "net:intranet", false],
  ["net:*", "net:[::1]", false],
  ["env:NOTES_*", "env:NOTES_TOKEN", true],
  ["env:NOTES_*", "env:NOTE", false],
  ["fs:read:$CWD/**", "fs:read:$CWD/src/a.ts", true],
  ["fs:read:$CWD/*", "fs:read:$CWD/src/a.ts", false],
  ["fs:read:$CWD/**", "fs:read:$CWD/../secret", false],
  ["fs:read:$CWD/**", "fs:write:$CWD/a", false],
])("%s covers %s: %s", (holder, wanted, isCovered) => {
  expect(covers(permission(holder), permission(wanted))).toBe(isCovered);
});

test.each([
  ["ui", "G"],
  ["session:read", "I"],
  ["session:navigate", "F"],
  ["model:credentials", "X"],
  ["exec", "F"],
  ["exec:git", "I"],
  ["net:*", "F"],
  ["net:api.example.com", "I"],
  ["env:LC_ALL", "G"],
  ["env:HOME", "G"],
  ["env:NOTES_TOKEN", "I"],
  ["fs:read:$PKG/data.json", "G"],
  ["fs:write:$PKG/data.json", "I"],
  ["fs:read:$CWD/**", "I"],
  ["fs:read:/etc/hosts", "F"],
  ["fs:write:$CWD/notes.md", "I"],
])("%s is decided at %s", (text, when) => {
  expect(defaultOf(permission(text))).toBe(when);
});

test("names of secrets are a higher risk", () => {
  expect(riskOf(permission("env:NOTES_DIR"))).toBe("medium");
  expect(riskOf(permission("env:notes_token"))).toBe("high");
});
