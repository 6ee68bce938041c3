import { describe, expect, test } from "vitest";
import { isExact, parseSource, SOURCE_FORMS } from "../../host/packages/source.ts";

const OPTIONS = { cwd: "/project", userFolder: "/home/ada" };
const parse = (text: string) => parseSource(text, OPTIONS);

describe("npm", () => {
  test.each([
    ["npm:pi-aliases", "pi-aliases", "latest"],
    ["npm:pi-aliases@1.0.7", "pi-aliases", "1.0.7"],
    ["npm:@hyperprior/pi-todo@^0.1", "@hyperprior/pi-todo", "^0.1"],
    ["npm:@a/b@next", "@a/b", "next"],
    ["npm:a@>=1.0.0 <2.0.0 || ^3", "a", ">=1.0.0 <2.0.0 || ^3"],
  ])("%s", (text, name, wanted) => {
    expect(parse(text)).toEqual({ kind: "npm", text, name, wanted });
  });
});

describe("git", () => {
  test.each([
    ["git:github.com/a/b", "https://github.com/a/b", undefined],
    ["git:github.com/a/b@v1.2", "https://github.com/a/b", "v1.2"],
    [
      "git:https://example.org:8443/a/b.git@feature/x",
      "https://example.org:8443/a/b.git",
      "feature/x",
    ],
    ["git:git@example.org:a/b.git", "git@example.org:a/b.git", undefined],
    ["git:git@example.org:a/b@main", "git@example.org:a/b", "main"],
    ["git:ssh://git@example.org/a/b", "ssh://git@example.org/a/b", undefined],
  ])("%s", (text, url, ref) => {
    expect(parse(text)).toEqual({ kind: "git", text, url, ref });
  });
});

describe("paths", () => {
  test.each([
    ["./a", "path", "/project/a"],
    ["../a.ts", "path", "/a.ts"],
    [".", "path", "/project"],
    ["/x/y", "path", "/x/y"],
    ["~/e", "path", "/home/ada/e"],
    ["./p-1.0.0.tgz", "tarball", "/project/p-1.0.0.tgz"],
  ])("%s", (text, kind, path) => {
    expect(parse(text)).toEqual({ kind, text: path, path });
  });
});

test.each([
  "",
  "pi-aliases",
  "npm:",
  "npm:--registry=http://evil",
  "npm:a@--ignore-scripts=false",
  "npm:a@file:../x",
  "npm:a@https://evil/x.tgz",
  "npm:a@github:a/b",
  "npm:../a",
  "npm:a b",
  "git:file:///etc",
  "git:http://example.org/a/b",
  "git:ext::sh -c evil",
  "git:--upload-pack=evil/a/b",
  "git:https://-oProxyCommand=evil/a/b",
  "git:example.org/a/b@--upload-pack=x",
  "git:example.org/a/b@a..b",
  "git:-evil@host:a/b@x y",
  "git:/local/path",
  "https://example.org/a.tgz",
  "github:a/b",
  "./a\0b",
])("%j is SOURCE_INVALID, and the forms are listed", (text) => {
  try {
    parse(text);
  } catch (error) {
    expect(error).toMatchObject({ code: "SOURCE_INVALID" });
    for (const form of SOURCE_FORMS) expect((error as Error).message).toContain(form);
    return;
  }
  expect.unreachable();
});

test("exact versions and commits do not move; ranges, tags, branches and files may", () => {
  const exact = ["npm:a@1.2.3", "npm:a@1.2.3-beta.1", `git:h.org/a/b@${"0af".repeat(13)}c`];
  expect(exact.map((text) => isExact(parse(text)))).toEqual([true, true, true]);
  const moving = ["npm:a", "npm:a@^1.2.3", "npm:a@1", "git:h.org/a/b@main", "./x", "./x.tgz"];
  expect(moving.map((text) => isExact(parse(text)))).toEqual(moving.map(() => false));
});
