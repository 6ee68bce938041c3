import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startAnthropicServer } from "../anthropic-server.ts";
import { records, type World, world } from "../cli/world.ts";
import { leave, openScreen } from "./screen-world.ts";
import { isChat, toChat } from "./tree-walk.ts";

/** How this machine reaches a registry. */
const NETWORK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(npm_config_.*|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name),
  ),
);

async function isUnreachable(there: World): Promise<boolean> {
  const asked = await there.start(["ext", "info", "npm:pi-aliases", "--json"], NETWORK).ended;
  return asked.stdout.includes("REGISTRY_UNREACHABLE");
}

/** Installs on a terminal: the question is read and answered with yes. */
async function accept(there: World, source: string, permission: string): Promise<void> {
  const terminal = openScreen(there, ["ext", "install", source], {
    patience: 90_000,
    env: NETWORK,
  });
  const { text } = await terminal.waitForText("Install and switch on?");
  expect(text).toContain(permission);
  terminal.write("y\r");
  await terminal.waitForText("is installed and on");
  expect((await terminal.exited).code).toBe(0);
}

test("packages of the registry are asked about, installed, and their commands and tool work", async (context) => {
  const server = await startAnthropicServer();
  onTestFinished(() => server.close());
  const there = world();
  context.skip(await isUnreachable(there), "the registry cannot be reached");
  await accept(there, "npm:pi-aliases", "session:branch");
  await accept(there, "npm:@hyperprior/pi-todo", "tools:register");
  expect(existsSync(join(there.home, "sessions"))).toBe(false);

  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "local-key-0123" };
  const screen = await toChat(there, ["--model", "anthropic"], { env });
  screen.write("/hyper-todos\r");
  await screen.waitForText("No todos.");
  server.reply(
    {
      steps: [{ tool: "hyperpi_todo", id: "t1", input: { action: "add", text: "water the fern" } }],
    },
    "It is noted.",
  );
  screen.write("note the fern\r");
  await screen.waitForText("It is noted.");
  expect(screen.view().text).toContain("Added #1: water the fern");
  screen.write("/hyper-todos\r");
  await screen.waitForText("○ #1 water the fern");
  screen.write("/clear\r");
  await screen.waitFor((view) => isChat(view) && !view.text.includes("fern"), "a new session");
  screen.write("/exit\r");
  expect((await screen.exited).code).toBe(0);
  const [file = ""] = there.sessions();
  const result = records(file).find(({ message }) => message?.role === "toolResult");
  expect(result.message).toMatchObject({ toolName: "hyperpi_todo", isError: false });
}, 240_000);

test("a package that is refused on the terminal is not installed, and nothing of it has run", async () => {
  const there = world();
  const marker = join(there.project, "ran");
  const code = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, ""); export default () => {};`;
  writeFileSync(join(there.project, "stranger.ts"), code);
  const terminal = openScreen(there, ["ext", "install", "./stranger.ts"], { patience: 60_000 });
  await terminal.waitForText("Install and switch on?");
  terminal.write("\r");
  await terminal.waitForText("was not installed");
  expect((await terminal.exited).code).toBe(1);
  const screen = await toChat(there, ["--model", "offline"]);
  await leave(screen);
  expect((await there.coppice("ext", "list")).stdout).toContain("no extensions are installed");
  expect(existsSync(marker)).toBe(false);
});
