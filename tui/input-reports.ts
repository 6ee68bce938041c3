import type { InputEvent, MouseEvent, ReplyEvent, ReplyKind } from "./input-events.ts";
import { csiKeys } from "./input-keys.ts";

/** A control sequence `CSI parameters intermediates final`. */
export interface Csi {
  readonly parameters: string;
  readonly intermediates: string;
  readonly final: string;
}

const PRIVATE = /^[<=>?]/;
const REPLY_KINDS: Readonly<Record<string, ReplyKind>> = {
  c: "attributes",
  n: "status",
  R: "cursor",
  t: "window",
  u: "keyboard",
  y: "mode",
};

const MOUSE = { shift: 4, alt: 8, ctrl: 16, motion: 32, wheel: 64 };
const X10_OFFSET = 32;
const X10_RELEASE = 3;

/** What a control sequence says: keys, a mouse or focus report, or an answer of the terminal. */
export function csiEvents(csi: Csi): readonly InputEvent[] {
  const { parameters, intermediates, final } = csi;
  if (parameters.startsWith("<") && /^[Mm]$/.test(final)) return sgrMouse(parameters, final);
  if (parameters === "" && (final === "I" || final === "O")) {
    return [{ type: "focus", focused: final === "I" }];
  }
  if (PRIVATE.test(parameters) || intermediates !== "" || isPublicReply(parameters, final)) {
    return [reply(csi)];
  }
  return csiKeys(parameters, final);
}

/** A mouse report of the oldest form: three bytes behind `CSI M`. */
export function x10Mouse(bytes: string): readonly InputEvent[] {
  const [code = 0, column = 0, row = 0] = [...bytes].map((byte) => byte.charCodeAt(0) - X10_OFFSET);
  const isRelease = (code & 3) === X10_RELEASE && (code & (MOUSE.wheel | MOUSE.motion)) === 0;
  return mouse(code, column, row, isRelease);
}

function sgrMouse(parameters: string, final: string): readonly InputEvent[] {
  const [code = 0, column = 1, row = 1] = parameters.slice(1).split(";").map(Number);
  return mouse(code, column, row, final === "m");
}

function mouse(
  code: number,
  column: number,
  row: number,
  isRelease: boolean,
): readonly InputEvent[] {
  const action = mouseAction(code, isRelease);
  if (action === undefined) return [];
  const modifiers = {
    ctrl: (code & MOUSE.ctrl) !== 0,
    alt: (code & MOUSE.alt) !== 0,
    shift: (code & MOUSE.shift) !== 0,
  };
  return [
    { type: "mouse", action, button: code & 3, column: column - 1, row: row - 1, ...modifiers },
  ];
}

function mouseAction(code: number, isRelease: boolean): MouseEvent["action"] | undefined {
  if ((code & MOUSE.wheel) !== 0) return (["wheelUp", "wheelDown"] as const)[code & 3];
  if (isRelease) return "release";
  return (code & MOUSE.motion) !== 0 ? "move" : "press";
}

/** A cursor report of row 1 reads as F3 with a modifier, and counts as that (tui spec §1.3.8). */
function isPublicReply(parameters: string, final: string): boolean {
  if (final === "R") return !/^1?(;|$)/.test(parameters);
  return /^[nt]$/.test(final) || (final === "c" && parameters !== "");
}

function reply({ parameters, intermediates, final }: Csi): ReplyEvent {
  const data = parameters + intermediates + final;
  return { type: "reply", kind: REPLY_KINDS[final] ?? "other", data };
}
