import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { listSessions, mostRecent, openSession } from "../../host/index.ts";
import { records, world } from "./world.ts";

const SAMPLE = fileURLToPath(new URL("../../tui/demo/teahouse.jsonl", import.meta.url));

test("the sample session is whole: every part of a tree, read without a remark", async () => {
  const session = await openSession(SAMPLE, { mode: "read" });
  const entries = session.getEntries();
  expect(session.getDiagnostics()).toEqual([]);
  expect(entries.length).toBeGreaterThanOrEqual(40);
  expect(session.getSessionName()).toBeTruthy();
  const kinds = new Set(entries.map(({ type }) => type));
  for (const kind of ["compaction", "branch_summary", "label", "model_change", "session_info"]) {
    expect(kinds).toContain(kind);
  }
  const forks = entries.filter(({ id }) => session.getChildren(id).length > 1);
  expect(forks.length).toBeGreaterThanOrEqual(3);
  expect(entries.filter(({ id }) => session.getLabel(id) !== undefined)).toHaveLength(3);
  const text = readFileSync(SAMPLE, "utf8");
  expect(text).toMatch(/\p{Script=Han}/u);
  expect(text).toMatch(/\p{Emoji_Presentation}/u);
  expect(text).toContain('"toolCall"');
  session.close();
});

test("in the sample every call has its result, every stop its reason, and times go on", async () => {
  const session = await openSession(SAMPLE, { mode: "read" });
  const context = session.buildSessionContext();
  expect(context.model).toEqual({ provider: "offline", modelId: "offline" });
  expect(context.messages[0]).toMatchObject({ role: "compactionSummary" });
  expect(session.getDiagnostics()).toEqual([]);
  const messages = records(SAMPLE).flatMap(({ message }) => message ?? []);
  const calls = messages.flatMap(({ role, content }) =>
    role === "assistant" ? content.filter(({ type }: { type: string }) => type === "toolCall") : [],
  );
  const results = messages.filter(({ role }) => role === "toolResult");
  expect(results.map(({ toolCallId }) => toolCallId)).toEqual(calls.map(({ id }) => id));
  expect(new Set(messages.flatMap(({ stopReason }) => stopReason ?? []))).toEqual(
    new Set(["toolUse", "stop", "aborted", "error"]),
  );
  const times = records(SAMPLE).map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  session.close();
});

test("--demo makes one copy, goes on with it, and answers without a key", async () => {
  const there = world();
  const first = await there.coppice("--demo", "-p", "Which package measures the width of names?");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("package");
  const [file = "", ...others] = there.sessions();
  expect(others).toEqual([]);
  const before = records(file).length;
  expect(before).toBe(records(SAMPLE).length + 2);
  expect(records(file).slice(1, -2)).toEqual(records(SAMPLE).slice(1));
  await there.coppice("--demo", "-p", "And the prices?");
  expect(there.sessions()).toEqual([file]);
  expect(records(file)).toHaveLength(before + 2);
});

test("the demo can be read without being written", async () => {
  const there = world();
  await there.coppice("--demo", "-p", "hello");
  const before = there.hashes();
  const run = await there.coppice("--demo", "--read-only", "-p", "hello");
  expect(run.stderr).toMatch(/^SESSION_READ_ONLY: /);
  expect(there.hashes()).toEqual(before);
});

test("-c and the list of the project know nothing of the demo", async () => {
  const there = world();
  await there.coppice("--demo", "-p", "hello");
  const variables = { COPPICE_HOME: there.home, HOME: there.project };
  expect(await mostRecent(there.project, { variables })).toBeUndefined();
  expect(await listSessions(there.project, { variables })).toEqual([]);
  await there.coppice("-c", "-p", "hello");
  expect(there.sessions()).toHaveLength(2);
});
