/** What core needs from the outside world; the host supplies it, tests choose it. */
export interface Environment {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Random bytes, `count` of them. */
  randomBytes(count: number): Uint8Array;
  /** SHA-256 of the UTF-8 bytes of a text, as lower-case hex. */
  sha256(text: string): string;
}

export function timestamp(env: Environment): string {
  return new Date(env.now()).toISOString();
}

/** A fresh 8-digit hex id that is not taken; after 100 collisions a UUID (session tree §2.3). */
export function entryId(env: Environment, isTaken: (id: string) => boolean): string {
  for (let attempt = 0; attempt < 100; attempt++) {
    const id = hex(env.randomBytes(4));
    if (!isTaken(id)) return id;
  }
  return uuid(env.randomBytes(16), 4);
}

/** A UUIDv7 (RFC 9562 §5.7) of the environment's clock: ids of sessions. */
export function sessionId(env: Environment): string {
  const bytes = Uint8Array.from(env.randomBytes(16));
  let time = env.now();
  for (let i = 5; i >= 0; i--) {
    bytes[i] = time % 256;
    time = Math.floor(time / 256);
  }
  return uuid(bytes, 7);
}

function uuid(random: Uint8Array, version: number): string {
  const bytes = Uint8Array.from(random);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
