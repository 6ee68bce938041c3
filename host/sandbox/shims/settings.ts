/**
 * What the prelude gives to a text beside `require`. A text of `moduleText` evaluates to a function
 * `(require: (name: string) => unknown, settings: GuestSettings) => exports`; it runs once an isolate,
 * when its module is asked for first. `require` gives the exports of another text, and raises
 * MODULE_NOT_FOUND for a name that the isolate has no text of.
 */
export interface GuestSettings {
  readonly platform: string;
  readonly arch: string;
  /** With `v`, as `process.version` has it. */
  readonly nodeVersion: string;
  readonly coppiceVersion: string;
  /** Real absolute paths (sandbox spec §6.3). */
  readonly cwd: string;
  readonly home: string;
  readonly tmp: string;
  readonly root: string;
  /** The virtual folder of pi's and omp's settings. */
  readonly agentDir: string;
  /** Columns and rows of the screen. */
  readonly columns: number;
  readonly rows: number;
  /** Granted names; may change while the package runs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** 64 hexadecimal digits, random for each isolate: the seed of the guest's own generator. */
  readonly seed: string;
  /** Whole milliseconds since 1970. */
  now(): number;
  /** One line for the package's log. */
  log(level: "debug" | "info" | "warn" | "error", text: string): void;
  /** Told of each unsupported member at its first use (extensions spec §1.3). */
  report(error: Error): void;
  /** What host modules ask of the host; a missing one answers NOT_SUPPORTED. */
  readonly host: Partial<GuestHost>;
}

/** Styles of the screen, as `ctx.ui.theme` has them. */
export interface GuestTheme {
  fg(color: string, text: string): string;
  bg(color: string, text: string): string;
  bold(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  strikethrough(text: string): string;
}

/** Work of the host behind the functions of `coppice` and `coppice/ai`. */
export interface GuestHost {
  readonly theme: GuestTheme;
  /** The keys of a binding as a person reads them. */
  keyText(binding: string): string;
  complete(model: unknown, context: unknown, options?: unknown): Promise<unknown>;
  completeSimple(model: unknown, context: unknown, options?: unknown): Promise<unknown>;
  streamSimple(model: unknown, context: unknown, options?: unknown): unknown;
  getModel(provider: string, id: string): unknown;
  getModels(provider?: string): unknown;
  /** Sessions of a project, or of all of them, and managers on their files. */
  readonly sessions: {
    list(cwd: string): Promise<unknown>;
    listAll(): Promise<unknown>;
    open(path: string): unknown;
    create(cwd: string): unknown;
    continueRecent(cwd: string): unknown;
    forkFrom(path: string, cwd: string): unknown;
  };
  /** A tool of the coding agent by name (`read`, `bash`, …), as `createReadTool` gives it. */
  tool(name: string, ...args: unknown[]): unknown;
  copyToClipboard(text: string): Promise<void>;
}
