import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";
import { machineProblems, ruleProblems } from "./house-rules.mjs";
import { countedLines, limitProblems } from "./limits.mjs";

const code = /\.[mc]?[jt]s$/;
const binary = /\.(png|tgz|ico|gif|woff2?)$/;

const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" });
const files = listed.split("\n").filter((file) => existsSync(file) && !binary.test(file));
let problems = 0;
let longest = { file: "", lines: 0 };

for (const file of files) {
  const text = readFileSync(file, "utf8");
  report(file, machineProblems(text));
  if (code.test(file)) checkCode(file, text);
}
console.log(`${files.length} files; the longest is ${longest.file} with ${longest.lines} lines`);
process.exitCode = problems > 0 ? 1 : 0;

function checkCode(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = countedLines(source);
  if (lines > longest.lines && !file.startsWith("test/")) longest = { file, lines };
  report(file, [...limitProblems(file, source), ...ruleProblems(file, source)]);
}

function report(file, found) {
  problems += found.length;
  for (const { line, message } of found) console.log(`${file}:${line}: ${message}`);
}
