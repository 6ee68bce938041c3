import { builtinModules } from "node:module";
import { GLOBAL_MODULES, REFUSED_GLOBALS } from "./global-names.ts";

/**
 * How a text is made: `builtin` from the default export of a source, and `module` from its named ones,
 * both with what they lack answered as not supported; `internal` from the named ones as they are.
 */
export interface TextSource {
  readonly file: string;
  readonly form: "builtin" | "module" | "internal";
}

const guest = (file: string, form: TextSource["form"]): TextSource => ({
  file: `host/sandbox/shims/guest/${file}.ts`,
  form,
});

/** Name of a module → its source, from the folder of the program. */
export const SOURCES: Readonly<Record<string, TextSource>> = {
  "coppice:errors": { file: "core/errors.ts", form: "internal" },
  "coppice:globals": guest("globals", "internal"),
  "coppice:package": guest("package", "internal"),
  "coppice:unsupported": guest("unsupported", "internal"),
  "coppice:agent-core": guest("agent-core", "module"),
  "coppice:components": guest("coding-agent-components", "internal"),
  "coppice:utils": guest("omp-logger", "module"),
  "coppice:yaml": guest("yaml", "internal"),
  coppice: guest("coding-agent", "module"),
  "coppice/ai": guest("ai", "module"),
  "coppice/core": { file: "core/index.ts", form: "module" },
  "coppice/tui": guest("tui", "module"),
  typebox: guest("typebox", "module"),
  "typebox/compile": guest("typebox-compile", "module"),
  "typebox/value": guest("typebox-value", "module"),
  assert: guest("assert", "builtin"),
  async_hooks: guest("async-hooks", "builtin"),
  buffer: guest("buffer", "builtin"),
  console: guest("console", "builtin"),
  crypto: guest("crypto", "builtin"),
  diagnostics_channel: guest("diagnostics-channel", "builtin"),
  events: guest("events", "builtin"),
  module: guest("module", "builtin"),
  os: guest("os", "builtin"),
  path: guest("path", "builtin"),
  perf_hooks: guest("perf-hooks", "builtin"),
  process: guest("process", "builtin"),
  querystring: guest("querystring", "builtin"),
  readline: guest("readline", "builtin"),
  stream: guest("stream", "builtin"),
  string_decoder: guest("string-decoder", "builtin"),
  timers: guest("timers", "builtin"),
  tty: guest("tty", "builtin"),
  url: guest("url", "builtin"),
  util: guest("inspection", "builtin"),
};

/** Modules that are a member of another one. */
const PARTS: Readonly<Record<string, readonly [module: string, member: string]>> = {
  "assert/strict": ["assert", "strict"],
  "path/posix": ["path", "posix"],
  "readline/promises": ["readline", "promises"],
  "stream/promises": ["stream", "promises"],
  "timers/promises": ["timers", "promises"],
  "util/types": ["util", "types"],
};

/** The text of a module that no source is needed for. */
export function smallText(name: string): string | undefined {
  if (name === "coppice:names") {
    return `(function () { return { names: ${JSON.stringify(builtinModules)} }; })`;
  }
  if (name === "coppice:webcrypto") {
    return `(function (require) { return { crypto: require("crypto").webcrypto }; })`;
  }
  if (REFUSED_GLOBALS.includes(name)) return refusedGlobals(name);
  const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
  if (part !== undefined) {
    return `(function (require) { return require(${JSON.stringify(part[0])})[${JSON.stringify(part[1])}]; })`;
  }
  const isRefused =
    builtinModules.includes(name) || /^bun(?::|$)|^(?:sea|sqlite|test)(?:\/|$)/.test(name);
  if (!isRefused) return undefined;
  const fullName = JSON.stringify(name.startsWith("bun") ? name : `node:${name}`);
  return `(function (require) { return require("coppice:unsupported").refusedModule(${fullName}); })`;
}

/** Globals that are there, and not supported when they are used. */
function refusedGlobals(module: string): string {
  const names = Object.keys(GLOBAL_MODULES).filter((name) => GLOBAL_MODULES[name] === module);
  return `(function (require) { return require("coppice:unsupported").refusedGlobals(${JSON.stringify(names)}); })`;
}

/** A name as a file name. */
export function textFile(name: string): string {
  return `${name.replace(/[:/]/g, "-")}.js`;
}
