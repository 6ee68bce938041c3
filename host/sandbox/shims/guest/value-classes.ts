/** Names of classes that a value's own tag tells. */
const TAGS = [
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "Promise",
  "Date",
  "RegExp",
  "ArrayBuffer",
  "DataView",
  "Uint8Array",
  "Uint8ClampedArray",
  "Uint16Array",
  "Uint32Array",
  "Int8Array",
  "Int16Array",
  "Int32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
] as const;

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

const byTag = Object.fromEntries(
  TAGS.map((tag) => [`is${tag}`, (value: unknown) => tagOf(value) === tag]),
) as Record<`is${(typeof TAGS)[number]}`, (value: unknown) => boolean>;

export const types = {
  ...byTag,
  isAnyArrayBuffer: byTag.isArrayBuffer,
  isSharedArrayBuffer: () => false,
  isArrayBufferView: (value: unknown) => ArrayBuffer.isView(value),
  isTypedArray: (value: unknown) => ArrayBuffer.isView(value) && !byTag.isDataView(value),
  isNativeError: (value: unknown) => tagOf(value) === "Error",
  isAsyncFunction: (value: unknown) => tagOf(value) === "AsyncFunction",
  isGeneratorFunction: (value: unknown) => /^(?:Async)?GeneratorFunction$/.test(tagOf(value)),
  isGeneratorObject: (value: unknown) => tagOf(value) === "Generator",
  isArgumentsObject: (value: unknown) => tagOf(value) === "Arguments",
  isMapIterator: (value: unknown) => tagOf(value) === "Map Iterator",
  isSetIterator: (value: unknown) => tagOf(value) === "Set Iterator",
  isStringObject: (value: unknown) => isBoxed(value, "String"),
  isNumberObject: (value: unknown) => isBoxed(value, "Number"),
  isBooleanObject: (value: unknown) => isBoxed(value, "Boolean"),
  isBigIntObject: (value: unknown) => isBoxed(value, "BigInt"),
  isSymbolObject: (value: unknown) => isBoxed(value, "Symbol"),
  isBoxedPrimitive: (value: unknown) =>
    ["String", "Number", "Boolean", "BigInt", "Symbol"].some((tag) => isBoxed(value, tag)),
  isModuleNamespaceObject: (value: unknown) => tagOf(value) === "Module",
  isProxy: () => false,
  isExternal: () => false,
};

function isBoxed(value: unknown, tag: string): boolean {
  return typeof value === "object" && tagOf(value) === tag;
}
