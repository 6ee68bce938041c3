import { rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Compiles a TypeScript program of the sources into one module that Node runs as it is, and gives the
 * path of it. What the program does not use is left out, so that it starts in a fraction of a second.
 * To be called while the tests of a file are collected; the module is removed after them.
 */
export async function compile(program: string): Promise<string> {
  const name = path.basename(program, ".ts");
  const folder = path.join(root, "node_modules/.cache/coppice-test", `${name}-${process.pid}`);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    build: {
      ssr: program,
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      target: "node20",
      rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  });
  return path.join(folder, `${name}.mjs`);
}
