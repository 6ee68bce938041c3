import { stop } from "esbuild";

let users = 0;

/** Work with the compiler, whose process runs no longer than the last of it. */
export async function withCompiler<T>(work: () => Promise<T>): Promise<T> {
  users += 1;
  try {
    return await work();
  } finally {
    users -= 1;
    if (users === 0) await stop();
  }
}
