import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { gate, startAnthropicServer } from "../anthropic-server.ts";
import { wireText } from "../anthropic-wire.ts";
import { records, world } from "../cli/world.ts";
import { DOWN, ESC, leave, UP } from "./screen-world.ts";
import { isChat, isTree, select, selected, toChat, toTree } from "./tree-walk.ts";

const NEVER = new Promise(() => undefined);

/** A chat with a server that speaks the Messages API, on tree T or in a new session. */
async function withServer(...args: readonly string[]) {
  const server = await startAnthropicServer();
  onTestFinished(() => server.close());
  const there = world();
  const file = there.copyOf("select-tree-t");
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "local-key-0123" };
  const chosen = args.length > 0 ? args : ["--session", file, "--model", "anthropic"];
  return { there, file, server, env, screen: await toChat(there, chosen, { env }) };
}

test("the summary stands beside the message gone to, with its files, and the model is told", async () => {
  const { there, file, server, screen } = await withServer();
  server.reply("## Goal\nWhere B went.");
  await toTree(screen);
  await select(screen, "user: A start", DOWN);
  screen.write("\r");
  await screen.waitForText("You leave 3 entries behind");
  screen.write("s");
  await screen.waitForText(/^ › A start$/m);
  expect(wireText(server.requests[0]?.body.messages?.at(-1))).toMatch(
    /\[User\]: B start[\s\S]*\[User\]: B deep2/,
  );
  const summary = records(file).at(-1);
  expect(summary).toMatchObject({
    type: "branch_summary",
    parentId: "a2",
    fromId: "a2",
    fromExtension: false,
    details: { readFiles: [], modifiedFiles: [] },
  });
  expect(summary.summary).toContain("Where B went.");

  screen.write(" anew\r");
  await screen.waitForText("You said: A start anew");
  await leave(screen);
  const sent = server.requests.at(-1)?.body.messages ?? [];
  expect(sent.map(wireText).join("\n")).toContain("<summary>");
  const tree = JSON.parse((await there.coppice("tree", file, "--json")).stdout);
  const shown = tree.nodes.filter(({ active }: { active: boolean }) => active);
  expect(shown.at(-3)).toMatchObject({ type: "branch_summary", parentId: "a2" });
  expect(readFileSync(file, "utf8")).not.toContain("local-key-0123");
});

test("Escape during the summary leads back to the row; file and leaf are as they were", async () => {
  const { there, server, screen } = await withServer();
  server.reply({ steps: [{ text: "half of it" }, { hold: NEVER }] });
  const before = there.hashes();
  await toTree(screen);
  await select(screen, "assistant: A resp", DOWN);
  screen.write("\r");
  await screen.waitForText("You leave 3 entries behind");
  screen.write("s");
  await screen.waitForText("half of it");
  screen.write(ESC);
  const back = await screen.waitFor(isTree, "the tree");
  expect(back.text).toContain("Stopped: nothing has moved.");
  expect(selected(back)).toBe("assistant: A resp");
  expect(await server.requests[0]?.closed).toBe(true);
  screen.write(ESC);
  await screen.waitFor((view) => isChat(view) && view.text.includes("B deep2"), "the old place");
  expect(selected(await toTree(screen))).toBe("user: B deep2");
  expect(there.hashes()).toEqual(before);
});

test("a summary that is killed with the program has moved nothing", async () => {
  const { file, server, screen } = await withServer();
  server.reply({ steps: [{ text: "half of it" }, { hold: NEVER }] });
  const before = readFileSync(file);
  await toTree(screen);
  await select(screen, "assistant: A resp", DOWN);
  screen.write("\r");
  await screen.waitForText("No summary");
  screen.write("s");
  await screen.waitForText("half of it");
  screen.kill("SIGKILL");
  await screen.exited;
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a prompt is in the file before the reply begins, and stays there after kill -9", async () => {
  const { there, server, env, screen } = await withServer("--model", "anthropic");
  const held = gate();
  server.reply({ steps: [{ hold: held.hold }, { text: "Too late" }] });
  screen.write("What of 玄米茶 🍵?\r");
  await server.request(0);
  const [file = ""] = there.sessions();
  expect(records(file).at(-1).message.content).toBe("What of 玄米茶 🍵?");
  screen.kill("SIGKILL");
  await screen.exited;
  held.release();

  const again = await toChat(there, ["-c"], { env });
  expect(again.view().text).toContain("› What of 玄米茶 🍵?");
  again.write("Once more\r");
  await again.waitForText("You said: Once more");
  await leave(again);
  const texts = records(file).flatMap(({ message }) => message?.content ?? []);
  expect(texts).toContain("What of 玄米茶 🍵?");
  expect(texts).toContain("Once more");
});

test("wide characters are typed, pasted, shown, sent and stored as they are", async () => {
  const { there, server, screen } = await withServer("--model", "anthropic");
  const typed = "漢字とかな ✅👩‍👩‍👧 é ";
  const pasted = "두 줄\nかしこまりました 🏳️‍🌈";
  screen.write(typed);
  await screen.waitForText("漢字とかな ✅");
  screen.write(`\x1b[200~${pasted}\x1b[201~`);
  const view = await screen.waitForText("かしこまりました");
  const row = view.rows.findIndex((text) => text.startsWith(" › 漢字"));
  expect(view.cell(3, row)).toMatchObject({ text: "漢", width: 2 });
  expect(view.cursor).toMatchObject({ row: row + 1, isVisible: true });
  screen.write(`${UP}\x1b[F${DOWN}\x1b[F\r`);
  await screen.waitForText(/You said: 漢字とかな ✅[\s\S]*두 줄[\s\S]*かしこまりました/);
  await leave(screen);
  const prompt = `${typed}${pasted}`;
  expect(wireText(server.requests[0]?.body.messages?.at(-1))).toBe(prompt);
  expect(records(there.sessions()[0] ?? "")[1].message.content).toBe(prompt);
});
