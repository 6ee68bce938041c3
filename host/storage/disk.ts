import fs from "node:fs";
import { errorCode } from "../../core/index.ts";

/** What the file system says about a path. */
export interface FileFacts {
  readonly kind: "file" | "folder" | "other";
  /** Device and inode: the same for two paths of one file. */
  readonly identity: string;
  /** Bytes. */
  readonly size: number;
  /** Time of the last change, milliseconds since the epoch. */
  readonly modified: number;
  /** Times of the last change of content and of the file's record, as exact as the system has them. */
  readonly stamp: string;
}

/**
 * The file system as session files need it; errors are those of Node. One object, so that tests can
 * put a failing or a simulated disk below the real store.
 */
export interface Disk {
  /** `append` fails if the file is missing, `create` if it is there; both write at the end. */
  open(path: string, purpose: "read" | "append" | "create"): number;
  close(fd: number): void;
  /** Fills `into` from a position of the file; gives the number of bytes, less at its end. */
  read(fd: number, into: Uint8Array, position: number): number;
  /** One write at the end of the file; gives the number of bytes that were taken. */
  write(fd: number, bytes: Uint8Array): number;
  /** Brings data and metadata to the disk. */
  sync(fd: number): void;
  /** Brings the data to the disk. */
  dataSync(fd: number): void;
  dataSyncLater(fd: number): Promise<void>;
  /** Makes the names in a folder durable, where the platform can. */
  syncFolder(path: string): void;
  truncate(fd: number, size: number): void;
  /** `undefined` if there is nothing at the path. */
  facts(path: string): FileFacts | undefined;
  factsOf(fd: number): FileFacts;
  /** The path without symbolic links. */
  realPath(path: string): string;
  canWrite(path: string): boolean;
  /** Makes a folder and those above it; gives the first one that was missing. */
  makeFolder(path: string): string | undefined;
  list(path: string): string[];
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** A second name for a file, or where there are no such, a copy. Fails if `to` is there. */
  link(from: string, to: string): void;
}

const FLAGS = {
  read: fs.constants.O_RDONLY,
  append: fs.constants.O_WRONLY | fs.constants.O_APPEND,
  create:
    fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

/** Sessions are private: they hold what a person said and what was read from files. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export const nodeDisk: Disk = {
  open: (path, purpose) => fs.openSync(path, FLAGS[purpose], FILE_MODE),
  close: (fd) => fs.closeSync(fd),
  read: readFully,
  write: (fd, bytes) => fs.writeSync(fd, bytes),
  sync: (fd) => fs.fsyncSync(fd),
  dataSync: (fd) => fs.fdatasyncSync(fd),
  dataSyncLater: (fd) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
    }),
  syncFolder,
  truncate: (fd, size) => fs.ftruncateSync(fd, size),
  facts: (path) => {
    const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && factsFrom(stats);
  },
  factsOf: (fd) => factsFrom(fs.fstatSync(fd, { bigint: true })),
  realPath: (path) => fs.realpathSync.native(path),
  canWrite,
  makeFolder: (path) => fs.mkdirSync(path, { recursive: true, mode: FOLDER_MODE }),
  list: (path) => fs.readdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  remove: (path) => fs.unlinkSync(path),
  link,
};

function readFully(fd: number, into: Uint8Array, position: number): number {
  let done = 0;
  while (done < into.length) {
    const count = fs.readSync(fd, into, done, into.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function factsFrom(stats: fs.BigIntStats): FileFacts {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  return {
    kind,
    identity: `${stats.dev}:${stats.ino}`,
    size: Number(stats.size),
    modified: Number(stats.mtimeNs / 1_000_000n),
    stamp: `${stats.mtimeNs}:${stats.ctimeNs}`,
  };
}

function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(path, "r");
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function canWrite(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

function link(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL);
  }
}

const UNSUPPORTED = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EPERM", "EMLINK"]);

function isUnsupported(error: unknown): boolean {
  return UNSUPPORTED.has(errorCode(error) ?? "");
}
