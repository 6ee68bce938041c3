import { basename, dirname, join } from "node:path";
import type { Environment } from "../../core/index.ts";
import type { Disk } from "./disk.ts";

const BUFFER_BYTES = 1 << 20;

/**
 * A file that is written under a temporary name beside its place and takes its name when it is
 * whole (session tree §5.4, §6.6). Raises errors of the file system.
 */
export class TemporaryFile {
  readonly #disk: Disk;
  readonly #target: string;
  readonly #path: string;
  #fd: number | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #position = 0;
  #isThere = true;

  constructor(disk: Disk, target: string, env: Environment) {
    const random = Buffer.from(env.randomBytes(6)).toString("hex");
    this.#disk = disk;
    this.#target = target;
    this.#path = join(dirname(target), `.${basename(target)}.${random}.tmp`);
    this.#fd = disk.open(this.#path, "create");
  }

  /** Bytes written so far. */
  get position(): number {
    return this.#position;
  }

  write(bytes: Uint8Array): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#position += bytes.length;
    if (this.#heldBytes >= BUFFER_BYTES) this.#flush();
  }

  writeText(text: string): void {
    this.write(Buffer.from(text));
  }

  /** Copies bytes of another file; gives how many there were. */
  copy(fd: number, offset: number, length: number): number {
    let done = 0;
    while (done < length) {
      const part = Buffer.allocUnsafe(Math.min(BUFFER_BYTES, length - done));
      const count = this.#disk.read(fd, part, offset + done);
      this.write(part.subarray(0, count));
      done += count;
      if (count < part.length) break;
    }
    return done;
  }

  /** Ends the writing; with `isDurable` all is on the disk then. */
  finish(isDurable: boolean): void {
    this.#flush();
    const fd = this.#fd as number;
    if (isDurable) this.#disk.sync(fd);
    this.#fd = undefined;
    this.#disk.close(fd);
  }

  /** Takes the place of what is at the target. */
  takeName(): void {
    this.#disk.rename(this.#path, this.#target);
    this.#isThere = false;
  }

  /** Removes the file, unless it has its name already. */
  remove(): void {
    if (this.#fd !== undefined) this.#disk.close(this.#fd);
    this.#fd = undefined;
    if (this.#isThere) this.#disk.remove(this.#path);
    this.#isThere = false;
  }

  /** Removes the file also if it has its name. */
  removeEither(): void {
    if (!this.#isThere) this.#disk.remove(this.#target);
    this.remove();
  }

  #flush(): void {
    let bytes = Buffer.concat(this.#held);
    while (bytes.length > 0) {
      bytes = bytes.subarray(this.#disk.write(this.#fd as number, bytes));
    }
    this.#held = [];
    this.#heldBytes = 0;
  }
}
