import { type AgentSession, completeArgument, runShortcut } from "../host/index.ts";
import { commandText } from "./completion.ts";
import { failureText } from "./failure.ts";
import type { AppEvent, Effect } from "./model.ts";
import type { ScreenInterface } from "./screen-interface.ts";
import type { SessionFacts } from "./session-facts.ts";

/** What effects act on. */
export interface EffectHost {
  readonly session: AgentSession;
  readonly ui: ScreenInterface;
  send(event: AppEvent): void;
  readFacts(): SessionFacts;
  /** Reads more of the path and sends it. */
  readEarlier(): void;
  suspend(): void;
  redraw(): void;
  end(): void;
}

type EffectOf<T extends Effect["type"]> = Extract<Effect, { readonly type: T }>;
type Runners = {
  readonly [T in Effect["type"]]: (host: EffectHost, effect: EffectOf<T>) => void | Promise<void>;
};

const RUNNERS: Runners = {
  prompt: (host, { text }) => runPrompt(host, text),
  command: (host, { line }) => runLine(host, line),
  complete: (host, { request }) => complete(host, request),
  shortcut: (host, { key }) => pressShortcut(host, key),
  panelEffect: (host, { id, run }) => runPanelEffect(host, id, run),
  abort: ({ session }) => session.abort(),
  answer: ({ ui }, { id, answer }) => ui.answer(id, answer),
  readEarlier: (host) => host.readEarlier(),
  suspend: (host) => host.suspend(),
  redraw: (host) => host.redraw(),
  end: (host) => host.end(),
};

/** Does what an update asked for. Nothing is thrown here: what goes wrong comes back as an event. */
export function runEffect(host: EffectHost, effect: Effect): void {
  const run = RUNNERS[effect.type] as (host: EffectHost, effect: Effect) => void | Promise<void>;
  void run(host, effect);
}

async function runPrompt(host: EffectHost, text: string): Promise<void> {
  try {
    await host.session.prompt(text);
  } catch (error) {
    host.send({ type: "failed", of: "prompt", text: failureText(error, "the prompt") });
  }
  host.send({ type: "promptEnded" });
}

async function runLine(host: EffectHost, line: string): Promise<void> {
  try {
    await host.session.runCommand(line);
  } catch (error) {
    const [name] = line.split(/\s/);
    host.send({ type: "failed", of: "command", text: failureText(error, name ?? line) });
  }
  host.send({ type: "commandEnded", line, facts: host.readFacts() });
}

async function complete(host: EffectHost, request: string): Promise<void> {
  const { name = "", argument = "" } = commandText(request) ?? {};
  try {
    const items = await completeArgument(host.session, name, argument);
    host.send({ type: "completed", request, items });
  } catch (error) {
    host.send({ type: "failed", text: failureText(error, `completing /${name}`) });
  }
}

async function pressShortcut(host: EffectHost, key: string): Promise<void> {
  try {
    if (!(await runShortcut(host.session, key))) return;
  } catch (error) {
    host.send({ type: "failed", text: failureText(error, `the key ${key}`) });
  }
  host.send({ type: "facts", facts: host.readFacts() });
}

async function runPanelEffect(
  host: EffectHost,
  id: number,
  run: () => Promise<unknown>,
): Promise<void> {
  try {
    host.send({ type: "panelEffect", id, settled: { value: await run() } });
  } catch (error) {
    host.send({ type: "panelEffect", id, settled: { error } });
  }
}
