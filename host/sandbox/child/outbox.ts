import type { Socket } from "node:net";
import { encodeFrame, type FromChild } from "../protocol.ts";

/** Bytes of one guest that the socket has not taken yet. */
export interface Account {
  unsent: number;
  /** Called when bytes have been taken. */
  drained(): void;
}

/** Everything that leaves the extension host. */
export class Outbox {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Sends a frame and gives its size in bytes; with an account it is on it until it is taken. */
  send(header: FromChild, body: string | Uint8Array = "", account?: Account): number {
    const frame = encodeFrame(header, body);
    if (account) account.unsent += frame.length;
    this.#socket.write(frame, () => {
      if (!account) return;
      account.unsent -= frame.length;
      account.drained();
    });
    return frame.length;
  }

  /** Sends a last frame; then the process ends, whether or not anybody has read it. */
  sendLast(header: FromChild, graceMs: number): void {
    const end = () => process.kill(process.pid, "SIGKILL");
    this.#socket.write(encodeFrame(header), end);
    setTimeout(end, graceMs);
  }
}
