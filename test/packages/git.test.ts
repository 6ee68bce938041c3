import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fetchCommit } from "../../host/packages/git.ts";
import { folder, write } from "./world.ts";

test("a commit is read as it is stored: no hook, filter or submodule, links are refused", async () => {
  const root = folder();
  const origin = write(join(root, "origin"), {
    "index.ts": "stored",
    ".gitattributes": "*.ts filter=evil",
  });
  const marker = join(root, "marker");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", origin, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  git("tag", "v1");
  const ssh = join(root, "ssh");
  writeFileSync(ssh, `#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n`);
  chmodSync(ssh, 0o755);
  const config = join(root, "config");
  writeFileSync(config, `[filter "evil"]\n smudge = touch ${marker}\n`);
  const variables = {
    ...process.env,
    GIT_SSH: ssh,
    GIT_SSH_VARIANT: "simple",
    GIT_CONFIG_GLOBAL: config,
  };
  let count = 0;
  const fetch = (ref: string | undefined) => {
    const cwd = join(root, `f${count++}`);
    mkdirSync(cwd);
    const source = {
      kind: "git",
      text: "git:x",
      url: `ssh://git@example.org${origin}`,
      ref,
    } as const;
    return fetchCommit(source, { maxBytes: 1e6, maxFiles: 10 }, { cwd, variables });
  };
  const { commit, files } = await fetch("v1");
  expect(commit).toMatch(/^[\da-f]{40}$/);
  expect(files.map(({ path, content }) => [path, Buffer.from(content).toString()])).toContainEqual([
    "index.ts",
    "stored",
  ]);
  expect(existsSync(marker)).toBe(false);
  await expect(fetch("nope")).rejects.toMatchObject({ code: "SOURCE_NOT_FOUND" });
  execFileSync("ln", ["-s", "/etc/passwd", join(origin, "link")]);
  git("add", ".");
  git("commit", "-qm", "two");
  await expect(fetch(undefined)).rejects.toMatchObject({ code: "PACKAGE_INVALID" });
});
