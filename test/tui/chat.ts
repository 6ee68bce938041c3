import type { AgentMessage, SessionEntry } from "../../core/index.ts";
import type { Model } from "../../host/index.ts";
import { blankGrid, Canvas, type CursorPosition } from "../../tui/cells.ts";
import type { KeyEvent } from "../../tui/input-events.ts";
import { bindKeys } from "../../tui/keys.ts";
import { type AppEvent, type AppModel, type Effect, firstModel } from "../../tui/model.ts";
import type { SessionFacts } from "../../tui/session-facts.ts";
import { StyleTable, themeFor } from "../../tui/styles.ts";
import { blocksOf } from "../../tui/transcript.ts";
import { update } from "../../tui/update.ts";
import { paintScreen } from "../../tui/view.ts";
import { reply, user } from "../core/messages.ts";

const MODEL: Model = {
  id: "m1",
  name: "m1",
  provider: "acme",
  api: "x",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 8000,
};

const COMMANDS = [
  { name: "back", description: "to the position before the last move" },
  { name: "branch", description: "new session from one of your messages" },
  { name: "model", description: "choose the model" },
  { name: "review", description: "review the diff", source: "review-kit" },
  { name: "tree", description: "move to another point of this session" },
];

/** A path of entries `e0`, `e1`, …: messages, or whole entries without id and parent. */
export function pathOf(...parts: readonly (AgentMessage | { type: string })[]): SessionEntry[] {
  return parts.map((part, i) => {
    const fields = "role" in part ? { type: "message", message: part } : part;
    const parentId = i === 0 ? null : `e${i - 1}`;
    return { id: `e${i}`, parentId, timestamp: "2026-01-01T00:00:00Z", ...fields } as SessionEntry;
  });
}

/** `"you: …"` and `"model: …"` in turn. */
export function talk(...lines: readonly string[]): SessionEntry[] {
  return pathOf(
    ...lines.map((line) => {
      const [, who, text = ""] = /^(\w+): ([\s\S]*)$/.exec(line) ?? [];
      return who === "you" ? user(text) : reply(text);
    }),
  );
}

export function factsOf(
  path: readonly SessionEntry[] = [],
  more: Partial<SessionFacts> = {},
): SessionFacts {
  return {
    id: "019f6b0e-5a10-7000-8000-000000000000",
    cwd: "/home/ann/code/app",
    isStored: true,
    isReadOnly: false,
    leafId: path.at(-1)?.id ?? null,
    path: path.map(({ id }) => id),
    blocks: blocksOf(path),
    hasEarlier: false,
    forks: 0,
    cost: 0,
    choice: { kind: "model", model: MODEL, source: "session" },
    thinkingLevel: "off",
    diagnostics: [],
    commands: COMMANDS,
    ...more,
  };
}

export interface ChatOptions {
  readonly path?: readonly SessionEntry[];
  readonly facts?: Partial<SessionFacts>;
  readonly columns?: number;
  readonly rows?: number;
  readonly escapeWindow?: number;
  readonly doubleEscape?: "tree" | "branch" | "none";
  readonly keys?: unknown;
}

/** The chat without terminal and without session: events in, model, effects and screen out. */
export class Chat {
  model: AppModel;
  effects: Effect[] = [];
  now = 1000;

  constructor(options: ChatOptions = {}) {
    const { columns = 80, rows = 24, escapeWindow = 500, doubleEscape = "tree" } = options;
    this.model = firstModel({
      size: { columns, rows },
      settings: { doubleEscape, escapeWindow, isStill: false },
      bindings: bindKeys(options.keys),
      facts: factsOf(options.path, options.facts),
      now: this.now,
    });
  }

  send(event: AppEvent): this {
    const [model, effects] = update(this.model, event, this.now);
    this.model = model;
    this.effects.push(...effects);
    return this;
  }

  press(...names: readonly string[]): this {
    for (const name of names) this.send({ type: "input", event: keyOf(name) });
    return this;
  }

  type(text: string): this {
    for (const sign of text) this.press(sign === " " ? "space" : sign);
    return this;
  }

  paste(text: string): this {
    return this.send({ type: "input", event: { type: "paste", text } });
  }

  wait(milliseconds: number): this {
    this.now += milliseconds;
    return this;
  }

  /** Effects since the last call. */
  done(): Effect[] {
    const { effects } = this;
    this.effects = [];
    return effects;
  }

  get text(): string {
    return this.model.editor.pieces.map((piece) => piece.text).join("");
  }

  paint(): { readonly rows: readonly string[]; readonly cursor: CursorPosition | undefined } {
    const { columns, rows } = this.model.size;
    const grid = blankGrid(columns, rows);
    const look = { styles: new StyleTable(), theme: themeFor(4), glyphs: "unicode" as const };
    const failures: [number, unknown][] = [];
    const cursor = paintScreen(this.model, new Canvas(grid, look), {
      home: "/home/ann",
      onPanelFailure: (id, error) => failures.push([id, error]),
    });
    for (const [id, error] of failures) this.send({ type: "panelFailed", id, error });
    const shown = grid.map((row) =>
      row
        .map(([, text]) => text)
        .join("")
        .trimEnd(),
    );
    return { rows: shown, cursor };
  }

  get screen(): string {
    return this.paint().rows.join("\n");
  }
}

export function keyOf(name: string): KeyEvent {
  const parts = name.length > 1 ? name.split(/\+(?=.)/) : [name];
  const base = parts.at(-1) ?? "";
  const has = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  const isSign = [...base].length === 1;
  const lower = base.toLowerCase();
  const key = {
    type: "key",
    name: lower,
    ctrl: has("ctrl"),
    alt: has("alt"),
    shift: has("shift") || (isSign && lower !== base),
  } as const;
  if (key.ctrl || key.alt) return key;
  if (base === "space") return { ...key, text: " " };
  if (!isSign) return key;
  return { ...key, text: has("shift") ? base.toUpperCase() : base };
}
