import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { messageOf, type SessionEntry } from "../../core/index.ts";
import { createAgentSession, loadSettings, openSession } from "../../host/index.ts";
import { world } from "./world.ts";

/** An embedded agent on a copy of a case; what it stores can be compared. */
async function embedded(name: string, model = "offline") {
  const there = world();
  const file = there.copyOf(name);
  vi.stubEnv("COPPICE_HOME", there.home);
  vi.stubEnv("HOME", join(there.home, ".."));
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = await loadSettings({ cwd: there.project });
  const sessionManager = await openSession(file, { settings });
  const session = await createAgentSession({ sessionManager, settings, model });
  onTestFinished(() => session.close());
  return { session, bytes: () => readFileSync(file, "utf8"), hashes: () => there.hashes() };
}

const oneLine = expect.stringMatching(/^[^\n]+$/);

test("a branch from an assistant message is INVALID_BRANCH_SOURCE and makes no file", async () => {
  const { session, hashes } = await embedded("select-tree-t");
  const before = hashes();
  const { sessionManager } = session;
  const leaf = sessionManager.getLeafId();
  const isReply = (entry: SessionEntry) => messageOf(entry)?.role === "assistant";
  const reply = sessionManager.getEntries().find(isReply)?.id ?? "";
  await expect(session.branch(reply)).rejects.toMatchObject({
    code: "INVALID_BRANCH_SOURCE",
    message: oneLine,
    details: { id: reply, kind: "assistant" },
  });
  expect(hashes()).toEqual(before);
  expect(sessionManager.getLeafId()).toBe(leaf);
});

test("an unknown entry is ENTRY_NOT_FOUND for a branch and for a move", async () => {
  const { session, hashes } = await embedded("select-tree-t");
  const before = hashes();
  for (const attempt of [session.branch("nobody"), session.navigateTree("nobody")]) {
    await expect(attempt).rejects.toMatchObject({ code: "ENTRY_NOT_FOUND", message: oneLine });
  }
  expect(hashes()).toEqual(before);
});

test("a summary without a model is NO_ACTIVE_MODEL, and the leaf stays", async () => {
  const { session, hashes } = await embedded("select-tree-t", "none");
  const before = hashes();
  const { sessionManager } = session;
  const leaf = sessionManager.getLeafId();
  const [first] = session.getUserMessagesForBranching();
  await expect(
    session.navigateTree(first?.entryId ?? "", { summarize: true }),
  ).rejects.toMatchObject({ code: "NO_ACTIVE_MODEL", message: oneLine });
  expect(sessionManager.getLeafId()).toBe(leaf);
  expect(hashes()).toEqual(before);
});

test("a busy agent refuses moves, branches and prompts with AGENT_BUSY, and goes on", async () => {
  const { session, bytes } = await embedded("select-tree-t");
  const [first] = session.getUserMessagesForBranching();
  const target = first?.entryId ?? "";
  const replied = session.prompt("What was second?");
  const stored = bytes();
  for (const attempt of [
    session.navigateTree(target),
    session.branch(target),
    session.newSession(),
    session.prompt("And third?"),
  ]) {
    await expect(attempt).rejects.toMatchObject({
      code: "AGENT_BUSY",
      message: expect.stringMatching(/^[^\n]*abort it first[^\n]*$/),
    });
  }
  expect(bytes().startsWith(stored)).toBe(true);
  await replied;
  const added = bytes().slice(stored.length);
  expect(session.sessionManager.getLeafEntry()).toMatchObject({ message: { role: "assistant" } });
  expect(added).not.toContain("And third?");
});

test("a prompt into a read-only session is SESSION_READ_ONLY", async () => {
  const { session, hashes } = await embedded("open-version-99");
  const before = hashes();
  await expect(session.prompt("hello")).rejects.toMatchObject({
    code: "SESSION_READ_ONLY",
    message: oneLine,
  });
  expect(hashes()).toEqual(before);
});
