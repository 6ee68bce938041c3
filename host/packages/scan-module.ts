import { parse } from "@babel/parser";
import { type ModuleNames, namesOf } from "./module-names.ts";
import { neededByCall, plainModule, programOf } from "./scan-calls.ts";
import { DISTINCT_MEMBERS, eventRow, HELPERS, MEMBERS, NETWORK_MODULES } from "./scan-table.ts";
import {
  argumentsOf,
  chainOf,
  isCall,
  isMember,
  isNode,
  keysOf,
  nameOf,
  type SyntaxNode,
  unwrapped,
  walk,
} from "./syntax.ts";

/** What one module shows of itself without being run (extensions spec §6.3). */
export interface ModuleScan {
  readonly imports: ModuleNames["imports"];
  /** Permissions as texts, scopes from literals. */
  readonly permissions: ReadonlySet<string>;
}

/** Reads a module's text. Raises SyntaxError for what is no TypeScript or JavaScript. */
export function scanModule(text: string, file: string): ModuleScan {
  const program = parse(text, {
    sourceType: "unambiguous",
    errorRecovery: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowSuperOutsideMethod: true,
    plugins: /\.[jt]sx$/.test(file)
      ? ["typescript", "decorators-legacy", "jsx"]
      : ["typescript", "decorators-legacy"],
  }).program as unknown as SyntaxNode;
  const names = namesOf(program);
  const permissions = new Set<string>();
  walk(program, (node, parent) => {
    for (const needed of neededBy(node, parent, names, program)) permissions.add(needed);
  });
  for (const needed of neededByImports(names)) permissions.add(needed);
  return { imports: names.imports, permissions };
}

function neededBy(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  names: ModuleNames,
  program: SyntaxNode,
): readonly string[] {
  if (isCall(node)) return [...neededByCall(node, names), ...ofApiCall(node, names, program)];
  if (node.type === "VariableDeclarator") return ofDestructuring(node, names);
  if (!isMember(node)) return ofParameters(node);
  const chain = chainOf(node);
  return isEnvironment(chain) ? ofEnvironment(chain, parent, node) : ofMember(chain, names);
}

/** What a member of an object of ours needs: known by the object, or by a name that no other has. */
function ofMember(chain: readonly string[], names: ModuleNames): readonly string[] {
  const name = chain.at(-1) ?? "";
  const owner = ownerOf(chain.slice(0, -1), names);
  const full = owner === undefined ? undefined : `${owner}.${name}`;
  return (full && MEMBERS.get(full)) || DISTINCT_MEMBERS.get(name) || [];
}

const PARTS: Readonly<Record<string, string>> = {
  ui: "ctx.ui",
  sessionManager: "ctx.sessionManager",
  modelRegistry: "ctx.modelRegistry",
};

function ownerOf(chain: readonly string[], names: ModuleNames): string | undefined {
  const last = chain.at(-1) ?? "";
  if (Object.hasOwn(PARTS, last)) return PARTS[last];
  if (names.apis.has(last)) return "api";
  return names.contexts.has(last) || /(?:^|_)ctx$|Ctx$|^_?context$/.test(last) ? "ctx" : undefined;
}

/** `const { ui, navigateTree } = ctx`. */
function ofDestructuring({ id, init }: SyntaxNode, names: ModuleNames): readonly string[] {
  if (!isNode(id)) return [];
  const chain = chainOf(init);
  const keys = keysOf(id);
  if (isEnvironment(chain)) return keys.map((key) => `env:${key}`);
  return keys.flatMap((key) => ofMember([...chain, key], names));
}

/** `({ navigateTree }) => …` */
function ofParameters(node: SyntaxNode): readonly string[] {
  if (node.type !== "ObjectPattern") return [];
  return keysOf(node).flatMap((key) => DISTINCT_MEMBERS.get(key) ?? []);
}

function isEnvironment(chain: readonly string[]): boolean {
  return chain[0] === "process" && chain[1] === "env";
}

function ofEnvironment(
  [, , name]: readonly string[],
  parent: SyntaxNode | undefined,
  node: SyntaxNode,
): readonly string[] {
  if (name !== undefined) return [/^[A-Za-z_]\w*$/.test(name) ? `env:${name}` : "env"];
  const isStep = parent !== undefined && unwrapped(parent) !== parent;
  const isOwner = parent !== undefined && isMember(parent) && parent.object === node;
  const isTakenApart = isNode(parent?.id) && parent.id.type === "ObjectPattern";
  return isStep || isOwner || isTakenApart ? [] : ["env"];
}

/** Subscriptions and programs: what the arguments of a call of the API say. */
function ofApiCall(call: SyntaxNode, names: ModuleNames, program: SyntaxNode): readonly string[] {
  const chain = chainOf(call.callee);
  if (ownerOf(chain.slice(0, -1), names) !== "api") return [];
  const [first, second] = argumentsOf(call);
  const name = chain.at(-1);
  if (name === "exec") return [programOf(first, names)];
  if (name === "registerTool" && first) return ofTool(first);
  const event = name === "on" ? nameOf(unwrapped(first)) : undefined;
  return event === undefined ? [] : neededByEvent(event, unwrapped(second), program);
}

function ofTool(definition: SyntaxNode): readonly string[] {
  return keysOf(definition).some((key) => /^render(?:Call|Result)$/.test(key)) ? ["ui:render"] : [];
}

/** A handler that is written somewhere else may be anything in the module. */
function neededByEvent(
  event: string,
  handler: SyntaxNode | undefined,
  program: SyntaxNode,
): readonly string[] {
  const row = eventRow(event);
  if (!row) return [];
  const used = wordsIn(handler && /Function/.test(handler.type) ? handler : program);
  const named = { ...row.honour, ...row.visible };
  const needed = Object.entries(named).flatMap(([field, needs]) => (used.has(field) ? needs : []));
  const edits = event === "tool_call" && used.has("input=") ? ["tools:mutate"] : [];
  return [...(row.receive === undefined ? [] : [row.receive]), ...needed, ...edits];
}

function wordsIn(root: SyntaxNode): ReadonlySet<string> {
  const words = new Set<string>();
  walk(root, (node) => {
    for (const key of keysOf(node)) words.add(key);
    if (isMember(node)) words.add(chainOf(node).at(-1) ?? "");
    const isEdit = node.type === "AssignmentExpression" && chainOf(node.left).includes("input");
    if (isEdit) words.add("input=");
  });
  return words;
}

/** Imports that say something even if no call with plain arguments was found. */
function neededByImports({ imports, origins }: ModuleNames): readonly string[] {
  const ofModules = imports.flatMap(({ source, isType }) =>
    !isType && NETWORK_MODULES.has(plainModule(source)) ? ["net"] : [],
  );
  const ofNames = [...origins.values()].flatMap(({ source, name }) => {
    if (plainModule(source) === "child_process" && /^exec(?:Sync)?$/.test(name)) return ["exec:sh"];
    return /^create\w+(?:Tool|Operations)$/.test(name) ? (HELPERS[name] ?? []) : [];
  });
  return [...ofModules, ...ofNames];
}
