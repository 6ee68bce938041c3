import EventEmitter from "events/";

type Listener = (...args: unknown[]) => void;
type Target = EventEmitter | EventTarget;
interface Options {
  readonly signal?: AbortSignal;
}

function isTarget(value: unknown): value is EventTarget {
  return typeof (value as EventTarget | undefined)?.addEventListener === "function";
}

function listen(target: Target, name: string, listener: Listener): () => void {
  if (isTarget(target)) {
    target.addEventListener(name, listener);
    return () => target.removeEventListener(name, listener);
  }
  target.on(name, listener);
  return () => void target.off(name, listener);
}

/** The arguments of the next event; rejects at `error`, and with the signal's reason. */
function once(target: Target, name: string, { signal }: Options = {}): Promise<unknown[]> {
  signal?.throwIfAborted();
  return new Promise((done, fail) => {
    const undo = [listen(target, name, (...args) => settle(() => done(args)))];
    const settle = (answer: () => void) => {
      for (const step of undo) step();
      answer();
    };
    if (name !== "error" && !isTarget(target)) {
      undo.push(listen(target, "error", (error) => settle(() => fail(error))));
    }
    if (signal) undo.push(listen(signal, "abort", () => settle(() => fail(signal.reason))));
  });
}

/** The arguments of every further event, one after the other. */
async function* on(target: Target, name: string, { signal }: Options = {}) {
  const queue: unknown[][] = [];
  let failure: { error: unknown } | undefined;
  let wake: () => void = () => undefined;
  const fail = (error: unknown) => {
    failure = { error };
    wake();
  };
  const undo = [
    listen(target, name, (...args) => {
      queue.push(args);
      wake();
    }),
  ];
  if (!isTarget(target)) undo.push(listen(target, "error", fail));
  if (signal) undo.push(listen(signal, "abort", () => fail(signal.reason)));
  try {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else if (failure !== undefined) throw failure.error;
      else await new Promise<void>((done) => (wake = done));
    }
  } finally {
    for (const step of undo) step();
  }
}

function getEventListeners(target: EventEmitter, name: string): unknown[] {
  return target.listeners(name);
}

function setMaxListeners(count: number, ...targets: Target[]): void {
  if (targets.length === 0) EventEmitter.defaultMaxListeners = count;
  for (const target of targets) if (!isTarget(target)) target.setMaxListeners(count);
}

function addAbortListener(signal: AbortSignal, listener: () => void) {
  const undo = listen(signal, "abort", listener);
  if (signal.aborted) queueMicrotask(listener);
  return { [Symbol.for("nodejs.dispose")]: undo };
}

export default Object.assign(EventEmitter, {
  EventEmitter,
  once,
  on,
  getEventListeners,
  getMaxListeners: (target: EventEmitter) => target.getMaxListeners(),
  setMaxListeners,
  addAbortListener,
  errorMonitor: Symbol("events.errorMonitor"),
  captureRejectionSymbol: Symbol.for("nodejs.rejection"),
  captureRejections: false,
  usingDomains: false,
});
