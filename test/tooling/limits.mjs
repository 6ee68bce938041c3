import ts from "typescript";

/** Longest file, in counted lines: a source; a test. */
const sourceLimit = 300;
const testLimit = 500;

/** @returns what is too long in the file, as sentences with a line number each. */
export function limitProblems(file, source) {
  const limit = file.startsWith("test/") ? testLimit : sourceLimit;
  const lines = countedLines(source);
  if (lines <= limit) return [];
  return [{ line: 1, message: `${lines} lines of code, at most ${limit} (split by topic)` }];
}

/** Lines of code: without blank lines, comments, and the inside of pure data tables. */
export function countedLines(source) {
  const lines = new Set();
  addTokenLines(source, source, lines);
  for (const table of source.statements.flatMap(dataTables)) {
    const [first, last] = lineRange(table, source);
    for (let line = first + 1; line < last; line += 1) lines.delete(line);
  }
  return lines.size;
}

function addTokenLines(node, source, lines) {
  if (ts.isJSDoc(node) || node.kind === ts.SyntaxKind.EndOfFileToken) return;
  const children = node.getChildren(source);
  for (const child of children) addTokenLines(child, source, lines);
  if (children.length > 0 || node.getWidth(source) === 0) return;
  const [first, last] = lineRange(node, source);
  for (let line = first; line <= last; line += 1) lines.add(line);
}

function lineRange(node, source) {
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  return [lineOf(node.getStart(source)), lineOf(node.getEnd())];
}

/** Values of top-level constants that hold nothing but literals. */
function dataTables(statement) {
  if (!ts.isVariableStatement(statement)) return [];
  if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0) return [];
  return statement.declarationList.declarations
    .map(({ initializer }) => initializer && tableOf(initializer))
    .filter((table) => table !== undefined && isData(table));
}

/** The literal in `[…] as const`, `{…} satisfies T`, `new Map([…])`, `Object.freeze([…])`. */
function tableOf(node) {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return tableOf(node.expression);
  if (ts.isParenthesizedExpression(node)) return tableOf(node.expression);
  if (ts.isNewExpression(node) || isFreeze(node)) {
    const [only, ...others] = node.arguments ?? [];
    return only !== undefined && others.length === 0 ? tableOf(only) : undefined;
  }
  return ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node) ? node : undefined;
}

function isFreeze(node) {
  return ts.isCallExpression(node) && node.expression.getText() === "Object.freeze";
}

const plainKinds = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.NumericLiteral,
  ts.SyntaxKind.BigIntLiteral,
  ts.SyntaxKind.RegularExpressionLiteral,
  ts.SyntaxKind.TrueKeyword,
  ts.SyntaxKind.FalseKeyword,
  ts.SyntaxKind.NullKeyword,
  ts.SyntaxKind.OmittedExpression,
]);

function isData(node) {
  if (plainKinds.has(node.kind)) return true;
  if (ts.isIdentifier(node)) return node.text === "undefined";
  if (ts.isPrefixUnaryExpression(node)) return isData(node.operand);
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isData);
  if (!ts.isObjectLiteralExpression(node)) return false;
  return node.properties.every(
    (property) =>
      ts.isPropertyAssignment(property) &&
      !ts.isComputedPropertyName(property.name) &&
      isData(property.initializer),
  );
}
