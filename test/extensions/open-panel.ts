import type { Panel, PanelEvent, PanelStep } from "coppice";
import { rowText } from "coppice/tui";

/** A panel, driven as a screen drives it: keys in, rows out. */
export class OpenPanel<M, T> {
  readonly #panel: Panel<M, T>;
  readonly #closed: PromiseWithClose<T | undefined> = promiseWithClose();
  #model: M;
  #work: Promise<void> = Promise.resolve();
  isClosed = false;
  value: T | undefined;

  constructor(panel: Panel<M, T>) {
    this.#panel = panel;
    this.#model = panel.init;
    this.#send({ type: "resize", size: { columns: 80, rows: 24 } });
  }

  get model(): M {
    return this.#model;
  }

  /** Settles when the panel closes, with its value. */
  get closed(): Promise<T | undefined> {
    return this.#closed.promise;
  }

  /** Presses keys such as `ctrl+left`, without waiting for work between them. */
  pressAtOnce(...keys: readonly string[]): void {
    for (const key of keys) this.#send(keyEvent(this.#panel, key));
  }

  /** Presses keys one by one, each when the work of the one before has ended. */
  async press(...keys: readonly string[]): Promise<this> {
    for (const key of keys) {
      this.pressAtOnce(key);
      await this.settled();
    }
    return this;
  }

  /** Types a text. */
  type(text: string): Promise<this> {
    return this.press(...clustersOf(text));
  }

  /** Pastes a text at once. */
  paste(text: string): Promise<this> {
    this.#send({ type: "paste", text });
    return this.settled();
  }

  /** Waits until all work has ended. */
  async settled(): Promise<this> {
    for (let work: Promise<void> | undefined; work !== this.#work; ) {
      work = this.#work;
      await work;
    }
    return this;
  }

  /** Every row of the screen. */
  screen(columns = 80, rows = 24): string[] {
    const view = this.#panel.view(this.#model, { columns, rows });
    return [...view.rows, ...(view.footer ?? [])].map((row) => rowText(row, columns));
  }

  /** The lines of the form without a screen. */
  plainLines(): readonly string[] {
    return this.#panel.plain?.lines(this.#model) ?? [];
  }

  /** Answers the prompt of that form. */
  answer(text: string): Promise<this> {
    if (this.#panel.plain) this.#take(this.#panel.plain.answer(this.#model, text));
    return this.settled();
  }

  #send(event: PanelEvent): void {
    if (!this.isClosed) this.#take(this.#panel.update(this.#model, event));
  }

  #take(step: PanelStep<M, T>): void {
    this.#model = step.model;
    if (step.done) {
      this.isClosed = true;
      this.value = step.done.value;
      this.#closed.close(step.done.value);
    }
    const { effect } = step;
    if (!effect) return;
    const work = effect().then(
      (value) => this.#send({ type: "effect", value }),
      (error) => this.#send({ type: "effect", error }),
    );
    this.#work = Promise.all([this.#work, work]).then(() => undefined);
  }
}

interface PromiseWithClose<T> {
  readonly promise: Promise<T>;
  close(value: T): void;
}

function promiseWithClose<T>(): PromiseWithClose<T> {
  let close: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    close = resolve;
  });
  return { promise, close };
}

function clustersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function keyEvent<M, T>({ keys = [] }: Panel<M, T>, key: string): PanelEvent {
  const isLetter = key.length === 1 && key.toLowerCase() !== key;
  const name = isLetter ? `shift+${key.toLowerCase()}` : key === " " ? "space" : key;
  const text = clustersOf(key).length === 1 ? key : undefined;
  const action = keys.find((row) => row.keys.includes(name))?.id;
  return {
    type: "key",
    key: name,
    ...(text !== undefined && { text }),
    ...(action !== undefined && { action }),
  };
}
