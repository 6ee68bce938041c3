import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createAgentSession } from "../../host/index.ts";
import { loadSettings } from "../../host/storage/settings.ts";
import { call, reply } from "../core/messages.ts";
import { tree } from "../world.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/custom-summarizer", import.meta.url));

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "coppice-example-"));
  vi.stubEnv("COPPICE_HOME", home);
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

/** Leaves the branch of a picture for `target` with a summary. */
async function summaryOf(picture: string, target: string, trusted: readonly string[]) {
  const { session: sessionManager, id } = tree(picture);
  sessionManager.appendMessage(reply([call("k", "edit", { path: "core/tree.ts" })]));
  const settings = await loadSettings({ cwd: home, variables: { COPPICE_HOME: home } });
  const session = await createAgentSession({ sessionManager, settings, trusted, model: "offline" });
  const { summaryEntry } = await session.navigateTree(id(target), { summarize: true });
  await session.close();
  return summaryEntry;
}

// The first start of a cold cache compiles every extension.
vi.setConfig({ testTimeout: 120_000 });

it("answers instead of the built-in summarizer", async () => {
  const entry = await summaryOf("start a1 fix-it a2 test-it a3*", "a1", [EXAMPLE]);
  expect(entry).toMatchObject({
    fromExtension: true,
    summary:
      "On another branch I was asked:\n- fix-it\n- test-it\nFiles changed there: core/tree.ts.",
    details: { readFiles: [], modifiedFiles: ["core/tree.ts"] },
  });
});

it("leaves a branch on which nothing was asked to the built-in one", async () => {
  const entry = await summaryOf("start a1 a2*", "a1", [EXAMPLE]);
  expect(entry).toMatchObject({ fromExtension: false });
  expect(entry?.summary).toMatch(/Extract by the offline model/);
  const builtIn = await summaryOf("start a1 fix-it a2*", "a1", []);
  expect(builtIn).toMatchObject({
    fromExtension: false,
    details: { modifiedFiles: ["core/tree.ts"] },
  });
});
