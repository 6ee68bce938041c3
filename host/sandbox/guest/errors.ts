/** Errors of the platform's own kinds, as code of a guest expects them. */
export function typeError(message: string): TypeError {
  return new TypeError(message);
}

/** What `require` raises for a module that is not there. */
export function moduleNotFound(name: string): Error {
  return Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
}

export function plainError(message: string): Error {
  return new Error(message);
}
