import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorCode } from "../../core/index.ts";
import { type PackageFile, readTarball } from "../../host/packages/tar.ts";
import { folder, headerOf, type TarEntry, tarball, withSum, write } from "./world.ts";

const LIMITS = { maxBytes: 1_000_000, maxFiles: 50 };

function read(entries: readonly TarEntry[], limits = LIMITS): readonly PackageFile[] {
  return readTarball(tarball(entries), "p.tgz", limits);
}

function texts(files: readonly PackageFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    files.map(({ path, content }) => [path, Buffer.from(content).toString("utf8")]),
  );
}

test("files come with their content, the first folder left out, later ones of a name win", () => {
  const files = read([
    { name: "package", type: "5" },
    { name: "package/package.json", content: "{}" },
    { name: "package/bin/run.sh", content: "old", mode: 0o755 },
    { name: "package/./bin//run.sh", content: "new", mode: 0o4755 },
    { name: "package/empty.txt" },
  ]);
  expect(texts(files)).toEqual({ "package.json": "{}", "bin/run.sh": "new", "empty.txt": "" });
  expect(files.find(({ path }) => path === "bin/run.sh")?.isExecutable).toBe(true);
});

test("names too long for a header come by pax and by GNU headers", () => {
  const long = `package/${"folder/".repeat(30)}index.ts`;
  const record = ` path=${long}\n`;
  const length = record.length + String(record.length + 3).length;
  const files = read([
    { name: "PaxHeader", type: "x", content: `${length}${record}` },
    { name: "package/short", content: "pax" },
    { name: "././@LongLink", type: "L", content: `${long}2\0` },
    { name: "package/short", content: "gnu" },
  ]);
  const path = long.slice("package/".length);
  expect(texts(files)).toEqual({ [path]: "pax", [`${path}2`]: "gnu" });
});

test.each(["gnu", "pax", "ustar"])("what tar writes in the format %s is read", (format) => {
  const root = folder();
  const name = `package/${"long-folder-name/".repeat(8)}a.txt`;
  write(root, { [name]: "deep", "package/ü/b.txt": "umlaut" });
  const file = join(root, "p.tgz");
  execFileSync("tar", ["-C", root, `--format=${format}`, "-czf", file, "package"]);
  const files = readTarball(readFileSync(file), "p.tgz", LIMITS);
  expect(texts(files)).toEqual({ [name.slice("package/".length)]: "deep", "ü/b.txt": "umlaut" });
});

const REFUSED: readonly (readonly [what: string, entry: TarEntry, reason: string])[] = [
  ["an absolute name", { name: "/etc/passwd" }, "absolute"],
  ["a name that leads out", { name: "package/../../evil" }, "leads out"],
  ["a name with a backslash", { name: "package/..\\evil" }, "backslash"],
  ["a name with a control character", { name: "package/a\nb" }, "control"],
  ["a drive letter", { name: "C:/evil" }, "absolute"],
  ["a symbolic link", { name: "package/l", type: "2", link: "/etc" }, "symbolic link"],
  ["a hard link", { name: "package/l", type: "1", link: "package/a" }, "hard link"],
  ["a character device", { name: "package/d", type: "3" }, "device"],
  ["a block device", { name: "package/d", type: "4" }, "device"],
  ["a pipe", { name: "package/p", type: "6" }, "pipe"],
  ["an unknown kind", { name: "package/p", type: "V" }, "unknown kind"],
];

test.each(REFUSED)("%s is PACKAGE_INVALID and named", (_, entry, reason) => {
  const problem = caught(() => read([{ name: "package/a", content: "a" }, entry]));
  expect(problem.message).toContain("p.tgz");
  expect(problem.message).toContain(reason);
});

test("a name that is a file and a folder is refused, in either order", () => {
  const file = { name: "package/a", content: "x" };
  const below = { name: "package/a/b", content: "y" };
  for (const entries of [
    [file, below],
    [below, file],
    [file, { name: "package/a", type: "5" }],
  ]) {
    expect(caught(() => read(entries)).message).toContain("a file and a folder");
  }
});

test("a pax name is looked at like any other", () => {
  const record = " path=package/../../x\n";
  const entries = [
    { name: "h", type: "x", content: `${record.length + 2}${record}` },
    { name: "package/fine", content: "" },
  ];
  expect(caught(() => read(entries)).message).toContain("leads out");
});

describe("limits", () => {
  test("of files", () => {
    const many = Array.from({ length: 51 }, (_, i) => ({ name: `package/${i}` }));
    expect(caught(() => read(many)).message).toContain("more than 50 files");
  });

  test("of bytes, also where the archive is a bomb", () => {
    const half = { name: "package/a", content: new Uint8Array(600_000) };
    expect(caught(() => read([half, half])).message).toContain("extensions.maxPackageMb");
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(caught(() => readTarball(bomb, "p.tgz", LIMITS)).message).toContain("maxPackageMb");
  });
});

describe("a damaged archive", () => {
  const whole = Buffer.concat([
    headerOf({ name: "package/a", content: "abc" }),
    Buffer.from("abc"),
  ]);

  test.each([
    ["that is no gzip", Buffer.from("no archive")],
    ["that ends in an entry", gzipSync(whole.subarray(0, 513))],
    ["whose sum is wrong", gzipSync(Buffer.concat([Buffer.from("x"), whole.subarray(1)]))],
    ["whose size is no number", gzipSync(withSum(poke(whole, 124, "9z999999999\0")))],
    ["whose size is negative", gzipSync(withSum(poke(whole, 124, "-0000000001\0")))],
    ["with an unreadable pax header", tarball([{ name: "h", type: "x", content: "nonsense" }])],
  ])("%s is PACKAGE_INVALID", (_, bytes) => {
    expect(caught(() => readTarball(bytes, "p.tgz", LIMITS)).message).toContain("p.tgz");
  });

  test("never gives anything but files inside, or PACKAGE_INVALID, whatever bytes change", () => {
    const bytes = Buffer.concat([
      headerOf({ name: "package/a", content: "abc" }),
      Buffer.from("abc".padEnd(512, "\0")),
      headerOf({ name: "package/b/c", content: "d" }),
      Buffer.from("d".padEnd(512, "\0")),
      Buffer.alloc(1024),
    ]);
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(changes, (edits) => {
        const changed = Buffer.from(bytes);
        for (const [at, byte] of edits) changed[at] = byte;
        if (edits.length % 2 === 0) withSum(changed.subarray(0, 512) as Buffer);
        const read = () => readTarball(gzipSync(changed), "p.tgz", LIMITS);
        const files = valueOrInvalid(read);
        for (const { path } of files) {
          expect(path.split("/")).not.toContain("..");
          expect(path).not.toMatch(/^\/|[\0-\x1f\x7f\\]/);
        }
      }),
    );
  });
});

function valueOrInvalid(run: () => readonly PackageFile[]): readonly PackageFile[] {
  try {
    return run();
  } catch (error) {
    expect(errorCode(error)).toBe("PACKAGE_INVALID");
    return [];
  }
}

function caught(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    expect(errorCode(error)).toBe("PACKAGE_INVALID");
    return error as Error;
  }
  throw new TypeError("nothing was raised");
}

function poke(bytes: Buffer, at: number, text: string): Buffer {
  const copy = Buffer.from(bytes.subarray(0, 512));
  copy.write(text, at, "latin1");
  return copy;
}
