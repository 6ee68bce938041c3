import { join } from "node:path";

/** Where the user's state of extensions lies (extensions spec §4.3). */
export interface Places {
  readonly home: string;
  /** Loose extensions of the user. */
  readonly extensions: string;
  /** Files of installed packages, a folder each. */
  readonly packages: string;
  readonly staging: string;
  readonly lockFile: string;
  readonly trustFile: string;
  readonly auditLog: string;
  /** Facts about trees that were compared already; may be deleted. */
  readonly trees: string;
}

export function placesOf(home: string): Places {
  return {
    home,
    extensions: join(home, "extensions"),
    packages: join(home, "packages"),
    staging: join(home, "packages", ".staging"),
    lockFile: join(home, "extensions.lock.json"),
    trustFile: join(home, "trust.json"),
    auditLog: join(home, "audit.jsonl"),
    trees: join(home, "cache", "trees"),
  };
}

/** The folder in which a package keeps its data. */
export function dataFolder(home: string, id: string): string {
  return join(home, "data", fileNameOf(id));
}

/** A file name for an id, different for different ids: `@scope/name` is `@scope%2Fname`. */
export function fileNameOf(id: string): string {
  const name = encodeURIComponent(id).replaceAll("%40", "@");
  return name.startsWith(".") ? `%2E${name.slice(1)}` : name;
}

/** An id without scope and without characters that names cannot hold (extensions spec §1.2). */
export function shortIdOf(id: string): string {
  return id.replace(/^@[^/]*\//, "").replace(/[^A-Za-z0-9._-]/g, "-");
}
