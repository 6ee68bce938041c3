/** Presses of Escape that still count, in milliseconds of the clock. */
export interface EscapeState {
  readonly pressedAt?: number;
  readonly stoppedAt?: number;
}

const WINDOW = 500;
/** tmux holds a lone Escape back for half a second by default. */
const WINDOW_IN_TMUX = 600;
/** People hammer Escape to stop a reply. */
const DEAF_AFTER_STOP = 700;

export function escapeWindow(env: Readonly<Record<string, string | undefined>>): number {
  return env.TMUX ? WINDOW_IN_TMUX : WINDOW;
}

/** Counts one press that had nothing else to do (tui spec §3.3). */
export function pressEscape(
  state: EscapeState,
  now: number,
  window: number,
): { readonly state: EscapeState; readonly isDouble: boolean } {
  const { pressedAt, stoppedAt } = state;
  if (stoppedAt !== undefined && now - stoppedAt < DEAF_AFTER_STOP) {
    return { state, isDouble: false };
  }
  if (pressedAt !== undefined && now - pressedAt <= window) return { state: {}, isDouble: true };
  return { state: { pressedAt: now }, isDouble: false };
}
