import type { GuestSettings } from "../guest-settings.ts";
import { apply, BUILTIN_NAMES, BUILTINS, dateNow, evaluate, hasOwn, table } from "./captured.ts";
import { moduleNotFound } from "./errors.ts";

/** What the text of a module of the host is given beside `require` (sandbox spec §5.3). */
export type ModuleSettings = Readonly<Record<string, unknown>>;

type ModuleFunction = (require: (name: string) => unknown, settings: ModuleSettings) => unknown;

export interface ModulesParts {
  readonly settings: GuestSettings;
  /** Work of the host behind functions of its modules. */
  readonly host: Readonly<Record<string, unknown>>;
  log(level: string, text: string): void;
  report(error: { readonly code: string; readonly message: string }, member: string): void;
}

/** Modules of the host in the isolate: texts, each run when it is first asked for. */
export class Modules {
  readonly #texts = table<string>();
  readonly #exports = table<unknown>();
  readonly #settings: ModuleSettings;

  constructor(parts: ModulesParts) {
    const report = (error: Error) =>
      parts.report(error as unknown as { code: string; message: string }, "module");
    this.#settings = {
      ...parts.settings.world,
      root: parts.settings.root,
      seed: parts.settings.seed,
      now: dateNow,
      log: parts.log,
      report,
      host: parts.host,
    };
  }

  add(name: string, text: string): void {
    this.#texts[name] = text;
  }

  /** The exports of a module; one that is not there raises NOT_SUPPORTED when it is used. */
  require = (name: string): unknown => {
    if (hasOwn(this.#exports, name)) return this.#exports[name];
    const text = this.#texts[name];
    if (text === undefined) throw moduleNotFound(name);
    this.#exports[name] = apply(make(name, text), undefined, [this.require, this.#settings]);
    return this.#exports[name];
  };
}

/** Host modules go on working from the same builtins as the prelude. */
function make(name: string, text: string): ModuleFunction {
  const bound = `"use strict"; const { ${BUILTIN_NAMES} } = $builtins; return ${text}`;
  const script = `(function ($builtins) { ${bound} })\n//# sourceURL=coppice:${name}`;
  return apply(evaluate(script) as (builtins: object) => ModuleFunction, undefined, [BUILTINS]);
}
