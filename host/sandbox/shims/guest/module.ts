import { nodeError } from "./errors.ts";

declare const require: (name: string) => unknown;

const { names } = require("coppice:names") as { names: readonly string[] };

/** `createRequire` is given by the package that is asking: it knows its own files. */
export default {
  builtinModules: names,
  isBuiltin: (name: string) => names.includes(name.replace(/^node:/, "")),
  createRequire(): never {
    throw nodeError("ERR_INVALID_ARG_VALUE", "createRequire must be imported from node:module");
  },
};
