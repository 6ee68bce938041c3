/** Why the compiler is not given a file: one sentence, shown at the import that asked for it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** What a file system says of a path where nothing is. */
export function absence(path: string): Error {
  return Object.assign(new Error(`${path}: no such file`), { code: "ENOENT" });
}
