import os from "node:os";
import path from "node:path";
import ts from "typescript";

const errorClass =
  /^(Error|TypeError|RangeError|SyntaxError|ReferenceError|EvalError|URIError|AggregateError)$/;
const vagueName = /^(utils?|helpers?|common|managers?|services?|impl|misc)$/;
const suppression = /biome-ignore|@ts-(ignore|nocheck|expect-error)|eslint-disable|v8 ignore/;
const program = /^(core|host|tui|extensions|examples)\//;

/**
 * What breaks a rule of the house in a parsed source file, as line numbers and sentences. These are
 * the rules that neither the compiler nor the linter knows.
 */
export function ruleProblems(file, source) {
  const problems = [...nameProblems(file), ...suppressionProblems(file, source)];
  const report = (node, message) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    problems.push({ line: line + 1, message });
  };
  const rules = [swallowedErrors, importExtensions];
  if (program.test(file) && path.posix.basename(file) !== "errors.ts") rules.push(untypedErrors);
  if (file.startsWith("core/")) rules.push(ambientTime);
  const visit = (node) => {
    for (const rule of rules) rule(node, report, source);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

/** What in a text, code or not, belongs to one machine only. */
export function machineProblems(text, places = ownPlaces()) {
  return text.split("\n").flatMap((content, index) => {
    const found = /(?<![\w.])\/(?:work|root)\/[\w.][\w./-]*/.exec(content)?.[0];
    const place = found ?? places.find((name) => content.includes(name));
    if (place === undefined) return [];
    return [{ line: index + 1, message: `${place} is a path of one machine` }];
  });
}

function ownPlaces() {
  return [process.cwd(), os.homedir()].filter((place) => place.split("/").length > 2);
}

function nameProblems(file) {
  if (!program.test(file)) return [];
  const words = file
    .replace(/session-manager/, "")
    .replace(/\.[^/]*$/, "")
    .split(/[/-]/);
  const vague = words.find((word) => vagueName.test(word));
  if (vague === undefined) return [];
  return [{ line: 1, message: `"${vague}" says nothing; name the file for what it holds` }];
}

function suppressionProblems(file, source) {
  if (file.startsWith("test/tooling/")) return [];
  return source.text.split("\n").flatMap((content, index) => {
    const found = suppression.exec(content)?.[0];
    const message = `${found} hides a finding; there are no exceptions`;
    return found === undefined ? [] : [{ line: index + 1, message }];
  });
}

function untypedErrors(node, report) {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return;
  if (!ts.isIdentifier(node.expression) || !errorClass.test(node.expression.text)) return;
  report(node, `${node.expression.text} has no code; take a row of the errors.ts of this folder`);
}

function swallowedErrors(node, report) {
  if (ts.isCatchClause(node) && node.block.statements.length === 0) {
    report(node, "an empty catch swallows every error");
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
  const [handler] = node.arguments;
  if (node.expression.name.text !== "catch" || handler === undefined) return;
  if (isEmptyFunction(handler)) report(node, "an empty .catch() swallows every error");
}

function isEmptyFunction(node) {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  if (ts.isBlock(node.body)) return node.body.statements.length === 0;
  return ts.isIdentifier(node.body) && node.body.text === "undefined";
}

function importExtensions(node, report) {
  const specifier = specifierOf(node);
  if (specifier === undefined || !ts.isStringLiteral(specifier)) return;
  if (!/^\.\.?(\/|$)/.test(specifier.text)) return;
  if (/\.(ts|mts|mjs|cjs|json)$/.test(specifier.text) || specifier.text.includes("/dist/")) return;
  report(node, `"${specifier.text}" must end in .ts`);
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return dynamic ? node.arguments[0] : undefined;
}

function ambientTime(node, report, source) {
  if (ts.isNewExpression(node) && node.expression.getText(source) === "Date") {
    if (!node.arguments?.length) report(node, "core takes the clock as a parameter");
  }
  if (!ts.isPropertyAccessExpression(node)) return;
  const called = node.getText(source);
  if (/^(Date\.now|Math\.random|performance\.now|crypto\.)/.test(called)) {
    report(node, `core takes clock and random as parameters, not from ${called}`);
  }
}
