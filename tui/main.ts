#!/usr/bin/env node
import { packageVersion } from "./version.ts";

const args = process.argv.slice(2);
if (args[0] === "--version" || args[0] === "-V") {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  // Loaded only now: the version needs nothing of it.
  const { runCli } = await import("./cli.ts");
  process.exit(await runCli(args));
}
