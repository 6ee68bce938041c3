/** Rejected with when an operation was aborted while it waited. */
export const ABORTED = Symbol("aborted");

/** Settles as the work does, or rejects with {@link ABORTED} as soon as the signal is aborted. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(ABORTED);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Settles as the work does, or with something else as soon as the signal is aborted. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  instead: T,
): Promise<T> {
  try {
    return await orAborted(work, signal);
  } catch (error) {
    if (error === ABORTED) return instead;
    throw error;
  }
}

/** A signal that fires so many milliseconds after another one, unless it is stopped before. */
export function delayed(
  signal: AbortSignal,
  milliseconds: number,
): { readonly signal: AbortSignal; stop(): void } {
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    timer = setTimeout(() => late.abort(), milliseconds);
  };
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true });
  const stop = () => {
    signal.removeEventListener("abort", wait);
    clearTimeout(timer);
  };
  return { signal: late.signal, stop };
}

/** Settles as the work does, or rejects with {@link ABORTED} so many milliseconds after an abort. */
export async function soonAfterAbort<T>(
  work: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
): Promise<T> {
  const late = delayed(signal, graceMs);
  try {
    return await orAborted(work, late.signal);
  } finally {
    late.stop();
  }
}
