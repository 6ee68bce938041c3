import { coreError } from "../core/index.ts";
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "./api.ts";
import type { Budget } from "./budget.ts";
import { hostError } from "./errors.ts";
import type { Instance } from "./extension.ts";
import { METHODS } from "./methods/index.ts";
import type { Call, Method } from "./methods/method.ts";
import { missingPermission, undeclared } from "./permissions.ts";
import type { Runtime } from "./runtime.ts";
import { misfit } from "./shape.ts";
import { unsupported } from "./unsupported.ts";

/** The `api` object of one instance, made from the method table. */
export function apiFor(runtime: Runtime, instance: Instance): ExtensionAPI {
  return build("api", callOf(runtime, instance), isOn("api")) as unknown as ExtensionAPI;
}

/** The context of an event handler: without session control (session tree §15.3). */
export function contextFor(
  runtime: Runtime,
  instance: Instance,
  budget?: Budget,
): ExtensionContext {
  const isMember = (row: Method) => isOn("ctx")(row) && !row.commandOnly;
  return build(
    "ctx",
    callOf(runtime, instance, budget),
    isMember,
    COMMAND_ONLY,
  ) as unknown as ExtensionContext;
}

/** The context of a command (extensions spec §2.5). */
export function commandContextFor(runtime: Runtime, instance: Instance): ExtensionCommandContext {
  return build("ctx", callOf(runtime, instance), isOn("ctx")) as unknown as ExtensionCommandContext;
}

/** What stands behind a context: who calls with it, and whether it is that of a command. */
export interface ContextFacts {
  readonly call: Call;
  readonly isCommand: boolean;
}

const contexts = new WeakMap<object, ContextFacts>();

/** The facts of a context made here; `undefined` for any other value. */
export function factsOf(ctx: object): ContextFacts | undefined {
  return contexts.get(ctx);
}

/** What calls of an instance act on, in the time of a handler if there is one. */
export function callOf(runtime: Runtime, instance: Instance, budget?: Budget): Call {
  return {
    runtime,
    instance,
    ...(budget && { budget }),
    contextOf: (other) => contextFor(runtime, other, budget),
  };
}

function isOn(root: string): (row: Method) => boolean {
  return (row) => row.name.startsWith(`${root}.`);
}

/** Members that other contexts have and packages test for (extensions spec §2.5). */
const COMMAND_ONLY: ReadonlySet<string> = new Set([
  ...METHODS.filter((row) => row.commandOnly).map(({ name }) => name),
  "ctx.reload",
]);

type Members = Record<string, unknown>;

function build(
  root: string,
  call: Call,
  isMember: (row: Method) => boolean,
  absent?: ReadonlySet<string>,
): Members {
  const top: Members = {};
  const groups = new Map<string, Members>([[root, top]]);
  for (const row of METHODS.filter(isMember)) {
    const at = row.name.lastIndexOf(".");
    define(groupFor(groups, row.name.slice(0, at)), row.name.slice(at + 1), row, call);
  }
  for (const [path, members] of groups) {
    if (path === root) continue;
    top[path.slice(root.length + 1)] = refusingUnknown(members, path, call, absent);
  }
  const whole = refusingUnknown(top, root, call, absent);
  contexts.set(whole, { call, isCommand: absent === undefined });
  return whole;
}

function groupFor(groups: Map<string, Members>, path: string): Members {
  const group = groups.get(path) ?? {};
  groups.set(path, group);
  return group;
}

function define(target: Members, name: string, row: Method, call: Call): void {
  const run = (...args: readonly unknown[]) => runRow(row, call, args);
  if (row.getter) Object.defineProperty(target, name, { get: run, enumerable: true });
  else if (row.isAsync) target[name] = async (...args: readonly unknown[]) => run(...args);
  else target[name] = run;
}

/** State, permission and arguments, in this order; then the call runs. */
export function runRow(row: Method, call: Call, args: readonly unknown[]): unknown {
  const { instance, runtime } = call;
  const { name: member } = row;
  if (instance.state === "ended") throw hostError("STALE_CONTEXT", { member });
  if (instance.state === "loading" && !row.inFactory) throw hostError("NOT_READY", { member });
  const missing = missingPermission(instance, row.permission);
  if (missing !== undefined && !row.refused) throw undeclared(instance, missing, member);
  for (const [i, shape] of row.args.entries()) {
    const reason = misfit(shape, args[i], `argument ${i + 1}`);
    if (reason !== undefined) throw coreError("INVALID_ARGUMENT", { argument: member, reason });
  }
  if (missing === undefined || !row.refused) return row.run(call, ...args);
  const { id, version } = instance.extension;
  const { code, message } = undeclared(instance, missing, member);
  runtime.reports.add({ code, extension: id, version, where: member, message });
  return row.refused(call, ...args);
}

/** Any other name raises NOT_SUPPORTED when it is used (extensions spec §1.3). */
function refusingUnknown(
  members: Members,
  path: string,
  { runtime, instance }: Call,
  absent?: ReadonlySet<string>,
): Members {
  return new Proxy(Object.freeze(members), {
    get(target, key, receiver) {
      const member = `${path}.${String(key)}`;
      if (typeof key === "symbol" || key in target || absent?.has(member)) {
        return Reflect.get(target, key, receiver);
      }
      return unsupported(member, ({ code, message }) => {
        const { id, version } = instance.extension;
        runtime.reports.add({ code, extension: id, version, where: member, message });
      });
    },
  });
}
