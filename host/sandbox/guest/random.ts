import { codeAt } from "./captured.ts";

/** Random bytes of the isolate's own generator (xorshift), which the host seeds. */
export function randomOf(seed: string): (count: number) => Uint8Array {
  let state = 0x9e3779b9;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ codeAt(seed, i), 0x01000193);
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  };
  return (count) => {
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i++) bytes[i] = next();
    return bytes;
  };
}
