/** What Node says of a module that is not there. */
export function moduleNotFound(specifier: string, importer?: string): Error {
  const from = importer === undefined ? "" : ` from ${importer}`;
  return Object.assign(new Error(`Cannot find module '${specifier}'${from}`), {
    code: "MODULE_NOT_FOUND",
  });
}

/** An error with one of Node's codes, as its modules raise for a wrong argument. */
export function nodeError(
  code: string,
  message: string,
  Class: new (message: string) => Error = TypeError,
): Error {
  return Object.assign(new Class(message), { code });
}
