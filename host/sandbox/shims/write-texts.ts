import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BundledText, bundleText } from "./bundle.ts";
import { SOURCES, textFile } from "./names.ts";

/** What the texts were made from, so that they are made again only when that changes. */
const RECORD = "inputs.json";
const LICENCES = "LICENSES.txt";

/**
 * Writes the texts of all modules into a folder, for a program that ships without its sources, with
 * the licences of the npm packages in them. `folder` is the program's source folder. Gives the names of
 * the files.
 */
export async function writeTexts(folder: string, target: string): Promise<readonly string[]> {
  const names = Object.keys(SOURCES);
  const files = [...names.map(textFile), LICENCES, RECORD].sort();
  if (isCurrent(folder, target, files)) return files;
  mkdirSync(target, { recursive: true });
  const bundled = await Promise.all(names.map((name) => bundleText(name, folder)));
  names.forEach((name, i) => {
    writeFileSync(join(target, textFile(name)), bundled[i]?.text ?? "");
  });
  writeFileSync(join(target, LICENCES), licences(folder, bundled));
  writeFileSync(join(target, RECORD), JSON.stringify(recordOf(folder, bundled)));
  for (const file of readdirSync(target)) if (!files.includes(file)) rmSync(join(target, file));
  return files;
}

function isCurrent(folder: string, target: string, files: readonly string[]): boolean {
  if (!files.every((file) => existsSync(join(target, file)))) return false;
  const record = JSON.parse(readFileSync(join(target, RECORD), "utf8")) as Record<string, string>;
  return Object.entries(record).every(([input, hash]) => hashOf(join(folder, input)) === hash);
}

function recordOf(folder: string, bundled: readonly BundledText[]): Record<string, string> {
  const inputs = new Set(bundled.flatMap((text) => text.inputs));
  for (const file of ["bundle.ts", "names.ts"]) inputs.add(`host/sandbox/shims/${file}`);
  return Object.fromEntries(
    [...inputs].sort().map((input) => [input, hashOf(join(folder, input))]),
  );
}

function hashOf(path: string): string {
  return existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
}

function licences(folder: string, bundled: readonly BundledText[]): string {
  const packages = new Set(bundled.flatMap((text) => text.packages));
  return [...packages]
    .sort()
    .map((place) => licenceOf(join(folder, place)))
    .join("\n\n");
}

function licenceOf(place: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const file = readdirSync(place).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : readFileSync(join(place, file), "utf8").trim();
  return `${name}@${version} (${license})\n${"-".repeat(40)}\n${text}`;
}
