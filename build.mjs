import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, "dist");

/** ES modules with declarations, and CommonJS that jiti evaluates without compiling it again. */
const projects = [
  {
    config: "tsconfig.modules.json",
    info: "modules.tsbuildinfo",
    folders: ["core", "host", "tui"],
  },
  { config: "tsconfig.extensions.json", info: "extensions.tsbuildinfo", folders: ["extensions"] },
].filter(({ folders }) => folders.flatMap(filesUnder).some(isSource));

/** Documents and package sources that stand beside the code but are no part of the program. */
const notShipped = [
  /\.md$/,
  /\.tgz$/,
  /^host\/sandbox\/engine-node20\//,
  /^host\/sandbox\/shims\/guest\//,
];

/** Texts of modules for the sandbox, bundled by the program's own code. */
const texts = "host/sandbox/shims/texts";

/** Scripts of the extension host, bundled by the program's own code. */
const scripts = "host/sandbox/bundles";

await main();

async function main() {
  const compiler = findCompiler();
  if (compiler === undefined) return reportNoCompiler();
  const outputs = plan();
  forgetMissingOutputs(outputs);
  const status = compile(compiler);
  writeFiles(outputs);
  if (status === 0) {
    await bundleTexts();
    await bundleScripts();
  }
  removeStale(outputs);
  if (process.env.npm_lifecycle_event === "prepare") await reportEngine();
  process.exitCode = status;
}

function findCompiler() {
  try {
    const manifest = createRequire(import.meta.url).resolve("typescript/package.json");
    return path.join(path.dirname(manifest), "bin/tsc");
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function reportNoCompiler() {
  const built = fs.existsSync(path.join(dist, "tui/main.js"));
  console.log(
    built
      ? "coppice: development dependencies are not installed; dist stays as it is."
      : "coppice: nothing was built, as development dependencies are not installed; run `npm ci`.",
  );
}

/** Every file that belongs in dist: path in dist → what gives it its content. */
function plan() {
  const outputs = new Map(projects.map(({ info }) => [info, { kind: "compiled" }]));
  for (const file of ["core", "host", "tui"].flatMap(filesUnder)) planModuleFile(outputs, file);
  for (const file of filesUnder("extensions")) planExtensionFile(outputs, file);
  outputs.set("extensions/package.json", {
    kind: "written",
    text: `${JSON.stringify({ type: "commonjs" })}\n`,
  });
  return outputs;
}

function planModuleFile(outputs, file) {
  if (notShipped.some((pattern) => pattern.test(file))) return;
  if (!isSource(file)) return outputs.set(file, { kind: "copied", from: file });
  outputs.set(file.replace(/\.ts$/, ".js"), { kind: "compiled" });
  outputs.set(file.replace(/\.ts$/, ".d.ts"), { kind: "compiled" });
}

function planExtensionFile(outputs, file) {
  if (isSource(file)) return outputs.set(file.replace(/\.ts$/, ".js"), { kind: "compiled" });
  if (path.posix.basename(file) !== "package.json") {
    return outputs.set(file, { kind: "copied", from: file });
  }
  outputs.set(file, { kind: "written", text: builtManifest(file) });
}

function isSource(file) {
  return file.endsWith(".ts") && !file.endsWith(".d.ts");
}

/** The extension's manifest for its compiled form: CommonJS, entries ending in `.js`. */
function builtManifest(file) {
  const { type: _, ...manifest } = JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
  const compiled = (value) => {
    if (typeof value === "string") return value.replace(/^([!+-]?\.\/.*)\.ts$/, "$1.js");
    if (Array.isArray(value)) return value.map(compiled);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, compiled(item)]));
  };
  return `${JSON.stringify(compiled(manifest), null, 2)}\n`;
}

function filesUnder(folder) {
  if (!fs.existsSync(path.join(root, folder))) return [];
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => !file.split("/").includes("node_modules"));
}

/** The compiler trusts its build info, so an output removed by hand would never come back. */
function forgetMissingOutputs(outputs) {
  const compiled = [...outputs].filter(([, { kind }]) => kind === "compiled");
  if (compiled.every(([file]) => fs.existsSync(path.join(dist, file)))) return;
  for (const { info } of projects) fs.rmSync(path.join(dist, info), { force: true });
}

function compile(compiler) {
  if (projects.length === 0) return 0;
  const { status } = spawnSync(process.execPath, [compiler, "-b", ...projects.map(configOf)], {
    cwd: root,
    stdio: "inherit",
  });
  return status ?? 1;
}

function configOf(project) {
  return project.config;
}

function writeFiles(outputs) {
  for (const [file, output] of outputs) {
    const content = contentOf(output);
    if (content === undefined) continue;
    const target = path.join(dist, file);
    if (fs.existsSync(target) && fs.readFileSync(target).equals(content)) continue;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, content);
  }
  const bin = path.join(dist, "tui/main.js");
  if (fs.existsSync(bin)) fs.chmodSync(bin, 0o755);
}

function contentOf(output) {
  if (output.kind === "copied") return fs.readFileSync(path.join(root, output.from));
  return output.kind === "written" ? Buffer.from(output.text) : undefined;
}

async function bundleTexts() {
  const module = path.join(dist, "host/sandbox/shims/write-texts.js");
  if (!fs.existsSync(module)) return;
  const { writeTexts } = await import(pathToFileURL(module).href);
  await writeTexts(root, path.join(dist, texts));
}

async function bundleScripts() {
  const module = path.join(dist, "host/sandbox/write-bundles.js");
  if (!fs.existsSync(module)) return;
  const { writeBundles } = await import(pathToFileURL(module).href);
  await writeBundles(path.join(root, "host/sandbox"), path.join(dist, scripts));
}

function removeStale(outputs) {
  for (const file of filesUnder("dist")) {
    const name = file.slice("dist/".length);
    const isBundled = [texts, scripts].some((folder) => name.startsWith(`${folder}/`));
    if (!isBundled && !outputs.has(name)) fs.rmSync(path.join(root, file));
  }
  removeEmptyFolders(dist);
}

function removeEmptyFolders(folder) {
  if (!fs.existsSync(folder)) return;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(path.join(folder, entry.name));
  }
  if (folder !== dist && fs.readdirSync(folder).length === 0) fs.rmdirSync(folder);
}

async function reportEngine() {
  const { engineStatus } = await import("./test/tooling/engine-status.mjs");
  const engine = engineStatus();
  console.log(
    engine.present
      ? `coppice: the sandbox engine works (isolated-vm ${engine.version}).`
      : `coppice: only the sandbox is off, everything else works (${engine.reason}).`,
  );
}
