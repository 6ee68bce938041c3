/** Errors of the platform's own kinds, as code of a guest expects them from its globals. */
export function typeError(message: string): TypeError {
  return new TypeError(message);
}

export function rangeError(message: string): RangeError {
  return new RangeError(message);
}

export function plainError(message: string): Error {
  return new Error(message);
}
