import { beforeAll, describe, expect, it } from "vitest";
import { sandboxed } from "../contract/loaders.ts";
import type { Attack } from "./attack.ts";
import { ATTACKS } from "./list/index.ts";
import { type Arena, arena, controlMs, isTimed, until } from "./world.ts";

/** Milliseconds: the longest stall of the event loop, and the canary's answer. */
const STALL = 50;
const ANSWER = 1000;
/** Of the control, which takes about as long as the longest stall that is allowed. */
const RATIO = 8;

describe.skipIf(sandboxed.missing !== undefined)("red team", () => {
  let control = 0;
  beforeAll(() => {
    control = Math.max(controlMs(), controlMs());
  });

  const check = async (attack: Attack) => {
    const place = await arena(attack);
    await place.canary();
    place.stall();
    const before = place.state();
    const done = attack.drive?.(place) ?? driven(attack, place);
    const first = await place.canary();
    await done;
    await judged(attack, place);
    attack.check?.(place);
    const answer = Math.max(first, await place.canary());
    const stall = place.stall();
    expect(place.state()).toEqual(before);
    expect(stall).toBeLessThan(isTimed ? STALL : Math.max(STALL, control * RATIO));
    if (isTimed) expect(answer).toBeLessThan(ANSWER);
    const codes = [...(attack.reports ?? []), "EXTENSION_CRASHED"];
    const foreign = place.reports.filter(
      ({ extension, code }) => extension !== "attacker" || !codes.includes(code),
    );
    expect(foreign).toEqual([]);
  };

  for (const attack of ATTACKS) {
    const title = `${attack.id} ${attack.title}${attack.note ? ` (${attack.note})` : ""}`;
    if (attack.open === undefined) it(title, () => check(attack));
    else it.fails(`${title}: open, ${attack.open}`, () => check(attack));
  }

  it("has every row of the list, once", () => {
    const ids = ATTACKS.map(({ id }) => id);
    const rows = Array.from({ length: 60 }, (_, i) => `R${String(i + 1).padStart(2, "0")}`);
    expect(ids.filter((id) => id.startsWith("R")).sort()).toEqual(rows);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

async function driven({ command, input }: Attack, place: Arena): Promise<void> {
  if (command !== undefined) await place.command("/attack");
  if (input !== undefined) place.outcome = await place.input();
}

/** What it said, or the fault that ended it. */
async function judged({ says, fault = [] }: Attack, place: Arena): Promise<void> {
  const kinds = fault.map((kind) => `(${kind}`);
  const isFault = () =>
    place.reports.some(
      ({ code, message }) =>
        code === "EXTENSION_CRASHED" && kinds.some((kind) => message.includes(kind)),
    );
  if (says === undefined && kinds.length === 0) return;
  await until(() => {
    const outcome = { said: place.said, reports: place.reports };
    const isSaid = says?.test(place.said.join("\n")) ?? false;
    expect(isSaid || isFault(), JSON.stringify(outcome)).toBe(true);
  });
}
