/** A promise that is settled from outside; nobody need wait for it. */
export class Settling<T = void> {
  readonly promise: Promise<T>;
  resolve: (value: T) => void = () => undefined;
  reject: (error: unknown) => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever waits gets the failure; without anybody it is told elsewhere.
    this.promise.catch((error: unknown) => void error);
  }
}
