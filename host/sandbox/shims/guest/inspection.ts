import { parseArgs } from "@pkgjs/parseargs";
import {
  format,
  formatWithOptions,
  inspect,
  stripVTControlCharacters,
} from "node-inspect-extracted";
import type { GuestSettings } from "../settings.ts";
import { isDeepStrictEqual } from "./equality.ts";
import { nodeError } from "./errors.ts";
import { types } from "./value-classes.ts";

declare const settings: GuestSettings;

type Callback = (error: unknown, value?: unknown) => void;
type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const custom = Symbol.for("nodejs.util.promisify.custom");

function promisify(original: AnyFunction & { [custom]?: AnyFunction }): AnyFunction {
  if (typeof original !== "function") {
    throw nodeError("ERR_INVALID_ARG_TYPE", "The original argument must be of type function");
  }
  const own = original[custom];
  if (own) return own;
  const promised = function (this: unknown, ...args: unknown[]) {
    return new Promise((done, fail) => {
      const settle: Callback = (error, value) => (error ? fail(error) : done(value));
      Reflect.apply(original, this, [...args, settle]);
    });
  };
  return Object.setPrototypeOf(promised, Object.getPrototypeOf(original)) as AnyFunction;
}
promisify.custom = custom;

function callbackify(original: (...args: unknown[]) => Promise<unknown>) {
  return function (this: unknown, ...args: unknown[]): void {
    const callback = args.pop() as Callback;
    original.apply(this, args).then(
      (value) => queueMicrotask(() => callback(null, value)),
      (error) =>
        queueMicrotask(() =>
          callback(
            error ??
              nodeError("ERR_FALSY_VALUE_REJECTION", "Promise was rejected with a falsy value"),
          ),
        ),
    );
  };
}

function inherits(derived: { super_?: unknown; prototype: object }, parent: { prototype: object }) {
  derived.super_ = parent;
  Object.setPrototypeOf(derived.prototype, parent.prototype);
}

function deprecate(original: AnyFunction, message: string): AnyFunction {
  let isTold = false;
  return function (this: unknown, ...args) {
    if (!isTold) settings.log("warn", `DeprecationWarning: ${message}`);
    isTold = true;
    return Reflect.apply(original, this, args);
  };
}

function debuglog(section: string) {
  const isOn = new RegExp(`(?:^|,)${section.toUpperCase()}(?:,|$)`).test(
    settings.env.NODE_DEBUG ?? "",
  );
  const log = (...args: unknown[]) => {
    if (isOn) settings.log("debug", `${section.toUpperCase()} ${format(...args)}`);
  };
  return Object.assign(log, { enabled: isOn });
}

type Styles = Readonly<Record<string, readonly [number, number] | undefined>>;

/** SGR numbers, on and off, of the styles that `styleText` and `inspect` know. */
function styleText(style: string | readonly string[], text: string): string {
  const names = typeof style === "string" ? [style] : style;
  return names.reduceRight((inner, name) => {
    const codes = (inspect.colors as unknown as Styles)[name];
    if (codes === undefined) throw nodeError("ERR_INVALID_ARG_VALUE", `unknown style ${name}`);
    return `\u001b[${codes[0]}m${inner}\u001b[${codes[1]}m`;
  }, text);
}

const isA = (tag: string) => (value: unknown) => typeof value === tag;

export default {
  promisify,
  callbackify,
  inherits,
  deprecate,
  debuglog,
  debug: debuglog,
  format,
  formatWithOptions,
  inspect,
  stripVTControlCharacters,
  styleText,
  parseArgs,
  types,
  isDeepStrictEqual,
  toUSVString: (text: string) => String(text).replace(/\p{Surrogate}/gu, "\ufffd"),
  TextEncoder: globalThis.TextEncoder,
  TextDecoder: globalThis.TextDecoder,
  isArray: Array.isArray,
  isBoolean: isA("boolean"),
  isNumber: isA("number"),
  isString: isA("string"),
  isFunction: isA("function"),
  isSymbol: isA("symbol"),
  isUndefined: isA("undefined"),
  isNull: (value: unknown) => value === null,
  isNullOrUndefined: (value: unknown) => value === null || value === undefined,
  isObject: (value: unknown) => typeof value === "object" && value !== null,
  isPrimitive: (value: unknown) => Object(value) !== value,
  isRegExp: types.isRegExp,
  isDate: types.isDate,
  isError: (value: unknown) => value instanceof Error,
};
