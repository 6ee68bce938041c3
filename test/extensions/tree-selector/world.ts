import { createHash, randomBytes } from "node:crypto";
import type { PanelEvent, PanelStep, TreeFilter } from "coppice";
import {
  type Environment,
  type JsonObject,
  MemoryStore,
  migrationOf,
  rowOf,
  type SessionHeader,
  SessionManager,
} from "coppice/core";
import { rowText } from "coppice/tui";
import filterModes from "../../../extensions/filter-modes/index.ts";
import { classicRows } from "../../../extensions/tree-selector/classic-row.ts";
import { TREE_KEYS } from "../../../extensions/tree-selector/keys.ts";
import {
  firstModel,
  type SelectorModel,
  type TreeChoice,
} from "../../../extensions/tree-selector/model.ts";
import { treePanel } from "../../../extensions/tree-selector/panel.ts";
import { Settler } from "../../../extensions/tree-selector/settle.ts";
import { readTree } from "../../../extensions/tree-selector/tree-data.ts";
import type { SelectorEnv } from "../../../extensions/tree-selector/update.ts";

const environment: Environment = {
  now: () => Date.UTC(2026, 2, 1, 12),
  randomBytes,
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
};

const HEADER: SessionHeader = {
  type: "session",
  version: 3,
  id: "0199a1b2-c3d4-7e5f-8a9b-000000000001",
  timestamp: "2026-03-01T09:00:00.000Z",
  cwd: "/home/ann/app",
};

/** A session in memory that holds records as a file of the present version would. */
export function sessionOf(records: readonly JsonObject[]): SessionManager {
  const lines = records.map((record, i) => ({
    row: rowOf(record, i + 2),
    json: JSON.stringify(record),
  }));
  return new SessionManager(new MemoryStore(HEADER, lines), environment);
}

/** The session that the lines of a whole file hold; of a damaged line nothing is taken. */
export function sessionOfLines(text: string): SessionManager {
  const records = text.split("\n").flatMap((line): JsonObject[] => {
    try {
      return line.trim() === "" ? [] : [JSON.parse(line)];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
  const header = records.find(({ type }) => type === "session") as unknown as SessionHeader;
  const migration = migrationOf(header, environment.sha256);
  const kept = records.filter(({ type }) => type !== "title");
  return sessionOf(
    kept.flatMap((found, i) => (found.type === "session" ? [] : [migration.next(found, i)])),
  );
}

let clock = 0;

function record(type: string, id: string, parentId: string | null, fields: object): JsonObject {
  const timestamp = new Date(Date.UTC(2026, 2, 1, 9, 0, clock++)).toISOString();
  return { type, id, parentId, timestamp, ...fields };
}

export function user(id: string, parentId: string | null, text = id): JsonObject {
  return record("message", id, parentId, { message: { role: "user", content: text } });
}

export function assistant(id: string, parentId: string | null, text = id, more = {}): JsonObject {
  const content = text === "" ? [] : [{ type: "text", text }];
  const message = { role: "assistant", content, stopReason: "stop", ...more };
  return record("message", id, parentId, { message });
}

export function entry(type: string, id: string, parentId: string | null, fields = {}): JsonObject {
  return record(type, id, parentId, fields);
}

/** The five filters, as their extension contributes them. */
export function fiveFilters(): readonly TreeFilter[] {
  const filters: TreeFilter[] = [];
  const api = { contribute: (_: string, value: TreeFilter) => filters.push(value) };
  filterModes(api as never);
  return filters;
}

export interface OpenOptions {
  readonly filter?: string;
  readonly filters?: readonly TreeFilter[];
  readonly initial?: string;
  readonly isPicker?: boolean;
  readonly accept?: Parameters<typeof readTree>[1]["accept"];
  readonly refusal?: string;
}

/** The tree panel, driven as a screen drives it: keys in, rows out. */
export class OpenTree {
  readonly #panel: ReturnType<typeof treePanel>;
  #model: SelectorModel;
  #work: Promise<void> = Promise.resolve();
  choice: TreeChoice | undefined;
  isClosed = false;

  static async open(session: SessionManager, options: OpenOptions = {}): Promise<OpenTree> {
    const filters = options.filters ?? fiveFilters();
    const filter = filters.find(({ id }) => id === (options.filter ?? "default"));
    if (!filter) throw new TypeError(`no filter ${options.filter}`);
    const { accept } = options;
    const reload = () => readTree(session, { home: "/home/ann", ...(accept && { accept }) });
    const env: SelectorEnv = {
      filters,
      openedWith: filter,
      settler: new Settler(),
      isPicker: options.isPicker ?? false,
      refusal: options.refusal ?? "",
      reload,
      setLabel: (id, label) => session.appendLabelChange(id, label),
    };
    const wanted = { data: await reload(), filter, query: "" };
    const { tree } = await env.settler.settle(wanted);
    if (!tree) throw new TypeError("no tree");
    return new OpenTree(
      treePanel(env, firstModel(wanted, tree, classicRows, options.initial), "Session tree"),
    );
  }

  constructor(panel: ReturnType<typeof treePanel>) {
    this.#panel = panel;
    this.#model = panel.init;
    this.#send({ type: "resize", size: { columns: 80, rows: 24 } });
  }

  get model(): SelectorModel {
    return this.#model;
  }

  /** Presses keys such as `ctrl+left`, without waiting for work between them. */
  pressAtOnce(...keys: readonly string[]): void {
    for (const key of keys) this.#send(keyEvent(key));
  }

  /** Presses keys one by one, each when the work of the one before has ended. */
  async press(...keys: readonly string[]): Promise<this> {
    for (const key of keys) {
      this.#send(keyEvent(key));
      await this.settled();
    }
    return this;
  }

  /** Types a text. */
  type(text: string): Promise<this> {
    return this.press(...clustersOf(text));
  }

  async settled(): Promise<this> {
    for (let work: Promise<void> | undefined; work !== this.#work; ) {
      work = this.#work;
      await work;
    }
    return this;
  }

  /** Rows of the list and the status line, as `coppice tree` prints them. */
  rows(width = 120): string[] {
    const list = Math.max(1, this.#model.listed.length);
    const notice = this.#model.notice === undefined ? 0 : 1;
    const isBare = width < 40 || list + notice + 4 < 10;
    const screen = this.screen(width, list + notice + (isBare ? 1 : 4));
    return (isBare ? screen : screen.slice(2, -1)).slice(0, list + 1);
  }

  /** Every row of the screen. */
  screen(columns: number, rows: number): string[] {
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
    this.#take(this.#panel.update(this.#model, event));
  }

  #take(step: PanelStep<SelectorModel, TreeChoice>): void {
    this.#model = step.model;
    if (step.done) {
      this.isClosed = true;
      this.choice = step.done.value;
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

function clustersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function keyEvent(key: string): PanelEvent {
  const isLetter = key.length === 1 && key.toLowerCase() !== key;
  const name = isLetter ? `shift+${key.toLowerCase()}` : key === " " ? "space" : key;
  const text = clustersOf(key).length === 1 ? key : undefined;
  const action = TREE_KEYS.find(({ keys }) => keys.includes(name))?.id;
  return {
    type: "key",
    key: name,
    ...(text !== undefined && { text }),
    ...(action !== undefined && { action }),
  };
}
