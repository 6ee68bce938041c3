/**
 * The shape of a value as plain data, so that one table can check calls in process and at the
 * border of the sandbox: a type name (`"string"`, `"string?"`), an object of shapes (further fields
 * are free), a list of one shape, or `["?", shape]`. `?` means absent or `null` will do. Functions
 * and signals cross the border of the sandbox only where a shape names them.
 */
export type Shape =
  | TypeName
  | `${TypeName}?`
  | { readonly [field: string]: Shape }
  | readonly [Shape]
  | readonly ["?", Shape];

type TypeName =
  | "any"
  | "array"
  | "boolean"
  | "function"
  | "number"
  | "object"
  | "signal"
  | "string";

/** The path of the first part of a value that does not fit, with what was wanted; `undefined` if all fits. */
export function misfit(shape: Shape, value: unknown, path: string): string | undefined {
  if (typeof shape === "string") return misfitOfType(shape, value, path);
  if (Array.isArray(shape) && shape.length === 2) {
    const isAbsent = value === undefined || value === null;
    return isAbsent ? undefined : misfit(shape[1] as Shape, value, path);
  }
  if (Array.isArray(shape)) return misfitOfList(shape[0] as Shape, value, path);
  if (!isObject(value)) return `${path} must be an object`;
  for (const [field, inner] of Object.entries(shape as { [field: string]: Shape })) {
    const found = misfit(inner, value[field], `${path}.${field}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function misfitOfList(inner: Shape, value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return `${path} must be a list`;
  for (const [i, item] of value.entries()) {
    const found = misfit(inner, item, `${path}[${i}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function misfitOfType(shape: string, value: unknown, path: string): string | undefined {
  const isOptional = shape.endsWith("?");
  const type = isOptional ? shape.slice(0, -1) : shape;
  if (isOptional && (value === undefined || value === null)) return undefined;
  return isOfType(type, value) ? undefined : `${path} must be a ${type}`;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "any") return true;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "signal") return isObject(value) && typeof value.aborted === "boolean";
  return typeof value === type;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
