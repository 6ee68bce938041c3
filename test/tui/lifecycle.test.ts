import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile } from "../compile.ts";
import { openPty, type Pty } from "../pty.ts";

const fixture = await compile(fileURLToPath(new URL("fixtures/screen.ts", import.meta.url)));
const command = `${process.execPath} ${fixture}`;

/** An interactive shell with the program not yet started. */
async function openShell(): Promise<Pty> {
  const pty = openPty({
    command: "bash",
    args: ["--norc", "--noprofile", "-i"],
    env: { PS1: "$ ", HISTFILE: undefined, INPUTRC: "/dev/null" },
  });
  await pty.waitForText("$");
  pty.write("bind 'set enable-bracketed-paste off'; echo shell-$((1+1))\r");
  await pty.waitForText("shell-2");
  return pty;
}

async function terminalState(pty: Pty, mark: string): Promise<string> {
  pty.write(`clear; stty -g; echo ${mark}-$((1+1))\r`);
  const screen = await pty.waitForText(`${mark}-2`);
  return screen.rows.find((row) => /^[0-9a-f:]+$/.test(row)) ?? "";
}

/** Starts the program in the shell; gives its process id once it shows itself. */
async function start(pty: Pty): Promise<number> {
  pty.write(`clear; ${command}; echo exit-$?\r`);
  const screen = await pty.waitForText(/pid \d+ events 0[\s\S]*ready/);
  return Number(/pid (\d+)/.exec(screen.text)?.[1]);
}

async function expectNormalScreen(pty: Pty, before: string): Promise<void> {
  const screen = pty.view();
  expect(screen.isAlternate).toBe(false);
  expect(screen.cursor.isVisible).toBe(true);
  expect(screen.modes.bracketedPasteMode).toBe(false);
  expect(screen.modes.mouseTrackingMode).toBe("none");
  expect(screen.modes.sendFocusMode).toBe(false);
  expect(screen.modes.applicationCursorKeysMode).toBe(false);
  expect(screen.modes.wraparoundMode).toBe(true);
  const output = pty.output();
  expect(output.split("\x1b[<u").length).toBe(output.split("\x1b[>1u").length);
  expect(output.lastIndexOf("\x1b[>4;0m")).toBeGreaterThan(output.lastIndexOf("\x1b[>4;1m"));
  expect(await terminalState(pty, "after")).toBe(before);
}

describe("the program gives the terminal back and its report can be read", () => {
  const byKey: readonly (readonly [string, string, number, RegExp])[] = [
    ["a throw", "t", 1, /TypeError: thrown on purpose[\s\S]*ended by error after 1 events/],
    ["a rejection", "r", 1, /TypeError: rejected on purpose[\s\S]*ended by error after 1 events/],
    ["a throw while painting", "p", 1, /TypeError: thrown while painting[\s\S]*ended by error/],
    ["process.exit", "e", 3, /exit-3/],
    ["its own end", "q", 0, /closed/],
  ];

  test.each(byKey)("after %s", async (_, key, code, report) => {
    const pty = await openShell();
    const before = await terminalState(pty, "before");
    await start(pty);
    pty.write(key);
    const screen = await pty.waitForText(`exit-${code}`);
    expect(screen.text).toMatch(report);
    await expectNormalScreen(pty, before);
  });

  const bySignal = [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
  ] as const;

  test.each(bySignal)("after %s", async (signal, code) => {
    const pty = await openShell();
    const before = await terminalState(pty, "before");
    process.kill(await start(pty), signal);
    const screen = await pty.waitForText(`exit-${code}`);
    expect(screen.text).toContain("ended by signal after 0 events");
    await expectNormalScreen(pty, before);
  });
});

test("Ctrl+Z stops the program and fg brings its screen back, twice", async () => {
  const pty = await openShell();
  const before = await terminalState(pty, "before");
  await start(pty);
  for (const round of [1, 2]) {
    pty.write("\x1a");
    await pty.waitFor((screen) => !screen.isAlternate && /Stopped/.test(screen.text), "Stopped");
    await expectNormalScreen(pty, before);
    pty.write("fg\r");
    await pty.waitFor(
      (screen) => screen.isAlternate && screen.text.includes("ready"),
      "the screen again",
    );
    pty.write("a");
    const screen = await pty.waitForText(`events ${round * 2}`);
    expect(screen.row(1)).toMatch(/ctrl\+z a$/);
    expect(screen.modes.bracketedPasteMode).toBe(true);
  }
  pty.write("q");
  await pty.waitForText("closed");
  pty.write("echo exit-$?\r");
  await pty.waitForText("exit-0");
  await expectNormalScreen(pty, before);
});

test("SIGTSTP from outside does the same", async () => {
  const pty = await openShell();
  const before = await terminalState(pty, "before");
  const pid = await start(pty);
  process.kill(pid, "SIGTSTP");
  await pty.waitFor((screen) => !screen.isAlternate && /Stopped/.test(screen.text), "Stopped");
  await expectNormalScreen(pty, before);
  pty.write("fg\r");
  await pty.waitFor((screen) => screen.isAlternate && screen.text.includes("ready"), "again");
  pty.write("q");
  await pty.waitForText("closed");
});

test("where nothing can stop it, Ctrl+Z leaves the screen as it was", async () => {
  const pty = openPty({ args: [fixture] });
  await pty.waitForText("ready");
  pty.write("\x1a");
  await pty.waitFor((screen) => !screen.isAlternate, "the normal screen");
  await pty.waitFor((screen) => screen.isAlternate && screen.text.includes("ready"), "again");
  pty.write("q");
  expect((await pty.exited).code).toBe(0);
});

test("stopped without notice, the program takes back whatever was changed meanwhile", async () => {
  const pty = await openShell();
  const before = await terminalState(pty, "before");
  process.kill(await start(pty), "SIGSTOP");
  await pty.waitForText("Stopped");
  pty.write("fg\r");
  await pty.waitForText(/^size 80x24.*\n\n[\s\S]*ready/);
  pty.write("q");
  await pty.waitForText("closed");
  await expectNormalScreen(pty, before);
});

test("continued in the background, it writes nothing to the shell's screen", async () => {
  const pty = await openShell();
  const pid = await start(pty);
  pty.write("\x1a");
  await pty.waitFor((screen) => !screen.isAlternate && /Stopped/.test(screen.text), "Stopped");
  const written = pty.output().length;
  pty.write(
    `bg; until grep -q "State:.T" /proc/${pid}/status; do :; done; echo background-$((1+1))\r`,
  );
  await pty.waitForText("background-2");
  expect(pty.output().slice(written)).not.toContain("\x1b[?1049h");
  pty.write("fg\r");
  await pty.waitFor((screen) => screen.isAlternate && screen.text.includes("ready"), "again");
  pty.write("q");
  await pty.waitForText("closed");
});

test("an input that is gone ends the program quietly, its session closed", async () => {
  const pty = openPty({ args: [fixture] });
  await pty.waitForText("ready");
  pty.write("y");
  expect((await pty.exited).code).toBe(0);
  expect(pty.view().isAlternate).toBe(false);
  expect(pty.view().text).toContain("ended by inputClosed after 1 events");
});

test("an output that is gone ends the program quietly, its session closed", async () => {
  const pty = openPty({ args: [fixture] });
  await pty.waitForText("ready");
  pty.write("x");
  expect((await pty.exited).code).toBe(0);
  expect(pty.view().isAlternate).toBe(false);
  expect(pty.view().text).toContain("ended by outputClosed after 1 events");
});
