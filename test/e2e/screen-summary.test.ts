import { describe, expect, onTestFinished, test } from "vitest";
import { gate, type ServerOptions, startAnthropicServer } from "../anthropic-server.ts";
import { records, world } from "../cli/world.ts";
import type { Pty } from "../pty.ts";
import { END, ESC, leave, openScreen } from "./screen-world.ts";

/** From the leaf `B deep2` to the question that stands before a move to `A leaf`. */
async function toQuestion(screen: Pty): Promise<void> {
  await screen.waitForText(" › B deep2");
  screen.write("/tree\r");
  await screen.waitForText("Session tree");
  screen.write(END);
  await screen.waitForText(/^› .*A leaf/m);
  screen.write("\r");
  await screen.waitForText("You leave 3 entries behind");
}

async function onServer(options: ServerOptions = {}) {
  const server = await startAnthropicServer(options);
  onTestFinished(() => server.close());
  const there = world();
  const file = there.copyOf("select-tree-t");
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "local" };
  const screen = openScreen(there, ["--session", file, "--model", "anthropic"], { env });
  return { there, file, server, screen };
}

test("the offline model leaves a summary of the branch behind", async () => {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const screen = openScreen(there, ["--session", file, "--model", "offline"]);
  await toQuestion(screen);
  screen.write("s");
  await screen.waitForText("≡ summary of the branch that was left");
  expect(screen.view().text).not.toContain("B deep2");
  await leave(screen);
  const summary = records(file).find(({ type }) => type === "branch_summary");
  expect(summary.summary).toContain("offline model");
});

test("a model of a server does, and says how far it is", async () => {
  const { screen, server, file } = await onServer();
  const held = gate();
  server.reply({ steps: [{ text: "## Goal so far" }, { hold: held.hold }, { text: "\n## Done" }] });
  await toQuestion(screen);
  screen.write("s");
  await screen.waitForText("Summarizing 3 entries");
  await screen.waitForText("## Goal so far");
  held.release();
  await screen.waitForText("≡ summary of the branch that was left");
  await leave(screen);
  const summary = records(file).find(({ type }) => type === "branch_summary");
  expect(summary.summary).toContain("## Done");
});

test("takes a focus of one's own", async () => {
  const { screen, server } = await onServer();
  server.reply("## Goal: the focus");
  await toQuestion(screen);
  screen.write("f");
  await screen.waitForText("What should the summary focus on?");
  screen.write("the file format\r");
  await screen.waitForText("## Goal: the focus");
  expect(JSON.stringify(server.requests[0]?.body)).toContain("the file format");
});

describe("Escape", () => {
  test("while the summary is written leaves file and leaf as they were", async () => {
    const { there, screen, server } = await onServer();
    server.reply({ steps: [{ text: "half of it" }, { hold: new Promise(() => undefined) }] });
    await screen.waitForText(" › B deep2");
    const before = there.hashes();
    await toQuestion(screen);
    screen.write("s");
    await screen.waitForText("half of it");
    screen.write(ESC);
    await screen.waitForText("Session tree");
    expect((await server.request(0)) && (await server.requests[0]?.closed)).toBe(true);
    expect(there.hashes()).toEqual(before);
    screen.write("\x03");
    await screen.waitForText(" › B deep2");
    await leave(screen);
  });

  test("at the question returns to the tree on the same row", async () => {
    const { screen } = await onServer();
    await toQuestion(screen);
    screen.write(ESC);
    await screen.waitForText(/^› .*A leaf/m);
  });
});

test("an error of the model is told, and nothing has moved", async () => {
  const { there, screen, server } = await onServer();
  server.reply({ error: { status: 400, type: "invalid_request_error", message: "not today" } });
  await screen.waitForText(" › B deep2");
  const before = there.hashes();
  await toQuestion(screen);
  screen.write("s");
  await screen.waitForText("not today");
  expect(there.hashes()).toEqual(before);
});

test("without a model a summary is refused", async () => {
  const there = world();
  const file = there.copyOf("select-tree-t");
  const screen = openScreen(there, ["--session", file, "--model", "none"]);
  await toQuestion(screen);
  screen.write("s");
  await screen.waitForText("a summary needs a model");
});
