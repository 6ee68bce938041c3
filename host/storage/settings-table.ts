import { isJsonObject } from "../../core/index.ts";
import { THINKING_LEVELS } from "../model-types.ts";

/** What a setting may hold, in words, and how a variable's text becomes it. */
export interface SettingKind {
  readonly words: string;
  accepts(value: unknown): boolean;
  /** `undefined` if the text says nothing of the kind. */
  fromText(text: string): unknown;
}

export interface SettingRow {
  readonly kind: SettingKind;
  readonly default: unknown;
  /** True if a project's settings are not heard (extensions spec §5.6). */
  readonly userOnly?: boolean;
}

const text: SettingKind = {
  words: "a text",
  accepts: (value) => typeof value === "string",
  fromText: (value) => value,
};

const flag: SettingKind = {
  words: "true or false",
  accepts: (value) => typeof value === "boolean",
  fromText: (value) => ({ true: true, "1": true, false: false, "0": false })[value.toLowerCase()],
};

const texts: SettingKind = {
  words: "a list of texts",
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  fromText: (value) =>
    value.trim().startsWith("[")
      ? parse(value)
      : value.split(",").flatMap((item) => item.trim() || []),
};

const map: SettingKind = { words: "an object", accepts: isJsonObject, fromText: parse };

function choice(...values: readonly string[]): SettingKind {
  const words = `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  return { ...text, words, accepts: (value) => values.includes(value as string) };
}

function whole(least: number): SettingKind {
  return {
    words: `a whole number from ${least} on`,
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= least,
    fromText: (value) => (/^\d+$/.test(value.trim()) ? Number(value) : undefined),
  };
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Every setting this program knows, with what it may hold and what it is unless set. */
export const SETTINGS = {
  model: { kind: text, default: undefined },
  thinkingLevel: { kind: choice(...THINKING_LEVELS), default: undefined },
  treeFilterMode: { kind: text, default: "default" },
  doubleEscapeAction: { kind: choice("tree", "branch", "none"), default: "tree" },
  durability: { kind: choice("turn", "entry", "none"), default: "turn" },
  keys: { kind: map, default: {} },
  keyProfile: { kind: choice("default", "vim"), default: "default" },
  "tree.layout": { kind: choice("trunk", "classic"), default: "classic" },
  "branchSummary.prompt": { kind: choice("ask", "never", "always"), default: "ask" },
  "branchSummary.reserveTokens": { kind: whole(0), default: 16384 },
  "compaction.enabled": { kind: flag, default: true },
  "compaction.reserveTokens": { kind: whole(0), default: 16384 },
  "compaction.keepRecentTokens": { kind: whole(0), default: 20000 },
  "limits.maxLineBytes": { kind: whole(1024), default: 64 * 1024 * 1024, userOnly: true },
  extensions: { kind: texts, default: [] },
  "extensions.disabled": { kind: texts, default: [] },
  "extensions.prefer": { kind: map, default: {}, userOnly: true },
  "extensions.handlerTimeoutMs": { kind: whole(1), default: 30_000, userOnly: true },
  "extensions.maxPackageMb": { kind: whole(1), default: 200, userOnly: true },
  "extensions.loadTimeoutMs": { kind: whole(1), default: 30_000, userOnly: true },
  "ui.reducedMotion": { kind: flag, default: false },
} satisfies { readonly [key: string]: SettingRow };

export type SettingKey = keyof typeof SETTINGS;

/** The row of a key; `undefined` for a key that is not ours. */
export function settingRow(key: string): SettingRow | undefined {
  return Object.hasOwn(SETTINGS, key) ? SETTINGS[key as SettingKey] : undefined;
}

/** The environment variable of a setting: `branchSummary.prompt` is COPPICE_BRANCH_SUMMARY_PROMPT. */
export function variableOf(key: string): string {
  const words = key.replaceAll(".", "_").replace(/([a-z\d])([A-Z])/g, "$1_$2");
  return `COPPICE_${words.toUpperCase()}`;
}
