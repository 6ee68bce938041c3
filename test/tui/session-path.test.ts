import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SessionManager } from "../../core/index.ts";
import { PathReader } from "../../tui/session-path.ts";
import { blocksOf } from "../../tui/transcript.ts";
import { reply, user } from "../core/messages.ts";
import { fixedEnvironment } from "../world.ts";
import { openApp } from "./app-world.ts";

function longSession(count: number): SessionManager {
  const session = SessionManager.inMemory("/project", fixedEnvironment());
  for (let i = 0; i < count; i++) session.appendMessage(user(`line ${i}`));
  return session;
}

describe("the path of a session", () => {
  it("is read from its end, and further up when it is wanted", () => {
    const session = longSession(1000);
    const reader = new PathReader(session);
    const first = reader.read();
    expect(first.path).toHaveLength(1000);
    expect(first.from).toBe(600);
    expect(first.blocks[0]).toMatchObject({ text: "line 600", at: 600 });
    reader.readEarlier();
    expect(reader.read().blocks[0]).toMatchObject({ text: "line 200", at: 200 });
    session.appendMessage(user("new"));
    expect(reader.read().blocks.at(-1)).toMatchObject({ text: "new", at: 1000 });
    reader.readEarlier();
    expect(reader.read()).toMatchObject({ from: 0 });
    expect(reader.read().blocks).toEqual(blocksOf(session.getBranch()));
  });

  it("keeps its blocks while it grows, so that they are not wrapped again", () => {
    const session = longSession(10);
    const reader = new PathReader(session);
    const before = reader.read().blocks;
    session.appendMessage(reply("hello"));
    const after = reader.read().blocks;
    expect(after.slice(0, 10).every((block, i) => block === before[i])).toBe(true);
    expect(reader.read().blocks).toBe(after);
  });

  it("is the same whether it grew step by step or is read anew, whatever is done", () => {
    const step = fc.oneof(
      fc.constantFrom("say", "answer", "label", "root"),
      fc.nat({ max: 30 }).map((at) => at),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const session = SessionManager.inMemory("/project", fixedEnvironment());
        const reader = new PathReader(session);
        for (const each of steps) {
          act(session, each);
          const known = reader.read();
          const anew = new PathReader(session).read();
          const branch = session.getBranch();
          expect(known).toEqual(anew);
          expect(known.path).toEqual(branch.map(({ id }) => id));
          expect(known.blocks).toEqual(blocksOf(branch));
          const forks = branch.filter(({ id }) => session.getChildren(id).length > 1);
          expect(known.forks).toBe(forks.length);
        }
      }),
      { seed: 20260104, numRuns: 150 },
    );
  });
});

function act(session: SessionManager, step: string | number): void {
  const entries = session.getEntries();
  const some = typeof step === "number" ? entries[step % Math.max(1, entries.length)] : undefined;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  if (some) session.branch(some.id);
  else if (step === "answer") session.appendMessage(reply("yes", { usage }));
  else if (step === "root") session.resetLeaf();
  else if (step === "label" && entries[0]) session.appendLabelChange(entries[0].id, "x");
  else session.appendMessage(user("hello"));
}

it("the chat scrolls up to the first message of a long session", async () => {
  const app = await openApp({ session: longSession(700) });
  expect(app.screen).toContain("› line 699");
  for (let i = 0; i < 100; i++) app.press("pageup");
  await app.shows(/^ › line 0$/m);
  app.press("end");
  await app.shows("› line 699");
});
