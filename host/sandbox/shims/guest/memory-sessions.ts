import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { SessionManager } from "../../../../core/index.ts";
import type { GuestSettings } from "../settings.ts";
import { randomBytes } from "./random.ts";

declare const settings: GuestSettings;

/** What core needs of the outside world, as the guest has it. */
export const environment = {
  now: () => settings.now(),
  randomBytes,
  sha256: (text: string) => bytesToHex(sha256(utf8ToBytes(text))),
};

/** A full, writable session of its own, without a file. */
export function memorySession(cwd: string): SessionManager {
  return SessionManager.inMemory(cwd, environment);
}
