import { stop } from "esbuild";

const isBuilt = import.meta.url.endsWith(".js");
let users = 0;

/** Work with the compiler, whose process runs no longer than the last of it. */
export async function withCompiler<T>(work: () => Promise<T>): Promise<T> {
  users += 1;
  try {
    return await work();
  } finally {
    users -= 1;
    // In a clone others bundle at the same time.
    if (users === 0 && isBuilt) await stop();
  }
}
