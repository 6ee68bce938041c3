import { createHash, randomBytes } from "node:crypto";
import type { TreeFilter } from "coppice";
import {
  type Environment,
  type JsonObject,
  MemoryStore,
  migrationOf,
  rowOf,
  type SessionHeader,
  SessionManager,
} from "coppice/core";
import filterModes from "../../../extensions/filter-modes/index.ts";
import { classicRows } from "../../../extensions/tree-selector/classic-row.ts";
import {
  firstModel,
  type SelectorModel,
  type TreeChoice,
} from "../../../extensions/tree-selector/model.ts";
import { treePanel } from "../../../extensions/tree-selector/panel.ts";
import { Settler } from "../../../extensions/tree-selector/settle.ts";
import { readTree } from "../../../extensions/tree-selector/tree-data.ts";
import type { SelectorEnv } from "../../../extensions/tree-selector/update.ts";
import { OpenPanel } from "../open-panel.ts";

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

/** The tree panel, opened on a session. */
export class OpenTree extends OpenPanel<SelectorModel, TreeChoice> {
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
    const model = firstModel(wanted, tree, classicRows, options.initial);
    return new OpenTree(treePanel(env, model, "Session tree"));
  }

  get choice(): TreeChoice | undefined {
    return this.value;
  }

  /** Rows of the list and the status line, as `coppice tree` prints them. */
  rows(width = 120): string[] {
    const list = Math.max(1, this.model.listed.length);
    const notice = this.model.notice === undefined ? 0 : 1;
    const isBare = width < 40 || list + notice + 4 < 10;
    const screen = this.screen(width, list + notice + (isBare ? 1 : 4));
    return (isBare ? screen : screen.slice(2, -1)).slice(0, list + 1);
  }
}
