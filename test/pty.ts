import os from "node:os";
import pty from "@lydell/node-pty";
import unicode11 from "@xterm/addon-unicode11";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { ScreenView } from "./screen-view.ts";

export interface PtyOptions {
  /** The program; Node itself if left out. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Added to a small environment of its own; `undefined` takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Version of the tables by which the emulator measures text. */
  readonly unicode?: "6" | "11";
  /** Milliseconds after which `waitFor` gives up. */
  readonly patience?: number;
}

export interface PtyExit {
  readonly code: number;
  /** 0 if no signal ended it. */
  readonly signal: number;
}

/** A program in a pseudo-terminal whose output an emulator shows. Ends with the test that opened it. */
export interface Pty {
  readonly pid: number;
  /** Types bytes as they stand. */
  write(text: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
  /** What is on the screen now. */
  view(): ScreenView;
  /** Waits until the screen shows what is wanted; looks after every whole frame, never sleeps. */
  waitFor(isThere: (screen: ScreenView) => boolean, what?: string): Promise<ScreenView>;
  waitForText(text: string | RegExp): Promise<ScreenView>;
  /** Every byte the program wrote so far. */
  output(): string;
  /** Settles when the program has ended and all its output is on the screen. */
  readonly exited: Promise<PtyExit>;
  /** Ends the program if it still runs. */
  close(): Promise<void>;
}

const PATIENCE = 15_000;

export function openPty(options: PtyOptions = {}): Pty {
  const opened = new OpenPty(options);
  onTestFinished(() => opened.close());
  return opened;
}

interface Waiter {
  check(): boolean;
  fail(): void;
}

class OpenPty implements Pty {
  readonly exited: Promise<PtyExit>;
  readonly #process: pty.IPty;
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #heard = { titles: [] as string[], clipboard: [] as string[] };
  readonly #patience: number;
  readonly #waiters = new Set<Waiter>();
  readonly #chunks: Buffer[] = [];
  #hasExited = false;

  constructor(options: PtyOptions) {
    const { columns = 80, rows = 24 } = options;
    this.#patience = options.patience ?? PATIENCE;
    this.#terminal = emulator(columns, rows, options.unicode ?? "11");
    this.#listen();
    this.#process = pty.spawn(options.command ?? process.execPath, [...(options.args ?? [])], {
      name: "xterm-256color",
      cols: columns,
      rows,
      cwd: options.cwd ?? os.tmpdir(),
      env: environment(options.env ?? {}),
      // Bytes as they come: the emulator joins characters that two reads share.
      encoding: null,
    });
    this.#terminal.onData((answer) => this.#type(answer));
    this.#process.onData((data) => this.#show(data as unknown as Buffer));
    this.exited = new Promise((resolve) => {
      this.#process.onExit(({ exitCode, signal }) => {
        this.#hasExited = true;
        this.#terminal.write("", () => {
          this.#check();
          resolve({ code: exitCode, signal: signal ?? 0 });
        });
      });
    });
  }

  get pid(): number {
    return this.#process.pid;
  }

  write(text: string): void {
    this.#process.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#process.resize(columns, rows);
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.#process.pid, signal);
  }

  view(): ScreenView {
    return new ScreenView(this.#terminal, this.#heard);
  }

  waitForText(text: string | RegExp): Promise<ScreenView> {
    const isThere = (screen: ScreenView): boolean =>
      typeof text === "string" ? screen.text.includes(text) : text.test(screen.text);
    return this.waitFor(isThere, String(text));
  }

  waitFor(
    isThere: (screen: ScreenView) => boolean,
    what: string = isThere.toString(),
  ): Promise<ScreenView> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        check: () => {
          const screen = this.view();
          // A frame of which a part has come is not looked at.
          const isPart = screen.modes.synchronizedOutputMode && !this.#hasExited;
          if (isPart || !isThere(screen)) return false;
          settle();
          resolve(screen);
          return true;
        },
        fail: () => {
          settle();
          reject(new Error(`not on the screen: ${what}\n${this.#report()}`));
        },
      };
      const timer = setTimeout(waiter.fail, this.#patience);
      this.#waiters.add(waiter);
      if (!waiter.check() && this.#hasExited) waiter.fail();
    });
  }

  output(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  async close(): Promise<void> {
    if (!this.#hasExited) this.#process.kill("SIGKILL");
    await this.exited;
    for (const waiter of [...this.#waiters]) waiter.fail();
    this.#terminal.dispose();
  }

  #type(answer: string): void {
    if (!this.#hasExited) this.#process.write(answer);
  }

  #show(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#terminal.write(bytes, () => this.#check());
  }

  #check(): void {
    for (const waiter of [...this.#waiters]) {
      if (!waiter.check() && this.#hasExited) waiter.fail();
    }
  }

  #listen(): void {
    this.#terminal.onTitleChange((title) => this.#heard.titles.push(title));
    this.#terminal.parser.registerOscHandler(52, (data) => {
      this.#heard.clipboard.push(data);
      return true;
    });
  }

  #report(): string {
    const { columns, text } = this.view();
    const edge = "-".repeat(columns);
    const ended = this.#hasExited ? "\n(the program has ended)" : "";
    return `${edge}\n${text}\n${edge}${ended}\n${JSON.stringify(this.output().slice(-400))}`;
  }
}

function emulator(
  columns: number,
  rows: number,
  unicode: "6" | "11",
): InstanceType<typeof xterm.Terminal> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 1000,
  });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = unicode;
  return terminal;
}

/** Nothing of the tester's own environment changes what a program shows. */
function environment(
  extra: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const own = {
    PATH: process.env.PATH,
    HOME: os.tmpdir(),
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    TZ: "UTC",
  };
  const all: Record<string, string | undefined> = { ...own, ...extra };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
