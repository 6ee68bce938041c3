import { coreError, errorCode, errorMessage } from "../../core/index.ts";
import { hostError } from "../errors.ts";
import type { Disk, FileFacts } from "./disk.ts";

/** When appends are brought to the disk (session tree §5.3). */
export type Durability = "turn" | "entry" | "none";

const LF = 0x0a;

/** Where the lines of one write stand: the position of the first byte of the first line. */
export interface Written {
  readonly offset: number;
  /** False if other bytes came in between, so that the place is not certain. */
  readonly isCertain: boolean;
}

export interface AppendOptions {
  readonly endsWithLf: boolean;
  readonly durability: Durability;
  /** The file, if it is open for appending already. */
  readonly fd?: number;
}

/** How a file ended at some time. */
export interface FileEnd {
  readonly size: number;
  readonly endsWithLf: boolean;
}

/**
 * The end of one session file: appends whole lines, each call by one write, and notices when another
 * program has touched the file (session tree §5.2, §5.3, §5.6).
 */
export class AppendLog {
  readonly path: string;
  readonly #disk: Disk;
  readonly #durability: Durability;
  /** Device and inode, and size after the last look; what is there must be the same. */
  #identity: string;
  #size: number;
  #endsWithLf: boolean;
  #fd: number | undefined;
  #isDirty = false;
  #change: { expected: number; found: number | undefined } | undefined;

  constructor(disk: Disk, path: string, facts: FileFacts, options: AppendOptions) {
    this.#disk = disk;
    this.path = path;
    this.#identity = facts.identity;
    this.#size = facts.size;
    this.#endsWithLf = options.endsWithLf;
    this.#durability = options.durability;
    this.#fd = options.fd;
  }

  get end(): FileEnd {
    return { size: this.#size, endsWithLf: this.#endsWithLf };
  }

  /** Raises SESSION_CHANGED if the file is not as it was left, from then on always. */
  check(): void {
    const facts = this.#change ? undefined : this.#disk.facts(this.path);
    const isSame = facts?.identity === this.#identity && facts.size === this.#size;
    if (!isSame) this.#change ??= { expected: this.#size, found: facts?.size };
    if (this.#change) throw hostError("SESSION_CHANGED", { path: this.path, ...this.#change });
  }

  /** True if the file is known to have been changed by another program. */
  isChanged(): boolean {
    const facts = this.#disk.facts(this.path);
    return facts?.identity !== this.#identity || facts.size !== this.#size;
  }

  /** Appends lines, given with their line feeds. Raises SESSION_CHANGED, SESSION_WRITE_FAILED. */
  append(lines: Buffer): Written {
    return this.#orFail(() => {
      this.check();
      this.#fd ??= this.#disk.open(this.path, "append");
      const prefix = this.#endsWithLf ? 0 : 1;
      const offset = this.#size + prefix;
      const isCertain = this.#write(this.#fd, prefix ? Buffer.concat([LINE_END, lines]) : lines);
      if (this.#durability === "entry") this.#syncNow(this.#fd);
      return { offset, isCertain };
    });
  }

  /** Cuts off what a failed write left at the end of a file that held no session before. */
  takeBack({ size, endsWithLf }: FileEnd): void {
    if (this.#fd === undefined || this.#change || this.#size === size) return;
    this.#disk.truncate(this.#fd, size);
    this.#size = size;
    this.#endsWithLf = endsWithLf;
  }

  /** Makes the file's name durable, unless nothing is to be. */
  syncFolder(folder: string): void {
    if (this.#durability !== "none") this.#orFail(() => this.#disk.syncFolder(folder));
  }

  /** Brings all appends to the disk. Raises SESSION_WRITE_FAILED. */
  async sync(): Promise<void> {
    const fd = this.#startSync();
    if (fd === undefined) return;
    try {
      await this.#disk.dataSyncLater(fd);
    } catch (error) {
      this.#isDirty = true;
      throw writeFailed(this.path, error);
    }
  }

  /** Syncs and closes; the file is closed also when the sync fails. */
  close(): void {
    const fd = this.#startSync();
    try {
      if (fd !== undefined) this.#orFail(() => this.#disk.dataSync(fd));
    } finally {
      this.abandon();
    }
  }

  /** Closes without bringing anything to the disk. */
  abandon(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    this.#isDirty = false;
    if (fd !== undefined) this.#disk.close(fd);
  }

  #startSync(): number | undefined {
    if (!this.#isDirty || this.#durability === "none") return undefined;
    this.#isDirty = false;
    return this.#fd;
  }

  #syncNow(fd: number): void {
    this.#disk.dataSync(fd);
    this.#isDirty = false;
  }

  /** One write. A write that lacks nothing but the last line feed counts as whole. */
  #write(fd: number, bytes: Buffer): boolean {
    const { count, error } = this.#tryWrite(fd, bytes);
    const found = this.#disk.factsOf(fd).size;
    const reached = Math.min(count ?? found - this.#size, bytes.length);
    if (reached > 0) {
      this.#endsWithLf = bytes[reached - 1] === LF;
      this.#isDirty = true;
    }
    this.#size += reached;
    if (reached < bytes.length - 1) {
      throw error ?? coreError("SESSION_WRITE_FAILED", { path: this.path, reason: SHORT });
    }
    return found === this.#size;
  }

  #tryWrite(fd: number, bytes: Buffer): { count?: number; error?: unknown } {
    try {
      return { count: this.#disk.write(fd, bytes) };
    } catch (error) {
      return { error };
    }
  }

  #orFail<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw writeFailed(this.path, error);
    }
  }
}

const LINE_END = Buffer.of(LF);
const SHORT = "the disk took only a part of it";

/** SESSION_WRITE_FAILED for an error of the file system; coded errors stay as they are. */
export function writeFailed(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return coreError("SESSION_WRITE_FAILED", { path, reason: systemReason(error) }, error);
}

/** The error to throw after a failure and its clean-up, which may fail itself. */
export function afterFailure(path: string, error: unknown, cleanUp: () => void): unknown {
  try {
    cleanUp();
    return error;
  } catch (second) {
    const reason = `${systemReason(error)}; then ${systemReason(second)}`;
    return coreError("SESSION_WRITE_FAILED", { path, reason }, error);
  }
}

/** True for what Node raises when the file system refuses. */
export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}

/** The system's code, else the message. */
export function systemReason(error: unknown): string {
  return (isSystemError(error) && errorCode(error)) || errorMessage(error);
}
