import { parse } from "@babel/parser";

/** What a module has of its own and a bundle has not: its place, and imports computed at run time. */
export type ModuleValue = "meta" | "dirname" | "filename" | "import" | "require";

/** First two characters of the identifier that stands for a value, and the text it stands for. */
const MARKS: Readonly<Record<ModuleValue, { mark: string; width: number }>> = {
  meta: { mark: "$m", width: "import.meta".length },
  dirname: { mark: "$d", width: "__dirname".length },
  filename: { mark: "$f", width: "__filename".length },
  import: { mark: "$i", width: "import".length },
  require: { mark: "$r", width: "require".length },
};

const NEEDED =
  /\bimport\s*\.\s*meta\b|\b__(?:dir|file)name\b|\bcreateRequire\b|\brequire\s*\.\s*resolve\b|\b(?:import|require)\s*\((?!\s*(?:"[^"\n]*"|'[^'\n]*')\s*[,)])/;

/** A module whose own values have become free identifiers. */
export interface BoundModule {
  readonly code: string;
  readonly uses: readonly ModuleValue[];
  /** What it asks of functions made by `createRequire`, as written. */
  readonly required: readonly string[];
  /** Whether it imports, or resolves, what only shows at run time. */
  readonly isComputed: boolean;
}

/** The identifier that stands for a value of the module with this number. */
export function identifierOf(value: ModuleValue, module: number): string {
  const { mark, width } = MARKS[value];
  return mark + module.toString(36).padStart(width - mark.length, "0");
}

/**
 * Replaces a module's own values (`import.meta`, `__dirname`, computed `import()`, …) by identifiers of
 * the same length, so that every position in the text stays what it was for the author. Text that does
 * not parse is given back as it is: the compiler says what is wrong with it.
 */
export function bindModule(code: string, isTypeScript: boolean, module: number): BoundModule {
  const unbound = { code, uses: [], required: [], isComputed: false };
  if (!NEEDED.test(code)) return unbound;
  const program = programOf(code, isTypeScript);
  if (program === undefined) return unbound;
  const found = new Findings();
  visit(program, found);
  return found.result(code, module);
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly value: ModuleValue;
  /** Name in whose scope it counts: bound by the module itself, it is the module's. */
  readonly name?: string;
  readonly before?: string;
}

class Findings {
  readonly bound = new Set<string>();
  readonly requires = new Set<string>();
  readonly calls: { name: string; argument: string }[] = [];
  readonly replacements: Replacement[] = [];

  result(code: string, module: number): BoundModule {
    const replacements = this.replacements
      .filter(({ name }) => name === undefined || !this.bound.has(name))
      .sort((a, b) => a.start - b.start);
    const required = this.calls
      .filter(({ name }) => this.requires.has(name))
      .map(({ argument }) => argument);
    const uses = [...new Set(replacements.map(({ value }) => value))];
    const isComputed =
      this.requires.size > 0 || uses.some((value) => value === "import" || value === "require");
    return { code: replaced(code, replacements, module), uses, required, isComputed };
  }
}

function replaced(code: string, replacements: readonly Replacement[], module: number): string {
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, value, before = "" } of replacements) {
    const identifier = identifierOf(value, module).padEnd(end - start);
    parts.push(code.slice(position, start), before, identifier);
    position = end;
  }
  return parts.join("") + code.slice(position);
}

function programOf(code: string, isTypeScript: boolean): SyntaxNode | undefined {
  try {
    const file = parse(code, {
      sourceType: "unambiguous",
      errorRecovery: true,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
      allowSuperOutsideMethod: true,
      allowUndeclaredExports: true,
      createImportExpressions: true,
      plugins: isTypeScript
        ? ["typescript", "decorators-legacy", "explicitResourceManagement"]
        : ["jsx", "decorators-legacy", "explicitResourceManagement"],
    });
    return file.program as unknown as SyntaxNode;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** One table of what matters: type of node → what it tells. */
const VISITS: Readonly<Record<string, (node: SyntaxNode, found: Findings) => void>> = {
  MetaProperty: ({ start, end, meta }, found) => {
    if (nameOf(meta) === "import") found.replacements.push({ start, end, value: "meta" });
  },
  ImportExpression: ({ start, source }, found) => {
    if (isKnown(source)) return;
    found.replacements.push({ start, end: start + "import".length, value: "import" });
  },
  CallExpression: visitCall,
  VariableDeclarator: visitDeclarator,
  FunctionDeclaration: visitFunction,
  FunctionExpression: visitFunction,
  ArrowFunctionExpression: visitFunction,
  ImportSpecifier: ({ local }, found) => bind(local, found),
  ImportDefaultSpecifier: ({ local }, found) => bind(local, found),
  ImportNamespaceSpecifier: ({ local }, found) => bind(local, found),
  TSImportEqualsDeclaration: ({ id }, found) => bind(id, found),
};

interface Visit {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | undefined;
  readonly key: string;
}

function visit(program: SyntaxNode, found: Findings): void {
  const stack: Visit[] = [{ node: program, parent: undefined, key: "" }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.node.type === "Identifier") visitIdentifier(next, found);
    else VISITS[next.node.type]?.(next.node, found);
    stack.push(...childrenOf(next.node));
  }
}

function childrenOf(parent: SyntaxNode): Visit[] {
  return Object.entries(parent).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(isNode)
      .map((node): Visit => ({ node, parent, key })),
  );
}

function visitIdentifier({ node, parent, key }: Visit, found: Findings): void {
  const name = nameOf(node);
  if (name !== "__dirname" && name !== "__filename") return;
  if (isPropertyName(parent, key)) return;
  const isShorthand = parent?.type === "ObjectProperty" && parent.shorthand === true;
  const value = name === "__dirname" ? "dirname" : "filename";
  const before = isShorthand ? { before: `${name}: ` } : {};
  found.replacements.push({ start: node.start, end: node.end, value, name, ...before });
}

function isPropertyName(parent: SyntaxNode | undefined, key: string): boolean {
  if (parent === undefined || parent.computed === true) return false;
  return key === "property" || key === "key" || key === "label";
}

function visitCall({ callee, arguments: list }: SyntaxNode, found: Findings): void {
  if (!isNode(callee) || !Array.isArray(list)) return;
  const called = callee.type === "MemberExpression" ? callee.object : callee;
  const name = nameOf(called);
  if (name === undefined || !isNode(called)) return;
  const argument = textOf(list[0]);
  if (argument !== undefined) found.calls.push({ name, argument });
  if (name !== "require") return;
  const isResolve = callee !== called && nameOf(callee.property) === "resolve";
  if (isResolve || (callee === called && list.length > 0 && !isKnown(list[0]))) {
    found.replacements.push({ start: called.start, end: called.end, value: "require", name });
  }
}

function visitDeclarator({ id, init }: SyntaxNode, found: Findings): void {
  bind(id, found);
  if (!isNode(init) || init.type !== "CallExpression" || !isNode(init.callee)) return;
  const callee = init.callee.type === "MemberExpression" ? init.callee.property : init.callee;
  const name = nameOf(id);
  if (nameOf(callee) === "createRequire" && name !== undefined) found.requires.add(name);
}

function visitFunction({ id, params }: SyntaxNode, found: Findings): void {
  bind(id, found);
  for (const parameter of Array.isArray(params) ? params : []) bind(parameter, found);
}

/** Parts of a pattern that bind names themselves. */
const PATTERN_PARTS: Readonly<Record<string, (node: SyntaxNode) => unknown>> = {
  ObjectPattern: ({ properties }) => properties,
  ArrayPattern: ({ elements }) => elements,
  ObjectProperty: ({ value }) => value,
  RestElement: ({ argument }) => argument,
  AssignmentPattern: ({ left }) => left,
  TSParameterProperty: ({ parameter }) => parameter,
};

/** Notes the names that a declaration binds, in whatever scope. */
function bind(pattern: unknown, found: Findings): void {
  if (!isNode(pattern)) return;
  const name = nameOf(pattern);
  if (name !== undefined) found.bound.add(name);
  const parts = PATTERN_PARTS[pattern.type]?.(pattern);
  for (const part of Array.isArray(parts) ? parts : [parts]) bind(part, found);
}

/** Whether the compiler itself follows such an argument. */
function isKnown(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type !== "ConditionalExpression") return textOf(node) !== undefined;
  return isKnown(node.consequent) && isKnown(node.alternate);
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "StringLiteral") return node.value as string;
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node.quasis as { value: { cooked: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === "Identifier" ? (node.name as string) : undefined;
}

function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string"
  );
}
