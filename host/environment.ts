import { createHash, randomBytes } from "node:crypto";
import type { Environment } from "../core/index.ts";

/** The real clock, real randomness and real SHA-256. */
export const nodeEnvironment: Environment = {
  now: () => Date.now(),
  randomBytes: (count) => randomBytes(count),
  sha256: (text) => createHash("sha256").update(text, "utf8").digest("hex"),
};
