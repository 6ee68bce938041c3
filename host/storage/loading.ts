import {
  type Diagnostic,
  type Environment,
  inFileOrder,
  type JsonObject,
  type Migration,
  migrateHeader,
  migrationOf,
  rowOf,
  type SessionHeader,
  versionOf,
} from "../../core/index.ts";
import type { Durability } from "./append-log.ts";
import type { Disk } from "./disk.ts";
import type { StoredFacts } from "./index-file.ts";
import { type IndexPlace, indexPlace, loadIndexed } from "./indexed.ts";
import { RecordLog } from "./record-log.ts";
import { type Scan, type Span, scanSession } from "./scan.ts";

/** What session files need from around them. */
export interface FileSetup {
  readonly disk: Disk;
  readonly env: Environment;
  /** Longer lines are not loaded (session tree §3.2). */
  readonly maxLineBytes: number;
  readonly durability: Durability;
  /** Stands in for a header's missing `cwd`. */
  readonly cwd: string;
  /** Where indexes of session files are kept; absent: nowhere. */
  readonly indexFolder?: string;
  /** Every record is parsed while it is loaded. */
  readonly isExact?: boolean;
  /** Where new sessions of a project go when the folder of the present one cannot be written. */
  sessionFolder(cwd: string): string;
}

/** A session file that was read: its records by row and place. */
export interface Loaded {
  readonly log: RecordLog;
  /** In the present format, with a `cwd`. */
  readonly header: SessionHeader;
  /** Version as it stands in the file. */
  readonly version: number;
  readonly slotTitle: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly size: number;
  readonly endsWithLf: boolean;
  /** Set while the file is of an old format: what a rewrite changes. */
  readonly legacy: Legacy | undefined;
  /** As it is kept with an index. */
  readonly stored: StoredFacts;
  /** Set for a file whose index is kept. */
  readonly index: IndexPlace | undefined;
}

export interface Legacy extends Span {
  readonly header: SessionHeader;
  readonly migration: Migration;
}

/** A file as it was read; without `loaded` it is blank or no session. */
export interface Read {
  readonly scan: Pick<Scan, "problem" | "size" | "endsWithLf">;
  readonly loaded?: Loaded;
}

/** Reads a file into rows and places, or takes them from its index. */
export async function loadRecords(realPath: string, fd: number, setup: FileSetup): Promise<Read> {
  const place = indexPlace(realPath, fd, setup);
  const known = place && loadIndexed(fd, setup.disk, place);
  if (!known) return scanRecords(fd, setup, place && { ...place, isStored: false });
  const { scan, log } = known;
  const size = place.key.facts.size;
  const { header, slotTitle, diagnostics, endsWithLf } = scan;
  const stored = { header, slotTitle, diagnostics };
  const loaded = {
    log,
    header: withCwd(header.record, setup.cwd),
    version: versionOf(header.record),
    slotTitle,
    diagnostics,
    size,
    endsWithLf,
    legacy: undefined,
    stored,
    index: { ...place, isStored: true },
  };
  return { scan: { problem: undefined, size, endsWithLf }, loaded };
}

async function scanRecords(
  fd: number,
  setup: FileSetup,
  index: IndexPlace | undefined,
): Promise<Read> {
  const { disk, env, maxLineBytes, isExact = false } = setup;
  const log = new RecordLog(disk);
  let migration: Migration | undefined;
  const scan = await scanSession(
    disk,
    fd,
    {
      maxLineBytes,
      isExact,
      rows: { table: log.rows, take: (row, span) => log.pushScanned(row, span) },
    },
    {
      header: (header) => {
        migration = migrationOf(header, (text) => env.sha256(text));
        log.attach(fd, migration);
      },
      record: ({ record, ordinal, line, offset, length, isOversized }) => {
        const migrated = (migration as Migration).next(record, ordinal);
        log.push(rowOf(migrated, line), { offset, length, ...(isOversized && { isOversized }) });
      },
    },
  );
  if (!scan.header || !migration) return { scan };
  return {
    scan,
    loaded: {
      ...loadedFrom(scan, scan.header, log, migration, setup.cwd),
      index: migration.isNeeded ? undefined : index,
    },
  };
}

function loadedFrom(
  scan: Scan,
  found: Span & { readonly record: SessionHeader },
  log: RecordLog,
  migration: Migration,
  cwd: string,
): Omit<Loaded, "index"> {
  const { record: header, offset, length } = found;
  const { size, endsWithLf, slotTitle } = scan;
  const legacy = migration.isNeeded ? { header, offset, length, migration } : undefined;
  const version = versionOf(header);
  const diagnostics = inFileOrder(scan.diagnostics);
  return {
    log,
    header: withCwd(migrateHeader(header), cwd),
    version,
    slotTitle,
    diagnostics,
    stored: { header: found, slotTitle, diagnostics },
    size,
    endsWithLf,
    legacy,
  };
}

function withCwd(header: SessionHeader, cwd: string): SessionHeader {
  const given: unknown = (header as JsonObject).cwd;
  return typeof given === "string" && given !== "" ? header : { ...header, cwd };
}
