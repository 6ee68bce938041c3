/** Packages that are bundled as text and bring no types of their own. */
declare module "path-browserify" {
  const path: typeof import("node:path").posix;
  export default path;
}
declare module "events/" {
  export { EventEmitter as default } from "node:events";
}
declare module "buffer/" {
  export * from "node:buffer";
}
declare module "string_decoder/" {
  export * from "node:string_decoder";
}
declare module "url/" {
  export * from "node:url";
}
declare module "punycode/" {
  export * from "node:punycode";
}
declare module "readable-stream/lib/ours/browser.js" {
  const stream: typeof import("node:stream");
  export default stream;
}
declare module "whatwg-url" {
  export const URL: typeof globalThis.URL;
  export const URLSearchParams: typeof globalThis.URLSearchParams;
}
declare module "@ungap/structured-clone" {
  export default function structuredClone(value: unknown): unknown;
}
declare module "@pkgjs/parseargs" {
  export const parseArgs: typeof import("node:util").parseArgs;
}
