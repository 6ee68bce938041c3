const promises = {
  setTimeout<T>(
    ms = 1,
    value?: T,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T | undefined> {
    signal?.throwIfAborted();
    return new Promise((done, fail) => {
      const timer = setTimeout(() => done(value), ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        fail(signal.reason);
      });
    });
  },
  setImmediate<T>(value?: T): Promise<T | undefined> {
    return new Promise((done) => setImmediate(() => done(value)));
  },
  async *setInterval<T>(ms = 1, value?: T, options: { signal?: AbortSignal } = {}) {
    for (;;) yield await promises.setTimeout(ms, value, options);
  },
  scheduler: {
    wait: (ms: number, options?: { signal?: AbortSignal }) =>
      promises.setTimeout(ms, undefined, options),
    yield: () => promises.setImmediate(),
  },
};

export default {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  promises,
};
