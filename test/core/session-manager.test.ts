import { describe, expect, it } from "vitest";
import {
  buildSessionContext,
  MemoryStore,
  messageText,
  type NewRecord,
  newHeader,
  rowOf,
  SessionManager,
} from "../../core/index.ts";
import { assistantMessage, fixedEnvironment, tree, userMessage } from "../world.ts";

const texts = (session: SessionManager, leaf?: string) =>
  session.buildSessionContext(leaf).messages.map(messageText);

describe("appends", () => {
  it("form a chain: every one is the child of the leaf and becomes the leaf", () => {
    const { session, id } = tree("u1 a1 u2");
    expect(session.getBranch().map((entry) => entry.parentId)).toEqual([null, id("u1"), id("a1")]);
    expect(session.getLeafId()).toBe(id("u2"));
  });

  it("take every kind as parent of the next", () => {
    const { session } = tree("u1");
    const ids = [
      session.appendThinkingLevelChange("high"),
      session.appendModelChange("acme", "lab/m1"),
      session.appendCompaction("sum", "nothing", 10),
      session.appendCustomEntry("state", { a: 1 }),
      session.appendModeChange("plan"),
      session.appendTtsrInjection(["r"]),
      session.appendCustomMessageEntry("note", "text", true),
      session.appendSessionInfo("name"),
    ];
    const path = session.getBranch().map(({ id }) => id);
    expect(path.slice(1)).toEqual(ids);
  });

  it("refuse reserved types and summary roles", () => {
    const { session } = tree("u1");
    const refused = expect.objectContaining({ code: "INVALID_ARGUMENT" });
    expect(() => session.appendCustomEntry("coppice.position")).toThrow(refused);
    expect(() => session.appendCustomMessageEntry("coppice.x", "", true)).toThrow(refused);
    const summary = { role: "branchSummary", summary: "s", timestamp: 1 } as const;
    expect(() => session.appendMessage(summary)).toThrow(refused);
    expect(session.getEntryCount()).toBe(1);
  });

  it("hand out entries that no caller can change", () => {
    const { session } = tree("u1");
    const entry = session.getLeafEntry() as { message: { content: string } };
    expect(() => {
      entry.message.content = "changed";
    }).toThrow(TypeError);
    expect(texts(session)).toEqual(["u1"]);
  });
});

describe("queries", () => {
  it("give paths root first, and nothing for unknown or empty ids", () => {
    const { session, id, names } = tree("u1 a1(u2 u3*)");
    expect(names(session.getBranch())).toEqual(["u1", "a1", "u3"]);
    expect(names(session.getBranch(id("u2")))).toEqual(["u1", "a1", "u2"]);
    expect(session.getBranch("")).toEqual([]);
    expect(session.getBranch("nope")).toEqual([]);
    session.resetLeaf();
    expect(session.getBranch()).toEqual([]);
    expect(session.getLeafEntry()).toBeUndefined();
  });

  it("give children in file order and roots for null", () => {
    const { session, id, names } = tree("u1 a1(u2 u3 u4)");
    expect(names(session.getChildren(id("a1")))).toEqual(["u2", "u3", "u4"]);
    expect(names(session.getChildren(null))).toEqual(["u1"]);
    expect(session.getChildren("nope")).toEqual([]);
  });

  it("give the tree as nested nodes with labels", () => {
    const { session, id, names } = tree("u1 a1(u2 u3*)");
    session.appendLabelChange(id("u2"), " mark ");
    const [root] = session.getTree();
    const below = root?.children[0]?.children ?? [];
    expect(names(below.map(({ entry }) => entry))).toEqual(["u2", "u3"]);
    expect(below[0]).toMatchObject({ label: "mark", labelTimestamp: expect.any(String) });
    expect(SessionManager.inMemory("/", fixedEnvironment()).getTree()).toEqual([]);
  });

  it("walk a chain of 50,000 and list 200,000 children without overflow", () => {
    const chain = storeOf(50_000, (i) => (i === 0 ? null : String(i - 1)));
    expect(chain.getBranch()).toHaveLength(50_000);
    let depth = 0;
    for (let nodes = chain.getTree(); nodes[0]; nodes = nodes[0].children) depth++;
    expect(depth).toBe(50_000);
    const wide = storeOf(200_001, (i) => (i === 0 ? null : "0"));
    expect(wide.getTree()[0]?.children).toHaveLength(200_000);
  });
});

describe("labels", () => {
  it("are set, replaced and cleared, last one wins", () => {
    const { session, id } = tree("u1 a1");
    session.appendLabelChange(id("u1"), "one");
    session.appendLabelChange(id("u1"), "two");
    expect(session.getLabel(id("u1"))).toBe("two");
    for (const blank of [undefined, "", "  "]) {
      session.appendLabelChange(id("u1"), "again");
      session.appendLabelChange(id("u1"), blank);
      expect(session.getLabel(id("u1"))).toBeUndefined();
    }
    expect(() => session.appendLabelChange("nope", "x")).toThrow(
      expect.objectContaining({ code: "ENTRY_NOT_FOUND" }),
    );
    expect(texts(session)).toEqual(["u1", "a1"]);
  });
});

describe("leaf primitives", () => {
  it("move the leaf, and the next append hangs there", () => {
    const { session, id } = tree("u1 a1 u2 a2");
    session.branch(id("a1"));
    const next = session.appendMessage(userMessage("other"));
    expect(session.getEntry(next)?.parentId).toBe(id("a1"));
    session.resetLeaf();
    const root = session.appendMessage(userMessage("root"));
    expect(session.getEntry(root)?.parentId).toBeNull();
  });

  it("refuse what is no entry and leave the leaf", () => {
    const { session, id } = tree("u1");
    for (const wrong of ["nope", "", null as never]) {
      expect(() => session.branch(wrong)).toThrow(/not found/);
    }
    expect(() => session.branchWithSummary("nope", "s")).toThrow(/not found/);
    expect(session.getLeafId()).toBe(id("u1"));
  });

  it("put a summary below the branch point, or at the root", () => {
    const { session, id } = tree("u1 a1 u2");
    const below = session.branchWithSummary(id("a1"), "left", { n: 1 }, true);
    expect(session.getEntry(below)).toMatchObject({
      parentId: id("a1"),
      fromId: id("a1"),
      summary: "left",
      fromExtension: true,
    });
    expect(session.getLeafId()).toBe(below);
    const root = session.branchWithSummary(null, "all");
    expect(session.getEntry(root)).toMatchObject({ parentId: null, fromId: "root" });
    expect(texts(session)).toEqual(["all"]);
  });
});

describe("createBranchedSession in memory", () => {
  it("holds exactly the path and gives no file", () => {
    const { session, id, names } = tree("u1 a1(u2 u3)");
    expect(session.createBranchedSession(id("u2"))).toBeUndefined();
    expect(names(session.getEntries())).toEqual(["u1", "a1", "u2"]);
    expect(() => session.createBranchedSession(id("u3"))).toThrow(/not found/);
  });

  it("carries labels of kept entries with their times and drops others", () => {
    const { session, id } = tree("u1 a1(u2 u3)");
    session.branch(id("u2"));
    session.appendLabelChange(id("u3"), "other");
    session.appendLabelChange(id("a1"), "kept");
    const time = session.getLabelInForce(id("a1"))?.timestamp;
    session.createBranchedSession(session.getLeafId() as string);
    expect(session.getLabelInForce(id("a1"))).toEqual({ label: "kept", timestamp: time });
    expect(session.getLabel(id("u3"))).toBeUndefined();
  });
});

describe("the context", () => {
  it("is empty without entries, and raises for an unknown leaf", () => {
    const session = SessionManager.inMemory("/", fixedEnvironment());
    const empty = { messages: [], thinkingLevel: "off", model: null, mode: "none" };
    expect(session.buildSessionContext()).toMatchObject(empty);
    expect(session.buildSessionContext(null)).toMatchObject(empty);
    for (const wrong of ["", "nope"]) {
      expect(() => session.buildSessionContext(wrong)).toThrow(
        expect.objectContaining({ code: "ENTRY_NOT_FOUND" }),
      );
    }
  });

  it("takes the model of the last assistant message over an earlier change", () => {
    const { session } = tree("u1");
    session.appendModelChange("acme", "lab/m1");
    expect(session.buildSessionContext().model).toEqual({ provider: "acme", modelId: "lab/m1" });
    session.appendMessage(assistantMessage("hi"));
    expect(session.buildSessionContext().model).toEqual({ provider: "test", modelId: "one" });
  });

  it("keeps from the first kept id, and only the last compaction counts", () => {
    const { session, id } = tree("u1 a1 u2 a2");
    session.appendCompaction("first", id("u2"), 100);
    session.appendMessage(userMessage("u3"));
    expect(texts(session)).toEqual(["first", "u2", "a2", "u3"]);
    session.appendCompaction("second", "nowhere", 100);
    expect(texts(session)).toEqual(["second"]);
    const found = session.getDiagnostics().filter(({ code }) => code === "KEPT_ID_UNRESOLVED");
    expect(found).toHaveLength(1);
    session.buildSessionContext();
    expect(session.getDiagnostics()).toHaveLength(1);
    expect(texts(session, id("a1"))).toEqual(["u1", "a1"]);
  });

  it("can be built from entries of anywhere, and ends at a missing parent", () => {
    const { session, id } = tree("u1 a1 u2");
    const entries = session.getEntries();
    expect(buildSessionContext(entries).messages.map(messageText)).toEqual(["u1", "a1", "u2"]);
    expect(buildSessionContext(entries.slice(1)).messages.map(messageText)).toEqual(["a1", "u2"]);
    expect(buildSessionContext(entries, id("a1")).messages).toHaveLength(2);
    expect(() => buildSessionContext(entries, "")).toThrow(/not found/);
    const ring = entries.map((entry, i) => ({
      ...entry,
      parentId: entries[(i + 1) % 3]?.id ?? null,
    }));
    expect(buildSessionContext(ring).messages.length).toBeGreaterThan(0);
  });
});

describe("a move", () => {
  it("with summary and label is one step: summary below the new leaf, label on it", () => {
    const { session, id } = tree("u1 a1 u2 a2");
    const entry = session.applyMove({
      targetId: id("a1"),
      newLeafId: id("a1"),
      summary: { text: "left", fromExtension: false },
      label: " here ",
    });
    expect(entry).toMatchObject({ type: "branch_summary", parentId: id("a1") });
    expect(session.getLabel(entry?.id ?? "")).toBe("here");
    expect(session.getLeafEntry()).toMatchObject({ type: "label", parentId: entry?.id });
  });

  it("with a label alone labels the target", () => {
    const { session, id } = tree("u1 a1 u2 a2");
    session.applyMove({ targetId: id("u2"), newLeafId: id("a1"), label: "try" });
    expect(session.getLabel(id("u2"))).toBe("try");
    expect(session.getLeafEntry()).toMatchObject({ type: "label", parentId: id("a1") });
  });

  it("knows what it leaves behind", () => {
    const { session, id, names } = tree("A B(C(D) E(F)) ");
    const { entries, commonAncestorId } = session.collectAbandoned(id("D"), id("F"));
    expect(names(entries)).toEqual(["C", "D"]);
    expect(commonAncestorId).toBe(id("B"));
    expect(session.collectAbandoned(null, id("D"))).toEqual({
      entries: [],
      commonAncestorId: null,
    });
  });
});

function storeOf(count: number, parentOf: (i: number) => string | null): SessionManager {
  const env = fixedEnvironment();
  const records: NewRecord[] = Array.from({ length: count }, (_, i) => {
    const base = { type: "message", id: String(i), parentId: parentOf(i) };
    const record = { ...base, timestamp: "2026-03-01T09:00:00.000Z", message: userMessage("x") };
    return { row: rowOf(record), json: JSON.stringify(record) };
  });
  return new SessionManager(new MemoryStore(newHeader(env, { cwd: "/" }), records), env);
}
