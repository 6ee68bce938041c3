import { clusters } from "../host/index.ts";
import type { InputEvent } from "./input-events.ts";
import { textKey } from "./input-keys.ts";
import {
  controlStep,
  decodeUtf8,
  endOfSequence,
  escapeStep,
  type Step,
  typedText,
} from "./input-sequences.ts";

/** Starts a timer of so many milliseconds; what it gives back stops it. */
export type StartTimer = (milliseconds: number, run: () => void) => () => void;

export interface InputOptions {
  readonly emit: (event: InputEvent) => void;
  readonly startTimer: StartTimer;
}

/** How long an unfinished sequence waits for its rest, in milliseconds. */
const SEQUENCE_WAIT = 25;
const LONGEST_SEQUENCE = 64 * 1024;
const PASTE_END = "\x1b[201~";
const TYPED_RUN = /[\x20-\x7e\x80-\xff]+/y;
const UNFINISHED_UTF8 = /(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})$/;
const MAY_GO_ON = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u200d$/u;

/**
 * Bytes of a terminal in, events out, whatever the reads are cut into (tui spec §1.3). Bytes are kept
 * as characters of one string. While nothing is unfinished no timer runs.
 */
export class InputDecoder {
  readonly #options: InputOptions;
  #pending = "";
  #isOverlong = false;
  #paste: string | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: InputOptions) {
    this.#options = options;
  }

  /** Takes one read. Every event it completes is emitted before this returns. */
  feed(bytes: Uint8Array): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const read = Buffer.from(bytes).toString("latin1");
    // Only in one read do two ESC belong to one key.
    if (this.#pending === "\x1b" && read.startsWith("\x1b")) this.#endSequence();
    this.#pending += read;
    while (this.#pending !== "" && this.#step());
    this.#limit();
    if (this.#pending !== "" && this.#paste === undefined) this.#startTimer();
  }

  /** Ends what is unfinished at once: the input is over, or its time is up. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#endSequence();
  }

  /** Forgets what is unfinished, as after a stop of the program. */
  reset(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#pending = "";
    this.#paste = undefined;
    this.#isOverlong = false;
  }

  #startTimer(): void {
    this.#stopTimer = this.#options.startTimer(SEQUENCE_WAIT, () => this.flush());
  }

  #endSequence(): void {
    const rest = this.#pending;
    this.#pending = "";
    this.#isOverlong = false;
    if (rest.startsWith("\x1b")) this.#emit(endOfSequence(rest));
    else this.#type(rest.replace(UNFINISHED_UTF8, ""));
  }

  /** Takes what stands at the front of the pending bytes; false if it has to wait. */
  #step(): boolean {
    if (this.#paste !== undefined) return this.#stepInPaste();
    const code = this.#pending.charCodeAt(0);
    if (code === 0x1b) return this.#take(escapeStep(this.#pending, 0));
    if (code < 0x20 || code === 0x7f) return this.#take(controlStep(this.#pending, 0));
    return this.#stepInText();
  }

  #take(step: Step): boolean {
    if (step === undefined) return false;
    this.#pending = this.#pending.slice(step.used);
    if (step.pasteStart) this.#paste = "";
    const events = this.#isOverlong ? [] : step.events;
    this.#isOverlong = false;
    this.#emit(events);
    return true;
  }

  #stepInText(): boolean {
    TYPED_RUN.lastIndex = 0;
    const run = TYPED_RUN.exec(this.#pending)?.[0] ?? "";
    const kept = run.length === this.#pending.length ? unfinishedText(run) : "";
    this.#pending = this.#pending.slice(run.length - kept.length);
    this.#type(run.slice(0, run.length - kept.length));
    return kept === "";
  }

  #stepInPaste(): boolean {
    const before = this.#paste ?? "";
    const all = before + this.#pending;
    const end = all.indexOf(PASTE_END, Math.max(0, before.length - PASTE_END.length));
    this.#paste = end < 0 ? all : undefined;
    this.#pending = end < 0 ? "" : all.slice(end + PASTE_END.length);
    if (end < 0) return false;
    const text = decodeUtf8(all.slice(0, end)).replace(/\r\n?/g, "\n");
    this.#emit([{ type: "paste", text }]);
    return true;
  }

  /** A string that never ends is forgotten, but what still comes of it is no text either. */
  #limit(): void {
    if (this.#pending.length <= LONGEST_SEQUENCE) return;
    const isString = /^\x1b[\]P_]/.test(this.#pending);
    const end = this.#pending.endsWith("\x1b") ? "\x1b" : "";
    this.#isOverlong = isString;
    this.#pending = isString ? this.#pending.slice(0, 3) + end : "";
  }

  #type(bytes: string): void {
    for (const { text } of clusters(typedText(bytes))) this.#options.emit(textKey(text));
  }

  #emit(events: readonly InputEvent[]): void {
    for (const event of events) this.#options.emit(event);
  }
}

/** The end of a run of text that the next read may continue: half a character, or a cluster that may grow. */
function unfinishedText(run: string): string {
  const half = UNFINISHED_UTF8.exec(run)?.[0] ?? "";
  const last =
    clusters(typedText(run.slice(0, run.length - half.length).slice(-256))).at(-1)?.text ?? "";
  if (last === "" || (half === "" && !MAY_GO_ON.test(last))) return half;
  const kept = Buffer.from(last, "utf8").toString("latin1") + half;
  return run.endsWith(kept) ? kept : half;
}
