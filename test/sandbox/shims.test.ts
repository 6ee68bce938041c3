import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { globalsOf, moduleText, moduleTexts } from "../../host/sandbox/shims/index.ts";
import { SOURCES } from "../../host/sandbox/shims/names.ts";
import { guestWith } from "./guest-world.ts";

/** Evaluates an expression in a guest that has these modules. */
async function inGuest(modules: readonly string[], expression: string): Promise<unknown> {
  const guest = await guestWith(modules);
  const work = guest.evaluate(`(async (require) => JSON.stringify(await (${expression})))`);
  return JSON.parse(await (work as (require: unknown) => Promise<string>)(guest.require));
}

describe("the modules of a guest", () => {
  test("are texts that need each other only, and each runs alone", async () => {
    for (const name of Object.keys(SOURCES)) {
      const guest = await guestWith([name]);
      expect(guest.require(name), name).toBeDefined();
    }
  }, 120_000);

  test("have a text for every builtin, and none for what is no module", async () => {
    expect(await moduleText("fs/promises")).toContain("node:fs/promises");
    expect(await moduleText("no-such-module")).toBeUndefined();
    expect(await moduleText("constructor")).toBeUndefined();
    expect([...(await moduleTexts(["stream", "nothing"])).keys()]).toEqual(
      expect.arrayContaining(["stream", "events", "buffer"]),
    );
  });

  test("provide the globals that their package names", () => {
    expect(globalsOf(["buffer", "url"])).toEqual({
      Buffer: "buffer",
      URL: "url",
      URLSearchParams: "url",
    });
  });

  test("hash as Node does", async () => {
    const found = await inGuest(
      ["crypto"],
      `(() => { const { createHash, createHmac, timingSafeEqual } = require("crypto");
        return [...["md5", "sha1", "sha256", "sha512"].map((name) => createHash(name).update("a").update("ä").digest("hex")),
          createHmac("sha256", "key").update("text").digest("base64url")]; })()`,
    );
    const expected = ["md5", "sha1", "sha256", "sha512"].map((name) =>
      createHash(name).update("aä").digest("hex"),
    );
    const keyed = createHmac("sha256", "key").update("text").digest("base64url");
    expect(found).toEqual([...expected, keyed]);
  });

  test("have random numbers of the isolate's own seed", async () => {
    const source = `require("crypto").randomBytes(8).toString("hex") + require("crypto").randomUUID()`;
    const [first, same] = [await inGuest(["crypto"], source), await inGuest(["crypto"], source)];
    const other = await guestWith(["crypto"], { seed: "ff".repeat(32) });
    expect(first).toBe(same);
    expect(
      (other.require("crypto") as unknown as typeof import("node:crypto")).randomUUID(),
    ).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("answer as Node's for paths, addresses, texts and bytes", async () => {
    const cases: Readonly<
      Record<string, readonly [modules: string[], source: string, value: unknown]>
    > = {
      path: [["path"], `require("path").resolve("a/../b")`, "/project/b"],
      toUrl: [["url"], `require("url").pathToFileURL("/a b/%#?").href`, "file:///a%20b/%25%23%3F"],
      fromUrl: [["url"], `require("url").fileURLToPath("file:///a%20b")`, "/a b"],
      url: [
        ["url"],
        `new (require("url").URL)("../x?y=1", "http://ä.de/a/b").href`,
        "http://xn--4ca.de/x?y=1",
      ],
      format: [["util"], `require("util").format("%s %d %j", "a", 1, { x: 1 })`, `a 1 {"x":1}`],
      promisify: [["util"], `require("util").promisify((a, done) => done(null, a + 1))(1)`, 2],
      equal: [["util"], `require("util").isDeepStrictEqual({ a: [1] }, { a: [1] })`, true],
      bytes: [
        ["buffer"],
        `require("buffer").Buffer.from("aGk", "base64url").toString("latin1")`,
        "hi",
      ],
      query: [
        ["querystring"],
        `require("querystring").parse("a=1&a=2&b=x+y%20z")`,
        { a: ["1", "2"], b: "x y z" },
      ],
      once: [
        ["events"],
        `(() => { const e = new (require("events"))(); setTimeout(() => e.emit("x", 1)); return require("events").once(e, "x"); })()`,
        [1],
      ],
      stream: [
        ["stream"],
        `(async () => { let all = ""; for await (const part of require("stream").Readable.from(["a", "b"])) all += part; return all; })()`,
        "ab",
      ],
      store: [
        ["async_hooks"],
        `(() => { const s = new (require("async_hooks").AsyncLocalStorage)(); return [s.run(5, () => s.getStore()), s.getStore() ?? null]; })()`,
        [5, null],
      ],
      os: [
        ["os"],
        `[require("os").homedir(), require("os").tmpdir(), require("os").cpus().length]`,
        ["/home/person", "/tmp/sample", 1],
      ],
      process: [
        ["process"],
        `[process.cwd(), process.pid, process.env.HOME, process.env.KEY ?? null]`,
        ["/project", 1, "/home/person", null],
      ],
    };
    for (const [name, [modules, source, value]] of Object.entries(cases)) {
      expect(await inGuest(modules, source), name).toEqual(value);
    }
  });

  test("write what goes to a terminal into the package's log", async () => {
    const guest = await guestWith(["process"]);
    guest.evaluate(
      `process.stdout.write("one\\nhalf "); process.stderr.write("two\\n"); process.stdout.write("line\\n");`,
    );
    expect(guest.log).toEqual(["info one", "error two", "info half line"]);
  });

  test("raise and report what a guest cannot have when it is used", async () => {
    const guest = await guestWith(["child_process", "process", "coppice:fetch"]);
    for (const [use, member] of [
      [`require("child_process").execFile("ls")`, "node:child_process.execFile"],
      [`process.exit(1)`, "process.exit"],
      [`fetch("http://a")`, "fetch"],
    ] as const) {
      const run = guest.evaluate(`(require) => ${use}`) as (require: unknown) => void;
      expect(() => run(guest.require), use).toThrow(`${member} is not supported by this host`);
    }
    expect(guest.reports).toHaveLength(3);
  });
});

describe("the host's own modules in a guest", () => {
  test("share one core and one class of errors", async () => {
    const { require } = await guestWith(["coppice", "coppice/core"]);
    expect(require("coppice").CoppiceError).toBe(require("coppice/core").CoppiceError);
    expect(require("coppice").convertToLlm).toBe(require("coppice/core").convertToLlm);
  });

  test("draw with the component library, without a terminal", async () => {
    const found = await inGuest(
      ["coppice/tui"],
      `(() => { const tui = require("coppice/tui");
        return [tui.visibleWidth("日本"), new tui.Text("hello", 1, 0).render(8), tui.matchesKey("\\x1b[A", tui.Key.up), "ProcessTerminal" in tui]; })()`,
    );
    expect(found).toEqual([4, [" hello  "], true, true]);
  });

  test("build schemas with one library under both names", async () => {
    const found = await inGuest(
      ["typebox", "typebox/value", "coppice/ai"],
      `[require("coppice/ai").Type === require("typebox").Type, require("coppice/ai").StringEnum(["a"]), require("typebox/value").Value.Check(require("typebox").Type.String(), "x")]`,
    );
    expect(found).toEqual([true, { type: "string", enum: ["a"] }, true]);
  });

  test("cut long output, and read what stands before a text", async () => {
    const found = await inGuest(
      ["coppice", "coppice:yaml"],
      `(() => { const c = require("coppice"); const { content, truncated } = c.truncateHead("a\\nb\\nc", { maxLines: 2 });
        return [content, truncated, c.formatSize(2048), c.getAgentDir(), c.parseFrontmatter("---\\na: 1\\n---\\nb")]; })()`,
    );
    expect(found).toEqual([
      "a\nb",
      true,
      "2.0KB",
      "/data/agent",
      { frontmatter: { a: 1 }, body: "b" },
    ]);
  });
});

describe("the globals of a guest", () => {
  test("encode, clone and abort as everywhere", async () => {
    const found = await inGuest(
      [],
      `(() => { const c = new AbortController(); const seen = []; c.signal.addEventListener("abort", () => seen.push("heard"));
        const any = AbortSignal.any([c.signal]); c.abort("why");
        const copy = structuredClone({ at: new Date(5), set: new Set([1]) });
        return [new TextDecoder().decode(new TextEncoder().encode("é€")), atob(btoa("hello")), seen, any.reason, copy.at.getTime(), copy.set.has(1), performance.now()]; })()`,
    );
    expect(found).toEqual(["é€", "hello", ["heard"], "why", 5, true, 0]);
  });
});
