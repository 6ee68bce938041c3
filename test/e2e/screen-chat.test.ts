import { describe, expect, onTestFinished, test } from "vitest";
import { gate, startAnthropicServer } from "../anthropic-server.ts";
import { records, world } from "../cli/world.ts";
import { ESC, leave, openScreen } from "./screen-world.ts";

async function onServer(size: { columns?: number; rows?: number } = {}) {
  const server = await startAnthropicServer();
  onTestFinished(() => server.close());
  const there = world();
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "local" };
  const screen = openScreen(there, [], { env, ...size });
  await screen.waitForText("F1");
  return { there, server, screen };
}

test("a reply streams in and is stopped by Escape", async () => {
  const { there, server, screen } = await onServer();
  server.reply({ steps: [{ text: "Teapots are" }, { hold: new Promise(() => undefined) }] });
  screen.write("Tell me of teapots\r");
  await screen.waitForText("   Teapots are");
  await screen.waitForText("Esc stops");
  screen.write(ESC);
  await screen.waitForText("(stopped)");
  await leave(screen);
  const [, , reply] = records(there.sessions()[0] ?? "");
  expect(reply.message).toMatchObject({ stopReason: "aborted" });
});

test("while a reply comes one can look into the tree; a second prompt waits in the editor", async () => {
  const { server, screen } = await onServer();
  const held = gate();
  server.reply({ steps: [{ text: "Teapots are" }, { hold: held.hold }, { text: "round" }] });
  screen.write("Tell me of teapots\r");
  await screen.waitForText("   Teapots are");
  screen.write("and cups?\r");
  await screen.waitForText("the agent is busy (streaming)");
  expect(screen.view().text).toContain(" › and cups?");
  screen.write("\x15/tree\r");
  await screen.waitForText("Session tree");
  screen.write("\x03");
  held.release();
  await screen.waitForText("   round");
  await leave(screen);
});

test("an error of the model stands in the chat", async () => {
  const { server, screen } = await onServer();
  server.reply({ error: { status: 400, type: "invalid_request_error", message: "not today" } });
  screen.write("Hello\r");
  await screen.waitForText(/✗ .*not today/);
  await leave(screen);
});

test("what a model says reaches nothing but its cells", async () => {
  const { server, screen } = await onServer();
  server.reply(
    "\x1b]0;PWNED\x07title \x1b]52;c;UFdORUQ=\x07clip \x9b2Jclear \u202eevil 👩‍👩‍👧 日本語 end",
  );
  screen.write("Hello\r");
  const view = await screen.waitForText("日本語 end");
  expect(view.titles).toEqual([]);
  expect(view.clipboard).toEqual([]);
  expect(view.text).toContain(" › Hello");
  await leave(screen);
});

test("text of several lines is written, pasted, undone and sent", async () => {
  const { there, screen } = await onServer();
  screen.write("one\x1b[13;2utwo\x1b\rthree\n");
  await screen.waitForText(/ › one\n {3}two\n {3}three/);
  screen.write("\x1b[200~four\nfive\x1b[201~");
  await screen.waitForText(/ {3}four\n {3}five/);
  screen.write("\x1f");
  await screen.waitFor(({ text }) => !text.includes("four"), "the paste undone");
  screen.write("end\r");
  await screen.waitForText(/ › one[\s\S]*end/);
  await leave(screen);
  const [, prompt] = records(there.sessions()[0] ?? "");
  expect(prompt.message.content).toBe("one\ntwo\nthree\nend");
});

test("a terminal that shrinks and grows shows all of it again", async () => {
  const { screen } = await onServer();
  screen.write("draft");
  await screen.waitForText(" › draft");
  screen.resize(19, 24);
  await screen.waitForText("Terminal too small");
  screen.resize(40, 10);
  await screen.waitForText(" › draft");
  screen.resize(120, 40);
  await screen.waitFor(({ rows }) => rows.at(-1)?.includes("F1 help") === true, "the footer");
  expect(screen.view().text).toContain(" › draft");
});

describe("a signal", () => {
  test("ends the program with the screen given back and the way to return", async () => {
    const { screen, there } = await onServer();
    screen.write("Hello\r");
    await screen.waitForText(/› Hello[\s\S]*Hello/);
    screen.kill("SIGTERM");
    expect(await screen.exited).toMatchObject({ code: 143 });
    const view = screen.view();
    expect(view.isAlternate).toBe(false);
    expect(view.cursor.isVisible).toBe(true);
    expect(view.text).toMatch(/coppice --session [\da-f]{8}-[\da-f]{4}/);
    expect(there.sessions()).toHaveLength(1);
  });
});

test("the command it leaves behind opens the same session", async () => {
  const { there, screen } = await onServer();
  screen.write("Tell me of teapots\r");
  await screen.waitForText(/› Tell me of teapots[\s\S]*Tell me of teapots/);
  await leave(screen);
  const [, prefix = ""] = /coppice --session (\S+)/.exec(screen.view().text) ?? [];
  const again = openScreen(there, ["--session", prefix, "--model", "offline"]);
  await again.waitForText(" › Tell me of teapots");
  await leave(again);
});

test("without colour, marks and words carry the meaning", async () => {
  const there = world();
  const screen = openScreen(there, ["--model", "offline"], { env: { NO_COLOR: "1" } });
  await screen.waitForText("F1 help");
  screen.write("/nothing\r");
  await screen.waitForText(/✗ no command \/nothing; \/help lists the commands/);
  expect(screen.view().styleMap().join("\n")).not.toMatch(/fg|bg/);
});
