/** Names on the global object → the module of the host that provides them (sandbox spec §6.1). */
export const GLOBAL_MODULES: Readonly<Record<string, string>> = {
  Buffer: "buffer",
  process: "process",
  URL: "url",
  URLSearchParams: "url",
  crypto: "coppice:webcrypto",
  fetch: "coppice:fetch",
  Headers: "coppice:fetch",
  Request: "coppice:fetch",
  Response: "coppice:fetch",
  FormData: "coppice:fetch",
  Blob: "coppice:fetch",
  WebSocket: "coppice:fetch",
  ReadableStream: "coppice:streams",
  WritableStream: "coppice:streams",
  TransformStream: "coppice:streams",
};

/** Modules whose globals are there and not supported. */
export const REFUSED_GLOBALS: readonly string[] = ["coppice:fetch", "coppice:streams"];
