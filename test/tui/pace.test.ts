import { expect, test } from "vitest";
import { FramePace } from "../../tui/pace.ts";

function paced() {
  const state = { now: 0, frames: 0 };
  const after: (() => void)[] = [];
  let timer: { due: number; run: () => void } | undefined;
  const pace = new FramePace({
    paint: () => state.frames++,
    now: () => state.now,
    startTimer(milliseconds, run) {
      timer = { due: state.now + milliseconds, run };
      return () => {
        timer = undefined;
      };
    },
    afterEvents: (run) => after.push(run),
  });
  return {
    pace,
    frames: () => state.frames,
    hasTimer: () => timer !== undefined,
    turn: () => {
      for (const run of after.splice(0)) run();
    },
    pass(milliseconds: number) {
      state.now += milliseconds;
      const due = timer;
      if (due !== undefined && due.due <= state.now) {
        timer = undefined;
        due.run();
      }
    },
  };
}

test("all input of one turn gives one frame", () => {
  const { pace, frames, turn } = paced();
  for (let key = 0; key < 200; key++) pace.soon();
  expect(frames()).toBe(0);
  turn();
  turn();
  expect(frames()).toBe(1);
});

test("streaming gives at most thirty frames a second, and then no timer is left", () => {
  const { pace, frames, turn, pass, hasTimer } = paced();
  for (let token = 0; token < 1000; token++) {
    pace.stream();
    turn();
    pass(1);
  }
  expect(frames()).toBeGreaterThanOrEqual(29);
  expect(frames()).toBeLessThanOrEqual(31);
  pass(100);
  expect(hasTimer()).toBe(false);
});

test("a key does not wait for the stream, and takes its frame along", () => {
  const { pace, frames, turn, hasTimer } = paced();
  pace.soon();
  turn();
  pace.stream();
  expect(hasTimer()).toBe(true);
  pace.soon();
  turn();
  expect(frames()).toBe(2);
  expect(hasTimer()).toBe(false);
});
