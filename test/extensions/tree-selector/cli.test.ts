import type { ExtensionContext } from "coppice";
import type { SessionManager } from "coppice/core";
import { describe, expect, test } from "vitest";
import { treeVerb } from "../../../extensions/tree-selector/cli.ts";
import { assistant, entry, fiveFilters, sessionOf, user } from "./world.ts";

function forked() {
  const session = sessionOf([
    entry("model_change", "m1", null, { provider: "acme", modelId: "m" }),
    user("u1", "m1", "first\u001b[2J line"),
    assistant("a1", "u1", "reply"),
    user("u2", "u1", "other"),
    entry("label", "l1", "u2", { targetId: "u2", label: "side" }),
  ]);
  session.branch("a1");
  return session;
}

async function run(session: SessionManager, options: object = {}, settings: object = {}) {
  const out: string[] = [];
  const ctx = {
    sessionManager: session,
    getContributions: (point: string) => (point === "tree.filter" ? fiveFilters() : []),
    getSetting: (key: string) => (settings as Record<string, unknown>)[key],
  } as unknown as ExtensionContext;
  const write = (text: string) => out.push(text);
  const code = await treeVerb.run({ args: ["x"], options: { ...options }, write }, ctx);
  expect(code).toBe(0);
  return out.join("");
}

describe("coppice tree", () => {
  test("prints the rows of the classic layout, the leaf marked, cleaned and uncut", async () => {
    expect(await run(forked())).toBe(
      [
        "  • user: first  line",
        "› ├─ • assistant: reply",
        "  └─ [side] user: other",
        "  (2/3)",
        "",
      ].join("\n"),
    );
    const long = "word ".repeat(40).trim();
    expect(await run(sessionOf([user("u1", null, long)]))).toContain(long);
  });

  test("takes a filter, the setting for it, and a query", async () => {
    expect(await run(forked(), { filter: "user-only", query: "OTHER" })).toBe(
      "› [side] user: other\n  (1/1) [user]\n",
    );
    expect(await run(forked(), {}, { treeFilterMode: "labeled-only" })).toContain("[labeled]");
    expect(await run(forked(), {}, { treeFilterMode: "gone" })).toContain("(2/3)\n");
  });

  test("refuses an unknown filter and names those there are", async () => {
    await expect(run(forked(), { filter: "nope" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("default, no-tools, user-only, labeled-only, all"),
    });
  });

  test("prints nothing for an empty session", async () => {
    expect(await run(sessionOf([]))).toBe("");
  });

  test("--json is the documented contract, of the filter's rows and the whole file", async () => {
    const session = forked();
    const json = JSON.parse(await run(session, { json: true, filter: "user-only" }));
    expect(json).toEqual({
      session: {
        id: session.getSessionId(),
        version: 3,
        cwd: "/home/ann/app",
        name: null,
        file: null,
        readOnly: false,
      },
      leafId: "a1",
      entryCount: 5,
      roots: ["m1"],
      labels: [{ id: "u2", text: "side", timestamp: session.getEntry("l1")?.timestamp }],
      diagnostics: [],
      nodes: [
        {
          id: "u1",
          parentId: "m1",
          type: "message",
          role: "user",
          text: "user: first  line",
          depth: 0,
          active: true,
        },
        {
          id: "u2",
          parentId: "u1",
          type: "message",
          role: "user",
          text: "user: other",
          label: "side",
          depth: 1,
          active: false,
        },
      ],
    });
  });

  test("--json holds no character that could act on a terminal, and loses none", async () => {
    const session = sessionOf([user("u1", null)]);
    const label = "a\u009b2J \u202eb\u2028c\u001b[2Jd";
    session.appendLabelChange("u1", label);
    const out = await run(session, { json: true });
    expect(out.trim()).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u202e]*$/);
    expect(JSON.parse(out).labels).toMatchObject([{ id: "u1", text: label }]);
  });
});
