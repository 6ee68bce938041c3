import { mkdirSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { listItem } from "../../../host/storage/listing.ts";
import {
  coppiceHome,
  foldersOf,
  projectFolder,
  projectFolderName,
  sessionFileName,
} from "../../../host/storage/session-dir.ts";
import {
  continueRecent,
  createSession,
  findSession,
  listSessions,
  mostRecent,
  openSession,
} from "../../../host/storage/sessions.ts";
import {
  assistant,
  countingEnvironment,
  diskWith,
  json,
  user,
  userMessage,
  type World,
  world,
} from "./world.ts";

function headerOf(id: string, more = {}): string {
  return json({
    type: "session",
    version: 3,
    id,
    timestamp: "2026-03-01T09:00:00.000Z",
    cwd: "/p",
    ...more,
  });
}

/** A session of the world's project, with the time of its file in seconds. */
function stored(at: World, name: string, lines: readonly string[], seconds = 1): string {
  const folder = projectFolder(at.project, at.variables).slice(at.root.length);
  const path = at.file(join(folder, `${name}.jsonl`), lines);
  utimesSync(path, seconds, seconds);
  return path;
}

describe("a project's session folder", () => {
  it("differs between projects whose paths look alike", () => {
    const at = world();
    const paths = [
      "p/a-b/c",
      "p/a/b-c",
      "x/-rf",
      "x/rf",
      "x/a_b",
      "x/a.b",
      "x/a b",
      "x/\u00e9",
      "x/e\u0301",
      "x/.hidden",
      `x/${"n".repeat(250)}`,
      "x/🙂",
    ];
    const names = paths.map((path) => {
      mkdirSync(join(at.root, path), { recursive: true });
      return projectFolderName(join(at.root, path));
    });
    expect(new Set(names).size).toBe(paths.length);
    for (const name of names) expect(name).toMatch(/^(?![._-])[A-Za-z0-9._]{1,40}-[0-9a-f]{16}$/);
    expect(projectFolderName("/")).toMatch(/^root-/);
  });

  it("is the same for a symbolic link to the project", () => {
    const at = world();
    symlinkSync(at.project, join(at.root, "link"));
    expect(projectFolderName(join(at.root, "link"))).toBe(projectFolderName(at.project));
  });

  it("lies below COPPICE_HOME, else below the home folder", () => {
    expect(coppiceHome({ COPPICE_HOME: "/x/y", HOME: "/h" })).toBe("/x/y");
    expect(coppiceHome({ HOME: "/h" })).toBe("/h/.coppice");
    expect(coppiceHome({ COPPICE_HOME: "", HOME: "/h" })).toBe("/h/.coppice");
    expect(dirname(projectFolder("/p", { HOME: "/h" }))).toBe("/h/.coppice/sessions");
  });

  it("has the names that pi and omp give beside it", () => {
    const names = (cwd: string) =>
      foldersOf(cwd, { HOME: "/h/ann" })
        .map(({ origin, path }) => `${origin} ${path}`)
        .slice(1);
    expect(names("/srv/a b:c")).toEqual([
      "pi /h/ann/.pi/agent/sessions/--srv-a b-c--",
      "omp /h/ann/.omp/agent/sessions/--srv-a b-c--",
    ]);
    expect(names("/h/ann/x/y")).toContain("omp /h/ann/.omp/agent/sessions/-x-y");
    expect(names("/h/ann")).toContain("omp /h/ann/.omp/agent/sessions/-");
    expect(names("/h/anne/x")).toContain("omp /h/ann/.omp/agent/sessions/--h-anne-x--");
    expect(names("/tmp/x")).toContain("omp /h/ann/.omp/agent/sessions/-tmp-x");
  });

  it("holds files named after time and id", async () => {
    const at = world();
    const env = countingEnvironment();
    const session = await createSession(at.project, { variables: at.variables, env, id: "my-id" });
    expect(session.getSessionFile()).toBe(
      join(projectFolder(at.project, at.variables), "2026-03-01T09-00-00-000Z_my-id.jsonl"),
    );
    const header = { type: "session", id: "a/b", timestamp: "t", cwd: "/p" } as const;
    expect(sessionFileName(header)).toBe("t_a_b.jsonl");
  });
});

describe("a list item", () => {
  const at = world();

  it("tells name, times, number of messages and the first user text", async () => {
    const path = at.file("full.jsonl", [
      headerOf("s-full", { parentSession: "/other.jsonl", title: "From header" }),
      user("u0", null, "   "),
      user("u1", "u0", "first\nquestion"),
      assistant("a1", "u1", "answer"),
      json({ type: "session_info", id: "i1", parentId: "a1", timestamp: "t", name: " Named " }),
      ...Array.from({ length: 20 }, (_, i) =>
        json({ type: "custom", id: `c${i}`, parentId: null, timestamp: "t" }),
      ),
    ]);
    expect(await listItem(path)).toEqual({
      path,
      origin: "coppice",
      id: "s-full",
      cwd: "/p",
      name: "Named",
      parentSession: "/other.jsonl",
      created: new Date("2026-03-01T09:00:00.000Z"),
      modified: new Date(2),
      messageCount: 3,
      firstUserText: "first\nquestion",
    });
  });

  it("does not count a time that no clock can show", async () => {
    const message = { role: "user", content: "hi", timestamp: 1e300 };
    const entry = {
      type: "message",
      id: "a",
      parentId: null,
      timestamp: "2026-03-02T09:00:00.000Z",
    };
    const path = at.file("later.jsonl", [headerOf("later"), JSON.stringify({ ...entry, message })]);
    expect((await listItem(path)).modified).toEqual(new Date(entry.timestamp));
  });

  it("without messages has the time of the header, else that of the file", async () => {
    const plain = at.file("plain.jsonl", [headerOf("x")]);
    expect((await listItem(plain)).modified).toEqual(new Date("2026-03-01T09:00:00.000Z"));
    const timeless = at.file("timeless.jsonl", [headerOf("x", { timestamp: "?" })]);
    utimesSync(timeless, 5, 5);
    expect(await listItem(timeless)).toMatchObject({ modified: new Date(5000) });
    expect(await listItem(timeless)).not.toHaveProperty("created");
  });

  it("of a file that is none says why", async () => {
    mkdirSync(join(at.root, "folder.jsonl"));
    const reasons = await Promise.all(
      [
        at.file("junk.jsonl", "junk\n"),
        at.file("empty.jsonl", ""),
        join(at.root, "folder.jsonl"),
        join(at.root, "gone.jsonl"),
      ].map(async (path) => (await listItem(path)).reason),
    );
    expect(reasons).toEqual([
      "no session: it holds no header",
      "it is empty",
      "it is no file",
      "it is gone",
    ]);
    const denied = diskWith({
      open: () => {
        throw Object.assign(new Error("no"), { code: "EACCES", syscall: "open" });
      },
    });
    expect(await listItem(at.file("d.jsonl", [headerOf("x")]), { disk: denied })).toMatchObject({
      reason: "EACCES",
    });
  });

  it("of a file with a line that is too long has the rest, and says so", async () => {
    const long = user("u1", null, "x".repeat(500));
    const named = json({
      type: "session_info",
      id: "i1",
      parentId: null,
      timestamp: "t",
      name: "Named",
    });
    const path = at.file("long.jsonl", [headerOf("x"), long, user("u2", "u1", "thanks"), named]);
    expect(await listItem(path, { maxLineBytes: 300 })).toMatchObject({
      id: "x",
      name: "Named",
      messageCount: 2,
      firstUserText: "thanks",
      reason: expect.stringContaining("too long"),
    });
  });

  it("holds no more than the beginning of a long text", async () => {
    const path = at.file("text.jsonl", [headerOf("x"), user("u1", null, "y".repeat(1e6))]);
    expect((await listItem(path)).firstUserText?.length).toBe(2000);
  });
});

describe("listing a project", () => {
  it("gives its sessions newest first, bad ones marked, temporary and other files left out", async () => {
    const at = world();
    stored(at, "old", [headerOf("old", { timestamp: "2026-01-01T00:00:00.000Z" })]);
    stored(at, "new", [headerOf("new", { timestamp: "2026-02-01T00:00:00.000Z" })]);
    const bad = stored(at, "bad", ["junk"]);
    at.file(join(dirname(bad).slice(at.root.length), ".a.jsonl.123.tmp"), "x");
    at.file(join(dirname(bad).slice(at.root.length), "a.jsonl.v1.bak"), "x");
    const items = await listSessions(at.project, { variables: at.variables });
    expect(items.map(({ path }) => basename(path))).toEqual([
      "new.jsonl",
      "old.jsonl",
      "bad.jsonl",
    ]);
    expect(items.map(({ reason }) => reason === undefined)).toEqual([true, true, false]);
  });

  it("also shows what pi and omp have for it, and opens it in place", async () => {
    const at = world();
    const [, pi, omp] = foldersOf(at.project, at.variables);
    const inFolder = (folder: string | undefined, id: string, cwd: string) =>
      at.file(join((folder as string).slice(at.root.length), `${id}.jsonl`), [
        headerOf(id, { cwd }),
      ]);
    const path = inFolder(pi?.path, "of-pi", at.project);
    inFolder(omp?.path, "of-omp", at.project);
    inFolder(pi?.path, "of-another-project", "/elsewhere");
    const items = await listSessions(at.project, { variables: at.variables });
    expect(items.map(({ id, origin }) => [id, origin]).sort()).toEqual([
      ["of-omp", "omp"],
      ["of-pi", "pi"],
    ]);
    const session = await openSession("of-pi", { cwd: at.project, variables: at.variables });
    session.appendMessage(userMessage("hi"));
    expect(session.getSessionFile()).toBe(path);
    session.close();
  });

  it("without any session is empty", async () => {
    const at = world();
    expect(await listSessions(at.project, { variables: at.variables })).toEqual([]);
  });
});

describe("the most recent session", () => {
  it("is the valid one whose file changed last", async () => {
    const at = world();
    const { variables } = at;
    expect(await mostRecent(at.project, { variables })).toBeUndefined();
    stored(at, "a", [headerOf("a")], 10);
    const newest = stored(at, "b", [headerOf("b")], 20);
    stored(at, "junk", ["junk"], 30);
    stored(at, "empty", [], 40);
    stored(at, "entry", [user("u1", null, "x"), headerOf("c")], 50);
    at.file(join(dirname(newest).slice(at.root.length), "other.txt"), "x");
    mkdirSync(join(dirname(newest), "folder.jsonl"));
    expect(await mostRecent(at.project, { variables })).toBe(newest);
    const session = await continueRecent(at.project, { variables });
    expect(session.getSessionId()).toBe("b");
    session.close();
  });

  it("is a new session where there is none", async () => {
    const at = world();
    const session = await continueRecent(at.project, { variables: at.variables });
    expect(session.isPending()).toBe(true);
    expect(session.getCwd()).toBe(at.project);
    expect(readdirSync(at.root)).toEqual(["work"]);
  });
});

describe("naming a session", () => {
  const at = world();
  const options = { cwd: at.project, variables: at.variables };
  const one = stored(at, "2026-03-01T09-00-00-000Z_aa11", [headerOf("aa11")]);
  stored(at, "2026-03-01T09-00-00-000Z_aa22", [headerOf("aa22")]);
  const renamed = stored(at, "renamed", [headerOf("aa")]);
  const elsewhere = at.file(".coppice/sessions/other-0/x.jsonl", [headerOf("aa3")]);
  const far = at.file(".coppice/sessions/other-0/y.jsonl", [headerOf("zz")]);

  it.each([
    ["an id", "aa11", one],
    ["the beginning of an id", "aa1", one],
    ["an id that others begin with", "aa", renamed],
    ["an id of another project", "zz", far],
    ["the beginning of an id of another project", "aa3", elsewhere],
    ["a path", one, one],
    ["a path from the working folder", "./nothing.jsonl", join(at.project, "nothing.jsonl")],
  ])("by %s finds it", async (_, given, path) => {
    expect(await findSession(given, options)).toBe(path);
  });

  it("by what several begin with names them all", async () => {
    const error = await findSession("a", options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SESSION_AMBIGUOUS" });
    for (const words of ["aa11", "aa22", one]) expect((error as Error).message).toContain(words);
    expect((error as Error).message).not.toContain("\n");
  });

  it("by nothing that is there says what was looked for", async () => {
    await expect(findSession("nope", options)).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
      message: expect.stringContaining("nope"),
    });
    await expect(openSession("sub/nope", options)).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
    mkdirSync(join(at.project, "folder"));
    await expect(openSession("folder", options)).rejects.toMatchObject({
      code: "SESSION_UNREADABLE",
    });
    at.file("work/app/plain", [headerOf("plain")]);
    expect((await openSession("plain", { ...options, mode: "read" })).getSessionId()).toBe("plain");
    expect(readdirSync(at.project).sort()).toEqual(["folder", "plain"]);
  });
});
