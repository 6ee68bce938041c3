import type { Asking, Panel, SelectOption, UserInterface } from "../host/index.ts";
import {
  type Answer,
  confirmContent,
  type DialogContent,
  decideContent,
  editorContent,
  inputContent,
  noAnswer,
  selectContent,
} from "./dialogs.ts";
import type { StartTimer } from "./input.ts";
import type { AppEvent } from "./model.ts";

/** The screen that stands behind the interface once it is there. */
export interface AttachedScreen {
  send(event: AppEvent): void;
  editorText(): string;
  readonly startTimer: StartTimer;
}

interface Waiting {
  readonly none: Answer;
  settle(answer: Answer): void;
}

/**
 * The person's side of the host, on a full screen. Until a screen is attached there is nobody to ask,
 * and what is said is kept for it.
 */
export class ScreenInterface implements UserInterface {
  readonly mode = "tui";
  #screen: AttachedScreen | undefined;
  #kept: AppEvent[] = [];
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  get hasUI(): boolean {
    return this.#screen !== undefined;
  }

  attach(screen: AttachedScreen): void {
    this.#screen = screen;
    const kept = this.#kept;
    this.#kept = [];
    for (const event of kept) screen.send(event);
  }

  /** The screen is gone: every open question ends without an answer. */
  detach(): void {
    this.#screen = undefined;
    for (const { none, settle } of [...this.#waiting.values()]) settle(none);
  }

  /** Ends a question with what the person answered. */
  answer(id: number, answer: Answer): void {
    this.#waiting.get(id)?.settle(answer);
  }

  select(
    title: string,
    options: readonly SelectOption[],
    asking: Asking,
  ): Promise<string | undefined> {
    return this.#dialog(title, selectContent(options), asking);
  }

  input(title: string, placeholder: string, asking: Asking): Promise<string | undefined> {
    return this.#dialog(title, inputContent(placeholder), asking);
  }

  editor(title: string, prefill: string, asking: Asking): Promise<string | undefined> {
    return this.#dialog(title, editorContent(prefill), asking);
  }

  confirm(title: string, message: string, asking: Asking): Promise<boolean> {
    return this.#dialog(title, confirmContent(message), asking);
  }

  panel<M, T>(panel: Panel<M, T>, asking: Asking): Promise<T | undefined> {
    const any = panel as unknown as Panel<unknown, unknown>;
    return this.#ask(undefined, asking, (id) => ({
      type: "panelOpened",
      panel: { id, panel: any, ...from(asking) },
    }));
  }

  decide(title: string, message: string, answers: readonly string[]): Promise<string | undefined> {
    return this.#dialog(title, decideContent(message, answers), {});
  }

  notify(text: string, type: "info" | "warning" | "error"): void {
    this.#send({ type: "notified", note: { type, text: String(text) } });
  }

  setStatus(key: string, text: string | undefined): void {
    this.#send({ type: "statusText", key, text });
  }

  setWidget(key: string, lines: readonly string[] | undefined): void {
    this.#send({ type: "widget", key, lines: lines?.map(String) });
  }

  setEditorText(text: string): void {
    this.#send({ type: "editorText", text });
  }

  getEditorText(): string {
    return this.#screen?.editorText() ?? "";
  }

  shutdown(): void {
    this.#send({ type: "shutdown" });
  }

  #send(event: AppEvent): void {
    if (this.#screen === undefined) this.#kept.push(event);
    else this.#screen.send(event);
  }

  #dialog<T>(title: string, content: DialogContent, asking: Asking): Promise<T> {
    return this.#ask(noAnswer(content), asking, (id) => ({
      type: "dialogOpened",
      dialog: { id, title, ...from(asking), ...content },
    }));
  }

  /** Asks, and waits for the answer, the end of the time, or the signal, whichever comes first. */
  #ask<T>(none: Answer, asking: Asking, opening: (id: number) => AppEvent): Promise<T> {
    const screen = this.#screen;
    if (screen === undefined || asking.signal?.aborted) return Promise.resolve(none as T);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const close = (): void => {
        settle(none);
        this.#screen?.send({ type: "questionClosed", id });
      };
      const settle = (answer: Answer): void => {
        if (!this.#waiting.delete(id)) return;
        asking.signal?.removeEventListener("abort", close);
        stopTimer?.();
        resolve(answer as T);
      };
      const stopTimer =
        asking.timeout === undefined ? undefined : screen.startTimer(asking.timeout, close);
      asking.signal?.addEventListener("abort", close);
      this.#waiting.set(id, { none, settle });
      screen.send(opening(id));
    });
  }
}

function from({ from }: Asking): { readonly from?: string } {
  return from === undefined ? {} : { from };
}
