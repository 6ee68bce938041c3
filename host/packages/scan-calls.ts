import { posix } from "node:path";
import { type ModuleNames, originOf } from "./module-names.ts";
import { fileAccess, HELPERS, NETWORK_MODULES, OTHER_SESSIONS } from "./scan-table.ts";
import { argumentsOf, chainOf, isNode, nameOf, type SyntaxNode, unwrapped } from "./syntax.ts";

const PEER_HELPERS = /^(?:coppice(?:\/ai)?|@[^/]+\/pi-(?:coding-agent|ai)(?:\/.*)?)$/;

/** What a call needs, by the function it calls: Node's modules, helpers of the host, `fetch`. */
export function neededByCall(call: SyntaxNode, names: ModuleNames): readonly string[] {
  const chain = chainOf(call.callee);
  const origin = originOf(call.callee, names.origins);
  if (origin) return neededByFunction(plainModule(origin.source), origin.name, call, names);
  const [first] = argumentsOf(call);
  if (isGlobal(chain, names) && CONNECTING.has(chain.at(-1) ?? ""))
    return [networkOf(first, names)];
  return neededByMember(chain, first, names);
}

const CONNECTING: ReadonlySet<string> = new Set(["fetch", "WebSocket", "EventSource"]);

/** `SessionManager.list()`, `fs.promises.readFile()`. */
function neededByMember(
  [whole = "", name = "", last = ""]: readonly string[],
  first: SyntaxNode | undefined,
  names: ModuleNames,
): readonly string[] {
  if (names.origins.get(whole)?.name === "SessionManager") {
    return OTHER_SESSIONS.has(name) ? ["session:list"] : [];
  }
  return name === "promises" && isFileModule(whole, names) ? forFiles(last, first, names) : [];
}

function isGlobal(chain: readonly string[], { origins }: ModuleNames): boolean {
  if (chain.length === 2) return chain[0] === "globalThis";
  return chain.length === 1 && !origins.has(chain[0] ?? "");
}

function isFileModule(name: string, { origins }: ModuleNames): boolean {
  return plainModule(origins.get(name)?.source ?? "") === "fs";
}

/** A module's name without `node:`. */
export function plainModule(source: string): string {
  return source.replace(/^node:/, "");
}

function neededByFunction(
  module: string,
  name: string,
  call: SyntaxNode,
  names: ModuleNames,
): readonly string[] {
  const [first] = argumentsOf(call);
  if (module === "child_process") return forProgram(name, call, names);
  if (module === "fs" || module === "fs/promises") return forFiles(name, first, names);
  if (NETWORK_MODULES.has(module)) return [networkOf(first, names)];
  return PEER_HELPERS.test(module) && Object.hasOwn(HELPERS, name) ? (HELPERS[name] ?? []) : [];
}

function forProgram(name: string, call: SyntaxNode, names: ModuleNames): readonly string[] {
  if (/^exec(?:Sync)?$/.test(name) || takesShell(call)) return ["exec:sh"];
  if (name === "fork") return ["exec:node"];
  return [programOf(argumentsOf(call)[0], names)];
}

function takesShell(call: SyntaxNode): boolean {
  return argumentsOf(call).some(
    ({ type, properties }) =>
      type === "ObjectExpression" &&
      (properties as readonly SyntaxNode[]).some(
        ({ key, value }) => nameOf(key) === "shell" && !(isNode(value) && value.value === false),
      ),
  );
}

/** The permission to run what an argument names; without scope where it is not plain. */
export function programOf(argument: unknown, names: ModuleNames): string {
  const program = plainText(argument, names);
  return program !== undefined && /^[\w.+@/-]+$/.test(program) ? `exec:${program}` : "exec";
}

function forFiles(name: string, argument: unknown, names: ModuleNames): readonly string[] {
  const path = plainText(argument, names);
  const scope = path === undefined || /[*?{}]/.test(path) ? undefined : scopeOfPath(path);
  const access = fileAccess(name) ?? [];
  return access.map((permission) => (scope === undefined ? permission : `${permission}:${scope}`));
}

function scopeOfPath(path: string): string | undefined {
  if (path.startsWith("/")) return posix.normalize(path);
  const below = posix.normalize(path);
  return below.startsWith("..") ? undefined : `$CWD/${below}`;
}

/** The permission for the address an argument gives; without scope where its host is not plain. */
function networkOf(argument: unknown, names: ModuleNames): string {
  const [, host] =
    /^(?:https?|wss?):\/\/([^/?#\0]+)(?:[/?#]|$)/.exec(leadingText(argument, names)) ?? [];
  return host === undefined || host.includes("@") ? "net" : `net:${host.toLowerCase()}`;
}

function plainText(value: unknown, names: ModuleNames): string | undefined {
  const node = unwrapped(value);
  if (node?.type === "StringLiteral") return node.value as string;
  if (node?.type === "TemplateLiteral") {
    const quasis = node.quasis as readonly SyntaxNode[];
    return quasis.length === 1 ? rawText(quasis[0]) : undefined;
  }
  return node?.type === "Identifier" ? names.texts.get(node.name as string) : undefined;
}

/** The text with which a value surely begins; what is unknown after it ends it with a blank. */
function leadingText(value: unknown, names: ModuleNames): string {
  const plain = plainText(value, names);
  const node = unwrapped(value);
  if (plain !== undefined || !node) return plain ?? "";
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const left = plainText(node.left, names);
    if (left === undefined) return leadingText(node.left, names);
    return `${left}${plainText(node.right, names) ?? leadingText(node.right, names)}`;
  }
  if (node.type === "NewExpression" && chainOf(node.callee).at(-1) === "URL") {
    const [path, base] = argumentsOf(node);
    return leadingText(base ?? path, names);
  }
  return node.type === "TemplateLiteral" ? leadingTemplate(node, names) : "";
}

function leadingTemplate(node: SyntaxNode, names: ModuleNames): string {
  const quasis = node.quasis as readonly SyntaxNode[];
  const values = node.expressions as readonly SyntaxNode[];
  let text = rawText(quasis[0]);
  for (const [i, value] of values.entries()) {
    const known = plainText(value, names);
    // An unknown part right after the host could go on with it: it is then no plain host.
    if (known === undefined) return `${text}\u0000`;
    text += known + rawText(quasis[i + 1]);
  }
  return text;
}

function rawText(quasi: SyntaxNode | undefined): string {
  return (quasi?.value as { cooked?: string } | undefined)?.cooked ?? "";
}
