import {
  buildTree,
  type Diagnostic,
  type DiagnosticCode,
  inFileOrder,
  type LoadedTree,
  recordedLeaf,
} from "../../core/index.ts";
import { hostError } from "../errors.ts";
import type { FileSetup, Loaded } from "./loading.ts";
import { openFile } from "./open-file.ts";

/** Something that is wrong in a session file. */
export interface FileFinding extends Diagnostic {
  /** What a repair makes of it, as a sentence. */
  readonly remedy: string;
}

/** What a session file is when every record of it has been parsed. */
export interface Examination {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** Entries of all branches. */
  readonly entryCount: number;
  readonly isDamaged: boolean;
  /** In file order. */
  readonly findings: readonly FileFinding[];
}

/** The content of an examined file, readable while the file is open. */
export interface Content {
  readonly loaded: Loaded;
  readonly tree: LoadedTree["tree"];
  readonly fd: number;
}

/**
 * Parses every record of a session file (session tree §17). Changes nothing and takes no lock; `use`
 * gets the content, absent for a blank file, before the file is closed. Raises SESSION_NOT_FOUND,
 * SESSION_UNREADABLE, SESSION_HEADER_INVALID.
 */
export async function examineFile<T>(
  path: string,
  setup: FileSetup,
  use: (examination: Examination, content: Content | undefined) => T,
): Promise<T> {
  const { indexFolder: _, ...unindexed } = setup;
  const opened = await openFile(path, "read", { ...unindexed, isExact: true });
  if (opened.kind === "missing") throw hostError("SESSION_NOT_FOUND", { path });
  if (opened.kind === "blank") {
    const { size } = opened.appends.end;
    return use({ file: path, size, entryCount: 0, isDamaged: false, findings: [] }, undefined);
  }
  const { fd, loaded, readOnly } = opened;
  try {
    const { tree, diagnostics } = buildTree(loaded.log.rows);
    const { diagnostic } = recordedLeaf(tree);
    const found = [readOnly?.diagnostic, ...loaded.diagnostics, ...diagnostics, diagnostic];
    const ofFile = found.filter((one) => one !== undefined && one.code !== "READ_ONLY_FOLDER");
    const findings = withPlaces(inFileOrder(ofFile as Diagnostic[]), loaded).map((one) => ({
      ...one,
      remedy: REMEDIES[one.code] ?? "it stays as it is",
    }));
    const isDamaged = findings.some(({ code }) => code !== "VERSION_NEWER");
    const { size } = loaded;
    const examination = { file: path, size, entryCount: tree.count, isDamaged, findings };
    return use(examination, { loaded, tree, fd });
  } finally {
    setup.disk.close(fd);
  }
}

/** What is told of an entry is told of its bytes too. */
function withPlaces(found: readonly Diagnostic[], { log }: Loaded): readonly Diagnostic[] {
  const { rows } = log;
  const isPlaced = ({ id, offset }: Diagnostic) => id === undefined || offset !== undefined;
  const wanted = new Set(found.flatMap((one) => (isPlaced(one) ? [] : rows.keyOf(one.id ?? ""))));
  if (wanted.size === 0) return found;
  const places = new Map<string, Pick<Diagnostic, "offset" | "length">>();
  for (let index = 0; index < rows.length; index++) {
    if (!wanted.has(rows.idKey(index))) continue;
    const place = log.place(index);
    const { id, line } = log.rows.at(index) ?? {};
    if ("offset" in place) {
      places.set(`${line} ${id}`, { offset: place.offset, length: place.length });
    }
  }
  return found.map((one) => ({
    ...one,
    ...(!isPlaced(one) && places.get(`${one.line} ${one.id}`)),
  }));
}

const REMEDIES: { readonly [code in DiagnosticCode]?: string } = {
  MALFORMED_LINE: "the line is left out: nothing in it is a whole entry",
  NOT_AN_OBJECT: "the line is left out: it is no entry",
  MISSING_TYPE: "the line is left out: nothing tells what it is",
  MISSING_ID: "the line is left out: no other entry can name it",
  GLUED_RECORDS: "each whole entry in it gets a line of its own; the rest is left out",
  TORN_TAIL: "the piece of a line is left out",
  INVALID_UTF8: "the entry is kept; the replacement characters are stored in place of the bytes",
  OVERSIZED_LINE: "the entry is kept with all its bytes; limits.maxLineBytes decides if it loads",
  EXTRA_HEADER: "the second header is left out",
  DUPLICATE_ID: "the last record keeps the id; an earlier message gets an id of its own",
  PARENT_MISSING: "the entry is stored as a root",
  PARENT_CYCLE: "the entry is stored as a root; the others stay below it",
  MARKER_INVALID: "the marker is left out; the position is the last entry",
  VERSION_NEWER: "nothing: a newer coppice reads and writes it",
};
