import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import {
  type AgentMessage,
  isFromExtension,
  type JsonObject,
  messageText,
  type SessionContext,
  type SessionManager,
} from "../core/index.ts";
import { createAgentSession, requestFor } from "../host/index.ts";
import { listItem } from "../host/storage/listing.ts";
import { openSession } from "../host/storage/sessions.ts";
import { loadSettings } from "../host/storage/settings.ts";
import { type Case, openCopy } from "./case-world.ts";

/** What one check gets: a freshly opened copy, and its own field of the expectations. */
export interface Check<T = unknown> {
  readonly one: Case;
  readonly path: string;
  readonly session: SessionManager;
  readonly wanted: T;
}

type ById<T> = Readonly<Record<string, T>>;
interface WantedMessage {
  readonly role: string;
  readonly textPrefix: string;
  readonly content?: unknown;
}
interface WantedContext {
  readonly messages?: readonly WantedMessage[];
  readonly count?: number;
  readonly first?: WantedMessage;
  readonly last?: WantedMessage;
  readonly times?: ById<number>;
  readonly [state: string]: unknown;
}

const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

/** One check for each field of the expectations that a session can show. */
export const checks: Readonly<Record<string, (check: Check<never>) => void | Promise<void>>> = {
  pending: ({ session, wanted }) => expect(session.isPending()).toBe(wanted),
  sessionId: ({ session, wanted }) => expect(session.getSessionId()).toBe(wanted),
  sessionName: ({ session, wanted }) => expect(session.getSessionName() ?? null).toBe(wanted),
  entryCount({ session, wanted }) {
    expect(session.getEntryCount()).toBe(wanted);
    expect(session.getEntries()).toHaveLength(wanted);
  },
  entries: ({ session, wanted }) => expect(ids(session.getEntries())).toEqual(wanted),
  roots({ session, wanted }) {
    expect(session.getTree().map(({ entry }) => entry.id)).toEqual(wanted);
    expect(ids(session.getChildren(null))).toEqual(wanted);
  },
  leafId: ({ session, wanted }) => expect(session.getLeafId()).toBe(wanted),
  labels({ session, wanted }: Check<ById<string>>) {
    const labels = session.getIndex().flatMap(({ id, label }) => (label ? [[id, label]] : []));
    expect(Object.fromEntries(labels)).toEqual(wanted);
    for (const [id, label] of Object.entries(wanted)) expect(session.getLabel(id)).toBe(label);
  },
  labelTimes({ session, wanted }: Check<ById<string>>) {
    for (const [id, time] of Object.entries(wanted)) {
      expect(session.getLabelInForce(id)?.timestamp).toBe(time);
    }
  },
  parents({ session, wanted }: Check<ById<string | null>>) {
    for (const [id, parent] of Object.entries(wanted)) {
      expect(session.getEntry(id)?.parentId, `parent of ${id}`).toBe(parent);
    }
  },
  diagnostics({ session, wanted }: Check<readonly (JsonObject & { mentions?: string })[]>) {
    const found = session.getDiagnostics().filter(({ code }) => code !== "KEPT_ID_UNRESOLVED");
    const texts = found.map(({ message }) => message);
    expect(found.map(({ message: _, ...rest }) => rest)).toEqual(
      wanted.map(({ mentions: _, ...rest }) => rest),
    );
    for (const [i, { mentions }] of wanted.entries())
      if (mentions) expect(texts[i]).toContain(mentions);
  },
  keptUnresolved({ session, wanted }: Check<readonly string[]>) {
    for (const { id } of session.getEntries()) session.buildSessionContext(id);
    const found = session.getDiagnostics().filter(({ code }) => code === "KEPT_ID_UNRESOLVED");
    expect(found.map(({ id }) => id)).toEqual(wanted);
  },
  origin({ session, wanted }: Check<ById<boolean | null>>) {
    for (const [id, flag] of Object.entries(wanted)) {
      const entry = session.getEntry(id);
      expect(entry && (isFromExtension(entry) ?? null)).toBe(flag);
    }
  },
  context: ({ session, wanted }: Check<WantedContext>) =>
    expectContext(session.buildSessionContext(), wanted),
  contexts({ session, wanted }: Check<ById<WantedContext>>) {
    for (const [id, context] of Object.entries(wanted)) {
      expectContext(session.buildSessionContext(id), context);
    }
  },
  getBranch({ session, wanted }: Check<ById<readonly string[]>>) {
    for (const [id, path] of Object.entries(wanted))
      expect(ids(session.getBranch(id))).toEqual(path);
  },
  branchLength: ({ session, wanted }) => expect(session.getBranch()).toHaveLength(wanted),
  children({ session, wanted }: Check<ById<readonly string[]>>) {
    for (const [id, children] of Object.entries(wanted)) {
      expect(ids(session.getChildren(id === "null" ? null : id)), `children of ${id}`).toEqual(
        children,
      );
    }
  },
  treeChildren({ session, wanted }: Check<ById<readonly string[]>>) {
    const nodes = [...session.getTree()];
    for (let node = nodes.pop(); node; node = nodes.pop()) {
      nodes.push(...node.children);
      const children = wanted[node.entry.id];
      if (children) expect(node.children.map(({ entry }) => entry.id)).toEqual(children);
    }
  },
  collect({ session, wanted }: Check<readonly CollectCase[]>) {
    for (const { from, to, entries, commonAncestorId } of wanted) {
      const found = session.collectAbandoned(from, to);
      expect({ ...found, entries: ids(found.entries) }).toEqual({ entries, commonAncestorId });
    }
  },
  async branched({ one, wanted }: Check<readonly BranchedCase[]>) {
    for (const branch of wanted) await expectBranched(one, branch);
  },
  async navigate({ one, wanted }: Check<ById<NavigateCase>>) {
    for (const [target, result] of Object.entries(wanted))
      await expectNavigate(one, target, result);
  },
  async branchFrom({ one, wanted }: Check<ById<BranchFromCase>>) {
    for (const [id, result] of Object.entries(wanted)) await expectBranchFrom(one, id, result);
  },
  async userMessages({ one, wanted }) {
    await withAgent(one, async (agent) => {
      expect(agent.getUserMessagesForBranching()).toEqual(wanted);
    });
  },
  request({ session, wanted }: Check<ById<readonly RequestCase[]>>) {
    for (const [leaf, messages] of Object.entries(wanted)) expectRequest(session, leaf, messages);
  },
  requestCounts({ session, wanted }: Check<ById<number>>) {
    const { messages } = requestFor("/", session.buildSessionContext().messages);
    const stored = new Set(session.buildSessionContext().messages);
    const { synthetic, ...roles } = wanted;
    for (const [role, count] of Object.entries(roles)) {
      expect(messages.filter((message) => message.role === role)).toHaveLength(count);
    }
    const results = messages.filter(({ role }) => role === "toolResult");
    expect(results.filter((message) => !isStored(stored, message))).toHaveLength(synthetic ?? 0);
  },
  roleCounts({ session, wanted }: Check<ById<number>>) {
    for (const [role, count] of Object.entries(wanted)) {
      expect(session.getIndex().filter((row) => row.role === role)).toHaveLength(count);
    }
  },
  userMessageCount: ({ session, wanted }) =>
    expect(session.getIndex().filter(({ role }) => role === "user")).toHaveLength(wanted),
  append({ path, session, wanted }: Check<{ parentId: string | null; startsWithLf: boolean }>) {
    const before = readFileSync(path);
    const id = session.appendMessage({ role: "user", content: "next", timestamp: 1 });
    expect(session.getEntry(id)?.parentId).toBe(wanted.parentId);
    const added = readFileSync(path).subarray(before.length);
    if (session.getFileVersion() === 3) expect(added[0] === 0x0a).toBe(wanted.startsWithLf);
  },
  async rewrite({ path, session, wanted }: Check<RewriteCase>) {
    const before = readFileSync(path);
    expect(session.getFileVersion()).toBe(wanted.fromVersion);
    session.appendMessage({ role: "user", content: "next", timestamp: 1 });
    expect(readFileSync(join(dirname(path), wanted.backup))).toEqual(before);
    const [old, now] = [before, readFileSync(path)].map((bytes) => bytes.toString().split("\n"));
    for (const line of wanted.sameLines ?? []) expect(now?.[line - 1]).toBe(old?.[line - 1]);
    expect(now?.some((line) => line.startsWith("{") && JSON.parse(line).version === 3)).toBe(true);
  },
  async list({ one, wanted }: Check<JsonObject>) {
    const item = await listItem(one.copy());
    const times = { created: item.created?.toISOString(), modified: item.modified?.toISOString() };
    expect({ ...item, name: item.name ?? null, ...times }).toMatchObject(wanted);
  },
};

interface CollectCase {
  readonly from: string | null;
  readonly to: string;
  readonly entries: readonly string[];
  readonly commonAncestorId: string | null;
}
interface BranchedCase {
  readonly leafId: string;
  readonly error?: string;
  readonly kept?: readonly JsonObject[];
  readonly sessionInfo?: string;
  readonly labels?: readonly JsonObject[];
  readonly sameBytes?: readonly string[];
}
interface NavigateCase {
  readonly newLeaf?: string | null;
  readonly editorText?: string;
  readonly marker?: boolean;
  readonly noop?: boolean;
  readonly error?: string;
}
interface BranchFromCase {
  readonly selectedText?: string;
  readonly newSession?: boolean;
  readonly branchedAt?: string;
  readonly error?: string;
}
interface RequestCase extends JsonObject {
  readonly role: string;
  readonly textPrefix?: string;
  readonly contains?: string;
  readonly toolCalls?: readonly string[];
  readonly synthetic?: boolean;
}
interface RewriteCase {
  readonly fromVersion: number;
  readonly backup: string;
  readonly sameLines?: readonly number[];
}

function expectContext(context: SessionContext, wanted: WantedContext): void {
  const { messages, count, first, last, times, ...state } = wanted;
  if (messages) {
    expect(context.messages).toHaveLength(messages.length);
    for (const [i, message] of messages.entries()) expectMessage(context.messages[i], message);
  }
  if (count !== undefined) expect(context.messages).toHaveLength(count);
  if (first) expectMessage(context.messages[0], first);
  if (last) expectMessage(context.messages.at(-1), last);
  for (const [role, time] of Object.entries(times ?? {})) {
    expect(context.messages.find((message) => message.role === role)?.timestamp).toBe(time);
  }
  expect(context).toMatchObject(state);
}

function expectMessage(message: AgentMessage | undefined, wanted: WantedMessage): void {
  expect(message?.role).toBe(wanted.role);
  const text = message ? messageText(message) : "";
  expect(text.startsWith(wanted.textPrefix), `${text} starts with ${wanted.textPrefix}`).toBe(true);
  if ("content" in wanted)
    expect((message as JsonObject | undefined)?.content).toEqual(wanted.content);
}

async function expectBranched(one: Case, wanted: BranchedCase): Promise<void> {
  const { path, session } = await openCopy(one);
  const source = readFileSync(path);
  const context = wanted.error ? undefined : session.buildSessionContext(wanted.leafId);
  if (wanted.error) {
    expect(() => session.createBranchedSession(wanted.leafId)).toThrow(
      expect.objectContaining({ code: wanted.error }),
    );
    return;
  }
  const file = session.createBranchedSession(wanted.leafId) as string;
  expect(readFileSync(path)).toEqual(source);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const [header, ...records] = lines.map((line) => JSON.parse(line) as JsonObject);
  expect(header).toMatchObject({ type: "session", version: 3, parentSession: path });
  expect(basename(file)).toContain(String(header?.id));
  const kept = wanted.kept ?? [];
  for (const [i, entry] of kept.entries()) expect(records[i]).toMatchObject(entry);
  const rest = records.slice(kept.length);
  const info = rest.filter(({ type }) => type === "session_info");
  expect(info.map(({ name }) => name)).toEqual(
    wanted.sessionInfo === undefined ? [] : [wanted.sessionInfo],
  );
  const labels = rest.filter(({ type }) => type === "label");
  expect(labels.map(({ targetId, label, timestamp }) => ({ targetId, label, timestamp }))).toEqual(
    wanted.labels,
  );
  expect(rest).toHaveLength(info.length + labels.length);
  expectSameBytes(
    source.toString("latin1"),
    readFileSync(file, "latin1"),
    wanted.sameBytes,
    records,
  );
  const known = new Set<unknown>([null, ...records.map(({ id }) => id)]);
  for (const { parentId } of records) expect(known.has(parentId), `parent ${parentId}`).toBe(true);
  expect(session.getLeafId()).toBe(records.at(-1)?.id ?? null);
  const copied = (await openSession(file, { mode: "read" })).buildSessionContext();
  expect(copied.messages.map(withoutFromId)).toEqual(context?.messages.map(withoutFromId));
  session.close();
}

/** A branch summary's `fromId` may be re-linked; it has no effect (session tree §2.5). */
function withoutFromId(message: AgentMessage): JsonObject {
  const { fromId: _, ...rest } = message as unknown as JsonObject;
  return rest;
}

function expectSameBytes(
  source: string,
  copy: string,
  sameBytes: readonly string[] | undefined,
  records: readonly JsonObject[],
): void {
  if (!sameBytes) return;
  const lines = copy.split("\n").slice(1);
  const same = records.flatMap(({ id, type }, i) => {
    const line = lines[i] as string;
    return type !== "label" && source.includes(line) ? [id] : [];
  });
  expect(same).toEqual(sameBytes);
}

async function expectNavigate(one: Case, target: string, wanted: NavigateCase): Promise<void> {
  await withAgent(one, async (agent, path) => {
    const before = readFileSync(path, "utf8");
    if (wanted.error) {
      await expect(agent.navigateTree(target)).rejects.toMatchObject({ code: wanted.error });
      return;
    }
    const leaf = agent.sessionManager.getLeafId();
    const result = await agent.navigateTree(target);
    expect(result.cancelled).toBe(false);
    expect(result.editorText).toBe(wanted.editorText);
    expect(agent.sessionManager.getLeafId()).toBe(wanted.noop ? leaf : wanted.newLeaf);
    const added = readFileSync(path, "utf8").slice(before.length);
    expect(added.includes('"coppice.position"'), `marker for ${target}`).toBe(
      wanted.marker ?? false,
    );
    if (!wanted.marker) expect(added).toBe("");
  });
}

async function expectBranchFrom(one: Case, id: string, wanted: BranchFromCase): Promise<void> {
  await withAgent(one, async (agent, path) => {
    if (wanted.error) {
      await expect(agent.branch(id)).rejects.toMatchObject({ code: wanted.error });
      return;
    }
    const result = await agent.branch(id);
    expect(result).toEqual({ cancelled: false, selectedText: wanted.selectedText });
    const { sessionManager } = agent;
    expect(sessionManager.getHeader().parentSession).toBe(path);
    if (wanted.newSession) expect(sessionManager.getEntries()).toEqual([]);
    else {
      const kept = sessionManager.getBranch().filter(({ type }) => type !== "label");
      expect(kept.map((entry) => entry.id)).toContain(wanted.branchedAt);
    }
  });
}

function expectRequest(
  session: SessionManager,
  leaf: string,
  wanted: readonly RequestCase[],
): void {
  const stored = new Set(session.buildSessionContext(leaf).messages);
  const { messages } = requestFor("/", session.buildSessionContext(leaf).messages);
  expect(messages.map(({ role }) => role)).toEqual(wanted.map(({ role }) => role));
  for (const [i, { textPrefix, contains, toolCalls, synthetic, ...fields }] of wanted.entries()) {
    const message = messages[i] as AgentMessage;
    const text = messageText(message);
    expect(message).toMatchObject(fields);
    if (textPrefix !== undefined) expect(text.startsWith(textPrefix)).toBe(true);
    if (contains !== undefined) expect(text).toContain(contains);
    if (toolCalls) expect(callIds(message)).toEqual(toolCalls);
    expect(message.role === "toolResult" && !isStored(stored, message)).toBe(synthetic ?? false);
  }
}

function callIds(message: AgentMessage): readonly string[] {
  const blocks = (message as { content: readonly { type: string; id?: string }[] }).content;
  return blocks.flatMap(({ type, id }) => (type === "toolCall" && id ? [id] : []));
}

function isStored(stored: ReadonlySet<AgentMessage>, message: AgentMessage): boolean {
  const text = JSON.stringify(message.timestamp) + messageText(message);
  return [...stored].some(
    (s) => s.role === message.role && JSON.stringify(s.timestamp) + messageText(s) === text,
  );
}

type Agent = Awaited<ReturnType<typeof createAgentSession>>;

async function withAgent(
  one: Case,
  work: (agent: Agent, path: string) => Promise<void>,
): Promise<void> {
  const { path, session } = await openCopy(one);
  const settings = await loadSettings({ cwd: dirname(path) });
  const agent = await createAgentSession({ sessionManager: session, settings });
  try {
    await work(agent, path);
  } finally {
    await agent.close();
  }
}
