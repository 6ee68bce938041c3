import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

/** An empty folder that is gone with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "coppice-packages-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export type Files = Readonly<Record<string, string>>;

/** Writes files below a folder; gives the folder. */
export function write(root: string, files: Files): string {
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return root;
}

export interface TarEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** The type letter of the header: a file if left out. */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
}

/** A gzipped archive of entries as they stand, however bad. */
export function tarball(entries: readonly TarEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.map(blocksOf), Buffer.alloc(1024)]));
}

export function headerOf({ name, content = "", type = "0", link = "", mode = 0o644 }: TarEntry) {
  const header = Buffer.alloc(512);
  const size = type === "5" ? 0 : Buffer.byteLength(content);
  const put = (text: string, offset: number) => header.write(text, offset, "utf8");
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  put(name, 0);
  put(`${octal(mode, 7)}\0`, 100);
  put(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108);
  put(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124);
  put(type, 156);
  put(link, 157);
  put("ustar\0", 257);
  put("00", 263);
  return withSum(header);
}

/** The header with the sum of its bytes. */
export function withSum(header: Buffer): Buffer {
  header.write("        ", 148, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

function blocksOf(entry: TarEntry): Buffer {
  const content = Buffer.from(entry.content ?? "");
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([headerOf(entry), content, padding]);
}

/** A package as the registry has it: everything in one folder. */
export function packed(files: Files): Buffer {
  return tarball(
    Object.entries(files).map(([name, content]) => ({ name: `package/${name}`, content })),
  );
}
