import { expect, test } from "vitest";
import { BIN, records, type World, world } from "../cli/world.ts";
import { openPty } from "../pty.ts";

const END_OF_INPUT = "\x04";

function open(there: World, ...args: readonly string[]) {
  const env = { COPPICE_HOME: there.home, HOME: there.project };
  return openPty({ args: [BIN, ...args], cwd: there.project, env, columns: 100, rows: 30 });
}

test("--demo shows the sample, answers without a key, and goes on where it was left", async () => {
  const there = world();
  const first = open(there, "--demo");
  await first.waitForText("玄米茶 is on top");
  first.write("What about the roof beams?\r");
  await first.waitForText("I am coppice's offline model.");
  first.write(END_OF_INPUT);
  expect(await first.exited).toMatchObject({ code: 0 });
  expect(first.view().text).toContain("coppice --session 019f6b0e-5a10");
  const [file = "", ...others] = there.sessions();
  expect(others).toEqual([]);
  expect(records(file).at(-1).message).toMatchObject({ role: "assistant", provider: "offline" });

  const second = open(there, "--demo");
  await second.waitForText("What about the roof beams?");
  second.write(END_OF_INPUT);
  expect(await second.exited).toMatchObject({ code: 0 });
});

test("-r without a session lets the person choose one from the list", async () => {
  const there = world();
  await there.coppice("-p", "Tell me of teapots");
  const screen = open(there, "-r");
  await screen.waitForText("Tell me of teapots");
  screen.write("\r");
  await screen.waitForText("I am coppice's offline model.");
  screen.write(END_OF_INPUT);
  expect(await screen.exited).toMatchObject({ code: 0 });
});

test("a session of a newer version is shown with a notice and not written", async () => {
  const there = world();
  const file = there.copyOf("open-version-99");
  const before = there.hashes();
  const screen = open(there, "--session", file, "--model", "offline");
  await screen.waitForText("format version 99");
  screen.write("hello\r");
  await screen.waitForText(/is read-only: it has format\s+version 99/);
  expect(there.hashes()).toEqual(before);
});

test.each([
  ["--session", "no/such.jsonl", /SESSION_NOT_FOUND: .*no\/such\.jsonl/],
  ["--model", "no/such-model", /MODEL_UNKNOWN: .*no\/such-model/],
  ["--fork", ".", /SESSION_UNREADABLE: /],
])("%s %s is refused before the screen is taken", async (flag, value, sentence) => {
  const screen = open(world(), flag, value);
  expect(await screen.exited).toMatchObject({ code: 1 });
  expect(screen.view().text.replaceAll("\n", "")).toMatch(sentence);
  expect(screen.output()).not.toContain("\x1b[?1049h");
});

test.each([
  ["TERM=dumb", 'TERM is "dumb"'],
  ["ACCESSIBLE=1", "ACCESSIBLE asks for none"],
])("with %s no screen is taken", async (variable, reason) => {
  const there = world();
  const env = { COPPICE_HOME: there.home, HOME: there.project };
  const args = [variable, process.execPath, BIN];
  const run = openPty({ command: "env", args, cwd: there.project, env, columns: 150 });
  expect(await run.exited).toMatchObject({ code: 1 });
  expect(run.view().text).toMatch(/^TERMINAL_MISSING: /);
  expect(run.view().text).toContain(reason);
});
