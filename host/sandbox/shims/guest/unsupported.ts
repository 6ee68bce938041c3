import { isExempt, unsupported } from "../../../unsupported.ts";
import type { GuestSettings } from "../settings.ts";
import { moduleNotFound } from "./errors.ts";

declare const settings: GuestSettings;

const TRUSTED = "run trusted (`coppice ext permissions <id> --run-trusted`)";

/** What stands for one member that the sandbox does not have (extensions spec §1.3). */
export function unsupportedMember(member: string, instead?: string): unknown {
  return unsupported(member, (error) => settings.report(error), instead);
}

/** The module as it is, and every name that it lacks as a member that is not supported. */
export function complete<T>(name: string, exports: T, instead?: string): T {
  if (typeof exports !== "object" || exports === null) return exports;
  // What has a class of its own, as `process`, is what it is.
  if (Object.getPrototypeOf(exports) !== Object.prototype) return exports;
  return Object.setPrototypeOf(exports, lackedNames(name, instead)) as T;
}

/** A name of the host without a module. */
export function unknownModule(name: string): object {
  return complete(name, {});
}

/** A module of Node's that only works in a package that is run trusted (extensions spec §2.11). */
export function refusedModule(name: string): object {
  return complete(name, {}, TRUSTED);
}

/** A native addon or a WebAssembly module of the package. */
export function nativeModule(file: string): unknown {
  return unsupportedMember(file, TRUSTED);
}

/** Globals of these names, none of which is supported. */
export function refusedGlobals(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, unsupportedMember(name)]));
}

/** A module that is asked for only when the asking code runs, and is not there. */
export function absent(specifier: string): never {
  throw moduleNotFound(specifier);
}

function lackedNames(name: string, instead: string | undefined): object {
  return new Proxy(
    {},
    {
      get(target, key, receiver) {
        if (isExempt(key)) return Reflect.get(target, key, receiver);
        return unsupportedMember(`${name}.${String(key)}`, instead);
      },
    },
  );
}
