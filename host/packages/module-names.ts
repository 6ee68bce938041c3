import {
  argumentsOf,
  chainOf,
  isCall,
  isNode,
  keysOf,
  nameOf,
  type SyntaxNode,
  unwrapped,
  walk,
} from "./syntax.ts";

/** One module that is named by an import, a `require` or an `import()`. */
export interface ImportedModule {
  readonly source: string;
  /** True if only its types are used. */
  readonly isType: boolean;
  readonly names: readonly string[];
}

/** Where a local name comes from: `name` is `*` for the whole module. */
export interface Origin {
  readonly source: string;
  readonly name: string;
}

/** What the names of one module stand for; scopes are not told apart, so it may say too much. */
export interface ModuleNames {
  readonly imports: readonly ImportedModule[];
  readonly origins: ReadonlyMap<string, Origin>;
  /** Texts that constants hold. */
  readonly texts: ReadonlyMap<string, string>;
  /** Names that hold the API object of a factory. */
  readonly apis: ReadonlySet<string>;
  /** Names that hold a context. */
  readonly contexts: ReadonlySet<string>;
}

const API_TYPE = /^(?:ExtensionAPI|HookAPI|CustomToolAPI)$/;
const CONTEXT_TYPE = /^(?:Extension\w*|ReplacedSession|Hook\w*)Context$/;

/** Collects the names of a module from its syntax tree. */
export function namesOf(program: SyntaxNode): ModuleNames {
  const names = {
    imports: [] as ImportedModule[],
    origins: new Map<string, Origin>(),
    texts: new Map<string, string>(),
    apis: new Set(["pi", "api", "omp", "coppice"]),
    contexts: new Set<string>(),
  };
  walk(program, (node) => {
    for (const imported of importsOf(node)) {
      names.imports.push(imported.module);
      for (const [local, origin] of imported.locals) names.origins.set(local, origin);
    }
    if (node.type === "VariableDeclarator") noteVariable(node, names);
    if (node.type === "ExportDefaultDeclaration") noteFirstParameter(node.declaration, names.apis);
    noteTyped(node, names);
  });
  return names;
}

interface Imported {
  readonly module: ImportedModule;
  readonly locals: readonly (readonly [string, Origin])[];
}

function importsOf(node: SyntaxNode): readonly Imported[] {
  const source = nameOf(node.source);
  if (/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type)) {
    return source === undefined ? [] : [fromDeclaration(node, source)];
  }
  if (node.type === "VariableDeclarator") return fromVariable(node);
  if (node.type === "TSImportEqualsDeclaration") return fromImportEquals(node);
  const called = moduleOfCall(node);
  return called === undefined ? [] : [{ module: whole(called), locals: [] }];
}

function whole(source: string): ImportedModule {
  return { source, isType: false, names: ["*"] };
}

function fromDeclaration(node: SyntaxNode, source: string): Imported {
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
  const isKindOfType = ({ importKind, exportKind }: SyntaxNode) =>
    importKind === "type" || importKind === "typeof" || exportKind === "type";
  const isType =
    isKindOfType(node) || (specifiers.length > 0 && specifiers.every((one) => isKindOfType(one)));
  const locals = specifiers.flatMap((specifier) => {
    const local = nameOf(specifier.local);
    return local === undefined ? [] : [[local, { source, name: importedName(specifier) }] as const];
  });
  const names = locals.map(([, { name }]) => name);
  return { module: { source, isType, names }, locals: isType ? [] : locals };
}

function importedName({ type, imported }: SyntaxNode): string {
  if (type === "ImportDefaultSpecifier") return "default";
  return type === "ImportNamespaceSpecifier" ? "*" : (nameOf(imported) ?? "*");
}

/** `const fs = require("fs")`, `const { a } = await import("m")`. */
function fromVariable({ id, init }: SyntaxNode): readonly Imported[] {
  const value = unwrapped(init);
  const source = value && moduleOfCall(value);
  if (source === undefined || !isNode(id)) return [];
  const name = nameOf(id);
  const keys = keysOf(id);
  const locals: (readonly [string, Origin])[] =
    name === undefined
      ? keys.map((key) => [key, { source, name: key }])
      : [[name, { source, name: "*" }]];
  return [{ module: { source, isType: false, names: locals.map(([, o]) => o.name) }, locals }];
}

/** `import fs = require("fs")`. */
function fromImportEquals({ id, moduleReference }: SyntaxNode): readonly Imported[] {
  const source = isNode(moduleReference) ? nameOf(moduleReference.expression) : undefined;
  const local = nameOf(id);
  if (source === undefined || local === undefined) return [];
  return [{ module: whole(source), locals: [[local, { source, name: "*" }]] }];
}

function moduleOfCall(node: SyntaxNode): string | undefined {
  if (node.type === "ImportExpression") return nameOf(node.source);
  if (!isCall(node) || !isNode(node.callee)) return undefined;
  const isImport = node.callee.type === "Import" || nameOf(node.callee) === "require";
  return isImport ? nameOf(argumentsOf(node)[0]) : undefined;
}

type Noting = {
  readonly origins: Map<string, Origin>;
  readonly texts: Map<string, string>;
  readonly apis: Set<string>;
  readonly contexts: Set<string>;
};

function noteVariable({ id, init }: SyntaxNode, names: Noting): void {
  const local = nameOf(id);
  const value = unwrapped(init);
  if (local === undefined || !value) return;
  if (value.type === "StringLiteral") names.texts.set(local, value.value as string);
  // `const run = promisify(execFile)`: the new name stands for the old one.
  const wrapped = isCall(value) ? originOf(argumentsOf(value)[0], names.origins) : undefined;
  if (wrapped && chainOf(value.callee).at(-1) === "promisify") names.origins.set(local, wrapped);
}

/** The origin of `name` or `module.name`. */
export function originOf(value: unknown, origins: ReadonlyMap<string, Origin>): Origin | undefined {
  const [first = "", second, ...more] = chainOf(value);
  const origin = origins.get(first);
  if (!origin || second === undefined) return origin;
  if (more.length > 0) return undefined;
  const isWhole = origin.name === "*" || origin.name === "default";
  return isWhole ? { source: origin.source, name: second } : undefined;
}

function noteFirstParameter(declared: unknown, into: Set<string>): void {
  const value = unwrapped(declared);
  const inner = value && isCall(value) ? unwrapped(argumentsOf(value)[0]) : value;
  const parameters = inner && Array.isArray(inner.params) ? inner.params : [];
  const name = nameOf(parameters[0]);
  if (name !== undefined) into.add(name);
}

/** A parameter or variable whose type says what it is. */
function noteTyped({ type, name, typeAnnotation }: SyntaxNode, names: Noting): void {
  if (type !== "Identifier" || !isNode(typeAnnotation)) return;
  const annotation = typeAnnotation.typeAnnotation;
  const typeName = isNode(annotation) ? nameOf(annotation.typeName) : undefined;
  if (typeName === undefined) return;
  if (API_TYPE.test(typeName)) names.apis.add(name as string);
  if (CONTEXT_TYPE.test(typeName)) names.contexts.add(name as string);
}
