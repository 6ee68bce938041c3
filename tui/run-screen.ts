import type { AppOptions } from "./app.ts";
import { answersQuery, screenMode } from "./capabilities.ts";
import { tuiError } from "./errors.ts";
import type { InputEvent } from "./input-events.ts";
import { chooseSession } from "./session-choice.ts";
import { modelFlag, type Setting, startAgent } from "./startup.ts";

/**
 * Shows the session of the run on the full screen until the person leaves; gives the exit code.
 * `leave` is called before the screen takes over the process. Raises TERMINAL_MISSING before a
 * session is opened.
 */
export async function runScreen(setting: Setting, leave: () => void): Promise<number> {
  const { flags, settings } = setting;
  const early = await typedEarly();
  const { runApp } = await import("./app.ts");
  const { ScreenInterface } = await import("./screen-interface.ts");
  const ui = new ScreenInterface();
  const sessionManager = await chooseSession(setting);
  const session = await startAgent(setting, { sessionManager, model: modelFlag(flags), ui });
  const options: AppOptions = {
    session,
    ui,
    settings,
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    noColour: !flags.color,
    typed: flags.resume === true ? [...typing("/resume"), ...early] : early,
  };
  leave();
  try {
    return await runApp(options);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** What the person typed before the screen is there. Raises TERMINAL_MISSING where none can be. */
async function typedEarly(): Promise<readonly InputEvent[]> {
  const { env, stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const mode = screenMode({ env, isTerminal });
  if (mode === "screen") return [];
  if (mode === "plain") throw tuiError("TERMINAL_MISSING", { reason: whyPlain(isTerminal) });
  const startTimer = (milliseconds: number, run: () => void) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  };
  const { isAnswered, typed } = await answersQuery({ stdin, stdout }, startTimer);
  if (isAnswered) return typed;
  throw tuiError("TERMINAL_MISSING", { reason: "this one does not answer" });
}

function whyPlain(isTerminal: boolean): string {
  if (!isTerminal) return "stdin or stdout is none";
  const { ACCESSIBLE, TERM } = process.env;
  return ACCESSIBLE === "1" ? "ACCESSIBLE asks for none" : `TERM is ${JSON.stringify(TERM ?? "")}`;
}

/** A command as a person types it. */
function typing(command: string): readonly InputEvent[] {
  const none = { ctrl: false, alt: false, shift: false };
  return [
    { type: "paste", text: command },
    { type: "key", name: "enter", ...none },
  ];
}
