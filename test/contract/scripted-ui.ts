import type { Asking, Panel, SelectOption, UserInterface } from "coppice/host";

/** A question that waits for its answer. */
export interface Question {
  readonly kind: "select" | "input" | "editor" | "confirm" | "panel";
  readonly title: string;
  readonly options: readonly string[];
  readonly asking: Asking;
  answer(value?: unknown): void;
}

/** The answers given without waiting, by title; what is not listed waits for the test. */
export type Answers = Readonly<Record<string, unknown>>;

/** A person made of data: notes are kept, questions are answered by the test or by a list. */
export class ScriptedUI implements UserInterface {
  mode: UserInterface["mode"] = "tui";
  hasUI = true;
  editorText = "";
  isShutDown = false;
  readonly notes: string[] = [];
  readonly statuses = new Map<string, string | undefined>();
  readonly widgets = new Map<string, readonly string[] | undefined>();
  readonly #answers: Answers;
  readonly #waiting: Question[] = [];
  readonly #wanted = new Map<string, (question: Question) => void>();

  #any: ((question: Question) => void) | undefined;

  constructor(answers: Answers = {}) {
    this.#answers = answers;
  }

  /** The next question of a title, asked already or to come. */
  asked(title: string): Promise<Question> {
    const at = this.#waiting.findIndex((question) => question.title === title);
    const [question] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (question) return Promise.resolve(question);
    return new Promise((resolve) => this.#wanted.set(title, resolve));
  }

  /** The next question of any title. */
  next(): Promise<Question> {
    const question = this.#waiting.shift();
    if (question) return Promise.resolve(question);
    return new Promise((resolve) => {
      this.#any = resolve;
    });
  }

  select(title: string, options: readonly SelectOption[], asking: Asking) {
    const labels = options.map(({ label }) => label);
    return this.#ask("select", title, asking, labels) as Promise<string | undefined>;
  }

  input(title: string, _placeholder: string, asking: Asking) {
    return this.#ask("input", title, asking) as Promise<string | undefined>;
  }

  editor(title: string, _prefill: string, asking: Asking) {
    return this.#ask("editor", title, asking) as Promise<string | undefined>;
  }

  async confirm(title: string, _message: string, asking: Asking) {
    return (await this.#ask("confirm", title, asking)) === true;
  }

  panel<M, T>(panel: Panel<M, T>, asking: Asking) {
    return this.#ask("panel", panel.title, asking) as Promise<T | undefined>;
  }

  notify(message: string) {
    this.notes.push(message);
  }

  setStatus(key: string, text: string | undefined) {
    this.statuses.set(key, text);
  }

  setWidget(key: string, lines: readonly string[] | undefined) {
    this.widgets.set(key, lines);
  }

  setEditorText(text: string) {
    this.editorText = text;
  }

  getEditorText() {
    return this.editorText;
  }

  shutdown() {
    this.isShutDown = true;
  }

  /** A signal closes the question, as a screen would. */
  #ask(
    kind: Question["kind"],
    title: string,
    asking: Asking,
    options: readonly string[] = [],
  ): Promise<unknown> {
    if (title in this.#answers) return Promise.resolve(this.#answers[title]);
    return new Promise((resolve) => {
      asking.signal?.addEventListener("abort", () => resolve(undefined), { once: true });
      const question = { kind, title, options, asking, answer: resolve };
      const wanted = this.#wanted.get(title) ?? this.#any;
      if (wanted === this.#any) this.#any = undefined;
      this.#wanted.delete(title);
      if (wanted) wanted(question);
      else this.#waiting.push(question);
    });
  }
}
