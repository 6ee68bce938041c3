/** A node of a syntax tree: what the parser gives, looked at by name. */
export interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof fieldOf(value, "type") === "string";
}

function fieldOf(value: object, field: string): unknown {
  return (value as Record<string, unknown>)[field];
}

/** Fields of a node that hold no parts of the program. */
const BESIDE = new Set(["loc", "extra", "leadingComments", "trailingComments", "innerComments"]);

/** The nodes directly below a node. */
function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.entries(node).flatMap(([field, value]) => {
    if (BESIDE.has(field)) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

/** Visits a node and all below it, each with the one above; without recursion, as trees are deep. */
export function walk(
  root: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined) => void,
): void {
  const open: [SyntaxNode, SyntaxNode | undefined][] = [[root, undefined]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, parent] = next;
    visit(node, parent);
    for (const child of [...childrenOf(node)].reverse()) open.push([child, node]);
  }
}

const WRAPPERS = /^(?:TSNonNull|TSAs|TSSatisfies|TSType|Parenthesized|Await|Chain)/;

/** The expression inside of casts, assertions, parentheses and `await`. */
export function unwrapped(value: unknown): SyntaxNode | undefined {
  if (!isNode(value)) return undefined;
  const inner = value.expression ?? value.argument;
  return WRAPPERS.test(value.type) && isNode(inner) ? unwrapped(inner) : value;
}

/** The name of an identifier, a key or a literal key. */
export function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === "Identifier") return value.name as string;
  if (value.type === "PrivateName") return nameOf(value.id);
  return value.type === "StringLiteral" ? (value.value as string) : undefined;
}

/** Names of a chain of members: `ctx.ui.select` is three; a part that is computed is `*`. */
export function chainOf(value: unknown): readonly string[] {
  const node = unwrapped(value);
  if (!node) return ["*"];
  if (node.type === "Identifier") return [node.name as string];
  if (node.type === "ThisExpression") return ["this"];
  if (!isMember(node)) return ["*"];
  const isFree = node.computed !== true || unwrapped(node.property)?.type === "StringLiteral";
  return [...chainOf(node.object), (isFree && nameOf(node.property)) || "*"];
}

export function isMember(node: SyntaxNode): boolean {
  return node.type === "MemberExpression" || node.type === "OptionalMemberExpression";
}

export function isCall(node: SyntaxNode): boolean {
  return /^(?:Optional)?CallExpression$|^NewExpression$/.test(node.type);
}

export function argumentsOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Array.isArray(node.arguments) ? node.arguments.filter(isNode) : [];
}

/** Keys that an object pattern takes out, or an object literal has. */
export function keysOf(node: SyntaxNode): readonly string[] {
  if (node.type !== "ObjectPattern" && node.type !== "ObjectExpression") return [];
  const properties = Array.isArray(node.properties) ? node.properties.filter(isNode) : [];
  return properties.flatMap(({ key, computed }) => (computed ? [] : (nameOf(key) ?? [])));
}
