/**
 * A store per run. It holds for what runs inside, and while a promise that came of it is open: there
 * is no hook into the engine's promises, so runs at the same time see the newest store.
 */
class AsyncLocalStorage<T> {
  #stores: { readonly store: T | undefined }[] = [];

  getStore(): T | undefined {
    return this.#stores.at(-1)?.store;
  }

  run<R>(store: T, callback: (...args: unknown[]) => R, ...args: unknown[]): R {
    return this.#with(store, () => callback(...args));
  }

  exit<R>(callback: (...args: unknown[]) => R, ...args: unknown[]): R {
    return this.#with(undefined, () => callback(...args));
  }

  enterWith(store: T): void {
    this.#stores.push({ store });
  }

  disable(): void {
    this.#stores = [];
  }

  static bind<F>(callback: F): F {
    return callback;
  }

  static snapshot() {
    return (callback: (...args: unknown[]) => unknown, ...args: unknown[]) => callback(...args);
  }

  #with<R>(store: T | undefined, work: () => R): R {
    const own = { store };
    this.#stores.push(own);
    const leave = () => {
      this.#stores = this.#stores.filter((other) => other !== own);
    };
    try {
      const result = work();
      if (result instanceof Promise) return result.finally(leave) as R;
      leave();
      return result;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

class AsyncResource {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }

  runInAsyncScope<R>(callback: (...args: unknown[]) => R, self?: unknown, ...args: unknown[]): R {
    return Reflect.apply(callback, self, args);
  }

  emitDestroy(): this {
    return this;
  }

  bind<F>(callback: F): F {
    return callback;
  }

  static bind<F>(callback: F): F {
    return callback;
  }

  asyncId(): number {
    return 1;
  }

  triggerAsyncId(): number {
    return 0;
  }
}

export default {
  AsyncLocalStorage,
  AsyncResource,
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
  executionAsyncResource: () => ({}),
};
