import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { packageError } from "./errors.ts";

/** Where a package comes from (extensions spec §5.2). `text` is the source as it is kept. */
export type Source =
  | {
      readonly kind: "npm";
      readonly text: string;
      readonly name: string;
      /** Version, range or tag. */
      readonly wanted: string;
    }
  | {
      readonly kind: "git";
      readonly text: string;
      readonly url: string;
      readonly ref: string | undefined;
    }
  | { readonly kind: "path"; readonly text: string; readonly path: string }
  | { readonly kind: "tarball"; readonly text: string; readonly path: string };

/** The forms of a source, as messages list them. */
export const SOURCE_FORMS: readonly string[] = [
  "npm:name",
  "npm:@scope/name@version",
  "git:host/owner/repo@ref",
  "git:https://…",
  "git:git@host:owner/repo",
  "./path",
  "/path",
  "~/path",
  "./file.tgz",
];

const NPM = /^npm:((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@([^@\s]+(?: [^@\s]+)*))?$/i;
const HOST = "[A-Za-z0-9][A-Za-z0-9.-]*(?::\\d+)?";
const PATH = "[\\w.~%-]+(?:/[\\w.~%-]+)*";
const GIT_SHORT = new RegExp(`^(${HOST}/${PATH})$`);
const GIT_URL = new RegExp(`^((?:https|ssh)://(?:[\\w.-]+@)?${HOST}/${PATH})$`);
const GIT_SCP = new RegExp(`^([\\w.-]+@${HOST}:/?${PATH})$`);
const REF = /@([A-Za-z0-9][\w./+-]*)$/;

export interface SourceOptions {
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** What `~` stands for. */
  readonly userFolder?: string;
}

/** Reads a source. Raises SOURCE_INVALID, which lists the forms. */
export function parseSource(text: string, options: SourceOptions): Source {
  const source = npmSource(text) ?? gitSource(text) ?? pathSource(text, options);
  if (source) return source;
  throw packageError("SOURCE_INVALID", { source: text, forms: SOURCE_FORMS });
}

/** What a source is, whatever its version: grants of a package go with it. */
export function identityOf(source: Source): string {
  if (source.kind === "npm") return `npm:${source.name}`;
  return source.kind === "git" ? `git:${source.url}` : source.path;
}

/** True for what stays as it is, whenever it is fetched: an exact version or commit. */
export function isExact(source: Source): boolean {
  if (source.kind === "npm") return /^=?v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(source.wanted);
  return source.kind === "git" && /^[\da-f]{40}$/.test(source.ref ?? "");
}

function npmSource(text: string): Source | undefined {
  const [, name, wanted = "latest"] = NPM.exec(text) ?? [];
  // A range may hold blanks and comparisons, never what npm takes for an option, a path or an address.
  if (name === undefined || !/^[\w.^~<>=*|+ -]+$/.test(wanted) || wanted.startsWith("-")) return;
  return { kind: "npm", text, name, wanted };
}

function gitSource(text: string): Source | undefined {
  if (!text.startsWith("git:")) return undefined;
  const rest = text.slice("git:".length);
  const address = gitAddress(rest);
  if (address !== undefined) return { kind: "git", text, url: address, ref: undefined };
  const ref = REF.exec(rest)?.[1];
  const url = ref === undefined ? undefined : gitAddress(rest.slice(0, -ref.length - 1));
  if (url === undefined || ref?.includes("..")) return undefined;
  return { kind: "git", text, url, ref };
}

function gitAddress(text: string): string | undefined {
  if (GIT_URL.test(text) || GIT_SCP.test(text)) return text;
  return GIT_SHORT.test(text) && text.includes("/") ? `https://${text}` : undefined;
}

function pathSource(text: string, { cwd, userFolder = homedir() }: SourceOptions) {
  const isPath = /^(?:\.{1,2}|~)?\//.test(text) || /^(?:\.{1,2}|~)$/.test(text);
  if (!isPath || text.includes("\0")) return undefined;
  const path = text.startsWith("~") ? join(userFolder, text.slice(1)) : resolve(cwd, text);
  const kind: "tarball" | "path" = /\.(?:tgz|tar\.gz)$/.test(path) ? "tarball" : "path";
  // Kept absolute: it is asked for again from other folders.
  return { kind, text: path, path } as const;
}
