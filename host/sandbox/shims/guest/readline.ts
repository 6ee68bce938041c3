import type { EventEmitter } from "node:events";
import Emitter from "./events.ts";

interface Options {
  readonly input: EventEmitter & AsyncIterable<unknown>;
  readonly output?: { write(text: string): unknown };
  readonly prompt?: string;
}
type Answer = (answer: string) => void;

/** Lines of a stream; the terminal is never one of a guest's. */
class Interface extends Emitter {
  readonly #output: Options["output"];
  readonly #questions: Answer[] = [];
  #prompt: string;
  #rest = "";
  closed = false;

  constructor({ input, output, prompt = "> " }: Options) {
    super();
    this.#output = output;
    this.#prompt = prompt;
    input.on("data", (data: unknown) => this.#take(String(data)));
    input.on("end", () => this.#end());
  }

  setPrompt(prompt: string): void {
    this.#prompt = prompt;
  }

  getPrompt(): string {
    return this.#prompt;
  }

  prompt(): void {
    this.#output?.write(this.#prompt);
  }

  question(text: string, ...rest: unknown[]): void {
    this.#output?.write(text);
    this.#questions.push(rest.at(-1) as Answer);
  }

  pause(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit("close");
  }

  async *[Symbol.asyncIterator]() {
    const lines: string[] = [];
    let wake: () => void = () => undefined;
    this.on("line", (line) => {
      lines.push(line as string);
      wake();
    });
    this.on("close", () => wake());
    for (;;) {
      const line = lines.shift();
      if (line !== undefined) yield line;
      else if (this.closed) return;
      else await new Promise<void>((done) => (wake = done));
    }
  }

  #take(data: string): void {
    const lines = (this.#rest + data).split(/\r\n|[\n\r\u2028\u2029]/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    const question = this.#questions.shift();
    if (question) question(line);
    else this.emit("line", line);
  }

  #end(): void {
    if (this.#rest !== "") this.#line(this.#rest);
    this.#rest = "";
    this.close();
  }
}

class PromisedInterface extends Interface {
  override question(text: string): never {
    return new Promise<string>((done) => super.question(text, done)) as never;
  }
}

export default {
  Interface,
  createInterface: (options: Options) => new Interface(options),
  promises: {
    Interface: PromisedInterface,
    createInterface: (options: Options) => new PromisedInterface(options),
  },
};
