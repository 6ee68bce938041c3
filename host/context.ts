import { coreError } from "../core/index.ts";
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "./api.ts";
import type { Budget } from "./budget.ts";
import { hostError } from "./errors.ts";
import type { Instance } from "./extension.ts";
import { METHODS } from "./methods/index.ts";
import type { Call, Method } from "./methods/method.ts";
import { requirePermission } from "./permissions.ts";
import type { Runtime } from "./runtime.ts";
import { misfit } from "./shape.ts";

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
  return callOf(runtime, instance, budget).context();
}

/** The context of a command (extensions spec §2.5). */
export function commandContextFor(runtime: Runtime, instance: Instance): ExtensionCommandContext {
  return build("ctx", callOf(runtime, instance), isOn("ctx")) as unknown as ExtensionCommandContext;
}

function callOf(runtime: Runtime, instance: Instance, budget?: Budget): Call {
  const isMember = (row: Method) => isOn("ctx")(row) && !row.commandOnly;
  const call: Call = {
    runtime,
    instance,
    ...(budget && { budget }),
    context: () => build("ctx", call, isMember) as unknown as ExtensionContext,
  };
  return call;
}

function isOn(root: string): (row: Method) => boolean {
  return (row) => row.name.startsWith(`${root}.`);
}

type Members = Record<string, unknown>;

function build(root: string, call: Call, isMember: (row: Method) => boolean): Members {
  const top: Members = {};
  const groups = new Map<string, Members>([[root, top]]);
  for (const row of METHODS.filter(isMember)) {
    const at = row.name.lastIndexOf(".");
    define(groupFor(groups, row.name.slice(0, at)), row.name.slice(at + 1), row, call);
  }
  for (const [path, members] of groups) {
    if (path === root) continue;
    top[path.slice(root.length + 1)] = refusingUnknown(members, path);
  }
  return refusingUnknown(top, root);
}

function groupFor(groups: Map<string, Members>, path: string): Members {
  const group = groups.get(path) ?? {};
  groups.set(path, group);
  return group;
}

function define(target: Members, name: string, row: Method, call: Call): void {
  const run = (...args: readonly unknown[]) => {
    check(row, call.instance, args);
    return row.run(call, ...args);
  };
  if (row.getter) Object.defineProperty(target, name, { get: run, enumerable: true });
  else target[name] = run;
}

/** State, permission and arguments, in this order; then the call may run. */
function check(row: Method, instance: Instance, args: readonly unknown[]): void {
  if (instance.state === "ended") throw hostError("STALE_CONTEXT", { member: row.name });
  if (instance.state === "loading" && !row.inFactory) {
    throw hostError("NOT_READY", { member: row.name });
  }
  if (row.permission !== undefined) requirePermission(instance, row.permission, row.name);
  for (const [i, shape] of row.args.entries()) {
    const wrong = misfit(shape, args[i], `argument ${i + 1}`);
    if (wrong !== undefined)
      throw coreError("INVALID_ARGUMENT", { argument: row.name, reason: wrong });
  }
}

const EXEMPT: ReadonlySet<string> = new Set(["then", "toJSON", "__esModule"]);
/** Members that other contexts have and packages test for: absent, not unsupported (§1.3, §2.5). */
const COMMAND_ONLY: ReadonlySet<string> = new Set([
  ...METHODS.filter((row) => row.commandOnly).map(({ name }) => name),
  ...["ctx.reload", "ctx.sendMessage", "ctx.sendUserMessage"],
]);
const OPTIONAL: ReadonlySet<string> = new Set(
  ["runEphemeralTurn", "memory", "localProtocolOptions", "invokeTool", "addAdditionalContext"]
    .map((name) => `ctx.${name}`)
    .concat("api.unregisterTool", "ctx.ui.askDialog", "ctx.ui.timeoutStartsOnPresentation"),
);

/** Any other name is a function that raises NOT_SUPPORTED when it is called (extensions spec §1.3). */
function refusingUnknown(members: Members, path: string): Members {
  return new Proxy(Object.freeze(members), {
    get(target, key, receiver) {
      const isKnown = typeof key === "symbol" || key in target || EXEMPT.has(key);
      if (isKnown) return Reflect.get(target, key, receiver);
      const member = `${path}.${key}`;
      if (COMMAND_ONLY.has(member) || OPTIONAL.has(member)) return undefined;
      return () => {
        throw hostError("NOT_SUPPORTED", { member });
      };
    },
  });
}
