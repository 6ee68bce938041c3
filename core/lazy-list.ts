/** Lists up to this length are plain arrays. */
const PLAIN = 2000;

/**
 * An array whose elements are made when they are reached, each once. Of a long path a caller often
 * wants the end only, and its entries need not fit into memory as objects. What an array can, it can;
 * it is no argument for `structuredClone`.
 */
export function lazyList<T>(length: number, make: (index: number) => T): T[] {
  if (length <= PLAIN) return Array.from({ length }, (_, index) => make(index));
  const target: T[] = [];
  target.length = length;
  return new Proxy(target, new Filling(length, make));
}

class Filling<T> implements ProxyHandler<T[]> {
  readonly #length: number;
  readonly #make: (index: number) => T;
  /** Once all is there it is an array like any other: what is taken away stays away. */
  #isWhole = false;

  constructor(length: number, make: (index: number) => T) {
    this.#length = length;
    this.#make = make;
  }

  get(target: T[], key: string | symbol, receiver: unknown): unknown {
    this.#fill(target, key);
    return Reflect.get(target, key, receiver);
  }

  has(target: T[], key: string | symbol): boolean {
    this.#fill(target, key);
    return Reflect.has(target, key);
  }

  getOwnPropertyDescriptor(target: T[], key: string | symbol): PropertyDescriptor | undefined {
    this.#fill(target, key);
    return Reflect.getOwnPropertyDescriptor(target, key);
  }

  ownKeys(target: T[]): (string | symbol)[] {
    for (let i = 0; i < this.#length; i++) this.#fill(target, String(i));
    this.#isWhole = true;
    return Reflect.ownKeys(target);
  }

  /** Before a position goes, or the length changes, all is there: nothing comes back afterwards. */
  deleteProperty(target: T[], key: string | symbol): boolean {
    this.ownKeys(target);
    return Reflect.deleteProperty(target, key);
  }

  set(target: T[], key: string | symbol, value: unknown, receiver: unknown): boolean {
    if (key === "length") this.ownKeys(target);
    return Reflect.set(target, key, value, receiver);
  }

  #fill(target: T[], key: string | symbol): void {
    if (this.#isWhole || typeof key !== "string") return;
    const index = Number(key);
    if (!(index < this.#length) || index in target || String(index) !== key) return;
    target[index] = this.#make(index);
  }
}
