import { type AgentSession, cleanLine, type SessionEvent, type Settings } from "../host/index.ts";
import { colourDepth, type Environment } from "./capabilities.ts";
import { textOf } from "./editor.ts";
import { remember } from "./editor-history.ts";
import { type EffectHost, runEffect } from "./effects.ts";
import { escapeWindow } from "./escape.ts";
import { failureText } from "./failure.ts";
import type { StartTimer } from "./input.ts";
import type { InputEvent } from "./input-events.ts";
import { bindKeys } from "./keys.ts";
import {
  type AppEvent,
  type AppModel,
  type AppSettings,
  type DoubleEscapeAction,
  firstModel,
  type NewNote,
} from "./model.ts";
import { openingNotes, resumeCommand } from "./opening.ts";
import { FramePace } from "./pace.ts";
import { openScreen, type Screen, type ScreenOptions } from "./screen.ts";
import { ScreenInterface } from "./screen-interface.ts";
import { type SessionFacts, SessionReader } from "./session-facts.ts";
import { screenEvent } from "./session-news.ts";
import { SPINNER_STEP, STILL_STEP } from "./status.ts";
import { StatusItems } from "./status-items.ts";
import type { TerminalOutput } from "./terminal.ts";
import { update } from "./update.ts";
import { isShown, reportNote } from "./update-session.ts";
import { paintScreen } from "./view.ts";

/** The time the screen goes by. */
export interface AppClock {
  /** Milliseconds that never go back. */
  now(): number;
  readonly startTimer: StartTimer;
  /** Runs something once the events of this turn are through. */
  afterEvents(run: () => void): void;
}

export interface AppOptions {
  readonly session: AgentSession;
  /** The interface the session was made with; without one the session is given a new one. */
  readonly ui?: ScreenInterface;
  readonly settings: Pick<Settings, "get" | "warnings" | "problems">;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TerminalOutput;
  readonly env: Environment;
  /** The flag `--no-color`. */
  readonly noColour?: boolean;
  /** What was typed before the screen was there. */
  readonly typed?: readonly InputEvent[];
  readonly openScreen?: (options: ScreenOptions) => Promise<Screen>;
  readonly clock?: AppClock;
}

const realClock: AppClock = {
  now: () => performance.now(),
  startTimer(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  afterEvents: (run) => void setImmediate(run),
};

/**
 * Shows a session on the full screen until the person leaves; then the session is closed. Gives the
 * exit code. Raises SCREEN_UNSUPPORTED, with terminal and session as they were.
 */
export async function runApp(options: AppOptions): Promise<number> {
  const app = new App(options);
  return app.run();
}

class App implements EffectHost {
  readonly session: AgentSession;
  readonly ui: ScreenInterface;
  readonly #options: AppOptions;
  readonly #clock: AppClock;
  readonly #reader: SessionReader;
  readonly #items: StatusItems;
  readonly #pace: FramePace;
  readonly #queue: AppEvent[] = [];
  readonly #stops: (() => void)[] = [];
  #model: AppModel | undefined;
  #screen: Screen | undefined;
  #isDraining = false;
  #stopTick: (() => void) | undefined;
  #finish: (code: number) => void = () => undefined;

  constructor(options: AppOptions) {
    this.#options = options;
    this.session = options.session;
    this.ui = options.ui ?? new ScreenInterface();
    this.#clock = options.clock ?? realClock;
    this.#reader = new SessionReader(options.session);
    this.#items = new StatusItems(options.session);
    this.#pace = new FramePace({
      paint: () => this.#paint(),
      now: this.#clock.now,
      startTimer: this.#clock.startTimer,
      afterEvents: this.#clock.afterEvents,
    });
  }

  async run(): Promise<number> {
    const ended = new Promise<number>((resolve) => {
      this.#finish = resolve;
    });
    const open = this.#options.openScreen ?? openScreen;
    this.#screen = await open(this.#screenOptions());
    try {
      this.#start(this.#screen);
    } catch (error) {
      this.#release();
      this.#screen.close();
      throw error;
    }
    return ended;
  }

  /** Takes in an event; those that come meanwhile wait for their turn. */
  send(event: AppEvent): void {
    this.#queue.push(event);
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        this.#step(next);
      }
    } finally {
      this.#isDraining = false;
    }
    this.#keepTicking();
  }

  readFacts(): SessionFacts {
    return this.#reader.read();
  }

  readEarlier(): void {
    this.#reader.readEarlier();
    this.send({ type: "facts", facts: this.readFacts() });
  }

  suspend(): void {
    this.#screen?.suspend();
  }

  redraw(): void {
    this.#screen?.redraw();
  }

  end(): void {
    this.#release();
    this.#screen?.close();
    void this.#closeSession();
  }

  #start(screen: Screen): void {
    const { settings, typed = [] } = this.#options;
    const bindings = bindKeys(settings.get("keys"));
    const facts = this.#reader.read();
    const appSettings: AppSettings = {
      doubleEscape: settings.get("doubleEscapeAction") as DoubleEscapeAction,
      escapeWindow: escapeWindow(this.#options.env),
      isStill: settings.get("ui.reducedMotion") === true,
    };
    this.#model = firstModel({
      size: screen.size(),
      settings: appSettings,
      bindings,
      facts,
      history: this.#reader.prompts().reduce(remember, { texts: [] }),
      now: this.#clock.now(),
    });
    const broken = settings.problems.map(({ code, message }) => `${message} (${code})`);
    const problems = [...broken, ...settings.warnings, ...bindings.problems.map(inKeys)];
    this.#listen();
    const notes = [...openingNotes(facts), ...problems.map(warning), ...this.#earlierReports()];
    this.send({ type: "opened", facts, notes });
    for (const event of typed) this.send({ type: "input", event });
  }

  #listen(): void {
    const { session, ui } = this;
    session.runtime.ui = ui;
    this.#stops.push(
      session.subscribe((event) => this.#heard(event)),
      session.runtime.reports.onReport((report) => this.send({ type: "reported", report })),
    );
    ui.attach({
      send: (event) => this.send(event),
      editorText: () => (this.#model === undefined ? "" : textOf(this.#model.editor)),
      startTimer: this.#clock.startTimer,
    });
  }

  #earlierReports(): readonly NewNote[] {
    return this.session.runtime.reports.all().filter(isShown).map(reportNote);
  }

  #heard(event: SessionEvent): void {
    if (event.type === "session_replaced") this.#replaced(event.editorText);
    else this.send(screenEvent(event, () => this.readFacts()));
  }

  #replaced(editorText: string | undefined): void {
    this.#reader.forget();
    const facts = this.readFacts();
    this.send({ type: "replaced", facts, ...(editorText !== undefined && { editorText }) });
    for (const note of openingNotes(facts)) this.send({ type: "notified", note });
  }

  #step(event: AppEvent): void {
    if (this.#model === undefined) return;
    const [model, effects] = update(this.#model, event, this.#clock.now());
    const hasChanged = model !== this.#model;
    this.#model = model;
    if (hasChanged) this.#wantFrame(event);
    const items = "facts" in event ? this.#items.refresh(model.facts) : undefined;
    if (items !== undefined) this.send({ type: "statusItems", items });
    for (const effect of effects) runEffect(this, effect);
  }

  #wantFrame({ type }: AppEvent): void {
    if (type === "streaming" || type === "tick" || type === "panelEffect") this.#pace.stream();
    else this.#pace.soon();
  }

  #paint(): void {
    const model = this.#model;
    if (model === undefined) return;
    this.#screen?.frame((canvas) =>
      paintScreen(model, canvas, {
        home: this.#options.env.HOME,
        onPanelFailure: (id, error) =>
          this.#clock.afterEvents(() => this.send({ type: "panelFailed", id, error })),
      }),
    );
  }

  /** While something runs in the chat its spinner and its time go on; else no timer runs. */
  #keepTicking(): void {
    const model = this.#model;
    const isRunning = model?.activity !== "idle" && model?.panels.length === 0;
    if (!isRunning) {
      this.#stopTick?.();
      this.#stopTick = undefined;
      return;
    }
    if (this.#stopTick !== undefined) return;
    const step = model?.settings.isStill ? STILL_STEP : SPINNER_STEP;
    this.#stopTick = this.#clock.startTimer(step, () => {
      this.#stopTick = undefined;
      this.send({ type: "tick" });
    });
  }

  #screenOptions(): ScreenOptions {
    const { stdin, stdout, env, noColour, settings } = this.#options;
    const glyphs = settings.get("ui.glyphs");
    return {
      stdin,
      stdout,
      env,
      depth: colourDepth(env, noColour),
      ...((glyphs === "unicode" || glyphs === "ascii") && { glyphs }),
      onInput: (event) => this.send({ type: "input", event }),
      onResize: (size) => this.send({ type: "resize", size }),
      onEnd: async () => {
        this.#release();
        await this.session.close();
        return this.#farewell();
      },
    };
  }

  /** Lets go of everything that would send events or keep the program alive. */
  #release(): void {
    this.#pace.stop();
    for (const stop of this.#stops) stop();
    this.ui.detach();
    this.#model = undefined;
    this.#keepTicking();
  }

  async #closeSession(): Promise<void> {
    let code = 0;
    try {
      await this.session.close();
    } catch (error) {
      code = 1;
      this.#options.stdout.write(`${cleanLine(failureText(error, "closing the session"))}\n`);
    }
    const farewell = this.#farewell();
    if (farewell !== undefined) this.#options.stdout.write(farewell);
    this.#finish(code);
  }

  #farewell(): string | undefined {
    return resumeCommand(this.session.sessionManager);
  }
}

function inKeys(problem: string): string {
  return `setting keys: ${problem}`;
}

function warning(text: string): NewNote {
  return { type: "warning", text };
}
