import { expect, it } from "vitest";
import { records } from "../cli/world.ts";
import { diskSession } from "../host/disk-session.ts";
import { tree } from "../world.ts";
import { contract, type Source } from "./world.ts";

/** Summarises a branch by itself, as a package of the community would. */
const own: Source = (api) => {
  api.on("session_before_tree", ({ preparation }) => {
    if (!preparation.userWantsSummary) return undefined;
    const count = preparation.entriesToSummarize.length;
    return {
      summary: { summary: `I left ${count} entries`, details: { count, files: ["ö.txt"] } },
    };
  });
};

contract("a summarizer of the community", (loadWorld) => {
  it("is asked before the built-in one, and its details stand in the file", async () => {
    const { session, path, id } = await diskSession({ picture: "u1 a1 u2 a2*" });
    const world = await loadWorld({ session, extensions: { own }, builtins: ["summarizer"] });
    const moved = await world.session.navigateTree(id("a1"), { summarize: true });
    expect(moved.summaryEntry).toMatchObject({ summary: "I left 2 entries", fromExtension: true });
    expect(world.model.calls).toEqual([]);
    await world.close();
    expect(records(path).at(-1)).toMatchObject({
      type: "branch_summary",
      summary: "I left 2 entries",
      details: { count: 2, files: ["ö.txt"] },
      fromExtension: true,
      parentId: id("a1"),
    });
  });

  it("that answers summarize_branch counts as an extension's too", async () => {
    const world = await loadWorld({
      session: tree("u1(a1 u2*)(a3)"),
      builtins: ["summarizer"],
      extensions: {
        answers: `export default (api) => {
          api.on("summarize_branch", () => ({ summary: "mine", details: [1] }));
        };`,
      },
    });
    const moved = await world.session.navigateTree(world.id("a3"), { summarize: true });
    const summary = { summary: "mine", details: [1], fromExtension: true };
    expect(moved.summaryEntry).toMatchObject(summary);
    expect(world.model.calls).toEqual([]);
  });

  it("is aborted by Escape, and nothing has changed", async () => {
    const world = await loadWorld({
      session: tree("u1(a1 u2*)(a3)"),
      builtins: ["summarizer"],
      extensions: {
        waits: (api) => {
          api.on("session_before_tree", async ({ signal }, ctx) => {
            ctx.ui.notify("begun");
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            ctx.ui.notify("aborted");
            return { summary: { summary: "too late" } };
          });
        },
      },
    });
    const before = world.sessionManager.getEntries();
    const moving = world.session.navigateTree(world.id("a3"), { summarize: true });
    await expect.poll(() => world.said).toEqual(["begun"]);
    world.session.abortBranchSummary();
    expect(await moving).toEqual({ cancelled: true, aborted: true });
    await expect.poll(() => world.said).toEqual(["begun", "aborted"]);
    expect(world.sessionManager.getLeafId()).toBe(world.id("u2"));
    expect(world.sessionManager.getEntries()).toEqual(before);
  });

  it("that takes too long is replaced by the built-in one", async () => {
    const world = await loadWorld({
      session: tree("u1(a1 u2*)(a3)"),
      builtins: ["summarizer"],
      settings: { "extensions.handlerTimeoutMs": 20 },
      extensions: {
        slow: `export default (api) => {
          api.on("session_before_tree", () => new Promise(() => undefined));
        };`,
      },
    });
    const called = world.model.called();
    const moving = world.session.navigateTree(world.id("a3"), { summarize: true });
    const call = await called;
    call.say("## Goal\nthe built-in summary");
    call.finish();
    const { summaryEntry } = await moving;
    expect(summaryEntry).toMatchObject({ fromExtension: false });
    expect(summaryEntry?.summary).toContain("the built-in summary");
    expect(world.reported).toEqual(["slow HOOK_TIMEOUT"]);
  });
});

contract("a command that walks the tree", (loadWorld) => {
  const walks: Source = (api) => {
    api.registerCommand("walk", {
      async handler(_args, ctx) {
        const { sessionManager } = ctx;
        const prompts = sessionManager.getIndex().filter(({ role }) => role === "user");
        for (const { id } of prompts) {
          const { cancelled, editorText } = await ctx.navigateTree(id);
          ctx.ui.notify(`${editorText} ${cancelled} ${sessionManager.getLeafId()}`);
        }
        const last = prompts.at(-1);
        if (!last) return;
        await ctx.branch(last.id, {
          withSession: (next) =>
            next.ui.notify(`branched ${next.sessionManager.getBranch().length}`),
        });
      },
    });
  };

  it("moves with navigateTree and grows a new file with branch", async () => {
    const { session, path, id } = await diskSession({ picture: "u1 a1 u2 a2*" });
    const world = await loadWorld({ session, extensions: { walks } });
    await world.command("/walk");
    expect(world.said).toEqual(["u1 false null", `u2 false ${id("a1")}`, "branched 2"]);
    const file = world.session.sessionManager.getSessionFile();
    expect(file).not.toBe(path);
    expect(records(file ?? "")[0]).toMatchObject({ parentSession: path });
  });
});
