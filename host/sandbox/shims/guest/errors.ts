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

/** An error with a name of its own, as browsers' functions raise. */
export function namedError(name: string, message: string): Error {
  return Object.assign(new TypeError(message), { name });
}

/** What a function of the language raises for a wrong argument. */
export function typeError(message: string): TypeError {
  return new TypeError(message);
}
