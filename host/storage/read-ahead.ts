import type { Disk } from "./disk.ts";
import type { Span } from "./scan.ts";

/** Bytes read at once where records are asked for in file order. */
const BLOCK_BYTES = 256 << 10;

/**
 * Reads spans of a file whose bytes are never changed. Paths ask for records in file order: after two
 * near each other the next ones come from one block.
 */
export class ReadAhead {
  #block: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  /** The bytes of a span, fewer where the file ends before it; valid until the next call. */
  read(disk: Disk, fd: number, { offset, length }: Span): Buffer {
    const at = offset - this.#start;
    if (at >= 0 && at + length <= this.#block.length) return this.#block.subarray(at, at + length);
    const isNear = offset >= this.#end && offset - this.#end < BLOCK_BYTES;
    this.#end = offset + length;
    if (!isNear || length > BLOCK_BYTES) return readAt(disk, fd, offset, length);
    this.#block = readAt(disk, fd, offset, BLOCK_BYTES);
    this.#start = offset;
    return this.#block.subarray(0, length);
  }

  forget(): void {
    this.#block = Buffer.alloc(0);
    this.#end = 0;
  }
}

function readAt(disk: Disk, fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, disk.read(fd, bytes, offset));
}
