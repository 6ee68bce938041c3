/** Time as it is passed in, so that back-off and windows need no waiting in a test. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Runs something later; gives the way to call it off. Never keeps the process awake. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
