import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const major = Number(process.versions.node.split(".")[0]);

/** The sandbox engine for the running Node: package to require, and its version. */
const engine =
  major < 22
    ? {
        from: "coppice-engine-node20",
        manifest: "./node_modules/coppice-engine-node20/node_modules/isolated-vm/package.json",
        version: "5.0.4",
      }
    : {
        from: "isolated-vm",
        manifest: "./node_modules/isolated-vm/package.json",
        version: "6.2.0",
      };

const missing = `isolated-vm ${engine.version} is not installed`;
const remedy = "with python3, make, g++ and Node's headers, `npm ci` builds it";

const probe = `
const version = require(${JSON.stringify(engine.manifest)}).version;
const { Isolate } = require(${JSON.stringify(engine.from)});
const isolate = new Isolate({ memoryLimit: 16 });
const sum = isolate.createContextSync().evalSync("1 + 1");
console.log(JSON.stringify({ version, sum }));
`;

/**
 * Asks a child process to run `1 + 1` in the sandbox engine, as the program would.
 * Without a usable engine the reason is the first line of what went wrong.
 */
export function engineStatus() {
  const child = spawnSync(process.execPath, ["--no-node-snapshot", "-e", probe], {
    cwd: root,
    encoding: "utf8",
  });
  if (child.status !== 0) return { present: false, reason: reasonOf(child) };
  const { version, sum } = JSON.parse(child.stdout);
  if (version !== engine.version) {
    return { present: false, reason: `isolated-vm is ${version}, not ${engine.version}` };
  }
  return { present: true, version, sum };
}

function reasonOf(child) {
  if (child.error) return child.error.message;
  if (child.stderr.includes("MODULE_NOT_FOUND")) return `${missing}; ${remedy}`;
  const line = child.stderr.split("\n").find((text) => /^\w*Error\b/.test(text));
  return line ?? `the engine's process ended with ${child.signal ?? child.status}`;
}
