import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { gate, startAnthropicServer } from "../anthropic-server.ts";
import { records, world } from "./world.ts";

/** Tells on stderr what has come of a reply. */
const TELLER = `export default (api) => {
  api.on("message_update", ({ message }, ctx) => ctx.ui.notify(JSON.stringify(message.content)));
};`;

/** A local server that speaks the Messages API, and a user whose key it takes. */
async function anthropicWorld() {
  const server = await startAnthropicServer();
  onTestFinished(() => server.close());
  const there = world({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "local" });
  return { server, ...there };
}

describe("with the offline model", () => {
  test("the reply alone is on stdout, and the conversation is stored", async () => {
    const there = world();
    const { code, stdout, stderr } = await there.coppice("-p", "What holds the roof?");
    expect(stdout).toMatch(/offline model.*\n$/s);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const [file = "", ...others] = there.sessions();
    expect(others).toEqual([]);
    const [header, ...entries] = records(file);
    expect(header).toMatchObject({ type: "session", version: 3, cwd: there.project });
    expect(entries.map(({ message }) => message.role)).toEqual(["user", "assistant"]);
    expect(entries[1].message).toMatchObject({ provider: "offline", stopReason: "stop" });
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test("-c goes on with the last session, a plain run begins another", async () => {
    const there = world();
    await there.coppice("-p", "The roof is held by oak beams.");
    const { stdout } = await there.coppice("-c", "-p", "What holds the roof?");
    expect(stdout).toContain("oak beams");
    expect(there.sessions()).toHaveLength(1);
    await there.coppice("-p", "hello");
    expect(there.sessions()).toHaveLength(2);
  });

  test("-c without an earlier session begins one", async () => {
    const there = world();
    expect((await there.coppice("-c", "-p", "hello")).code).toBe(0);
    expect(there.sessions()).toHaveLength(1);
  });

  test("--session takes the beginning of an id, from any folder", async () => {
    const there = world();
    await there.coppice("-p", "hello");
    const [file = ""] = there.sessions();
    const id = records(file)[0].id as string;
    expect((await there.coppice("--session", id.slice(0, 20), "-p", "again")).code).toBe(0);
    expect((await there.coppice("-r", id, "-p", "again")).code).toBe(0);
    expect(records(file)).toHaveLength(7);
  });

  test("--fork leaves the session as it is and goes on in a new one that names it", async () => {
    const there = world();
    const file = there.copyOf("context-two-compactions");
    const before = there.hashes()[file];
    const run = await there.coppice("--fork", file, "--model", "offline", "-p", "hello");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(there.hashes()[file]).toBe(before);
    const made = Object.keys(there.hashes()).find(
      (path) => path.endsWith(".jsonl") && path !== file,
    );
    const [header, ...entries] = records(made ?? "");
    expect(header).toMatchObject({ parentSession: file });
    expect(header.id).not.toBe(records(file)[0].id);
    expect(entries.at(-3)).toMatchObject({ id: "u9" });
    expect(entries.at(-1).message).toMatchObject({ role: "assistant", provider: "offline" });
  });

  test("a damaged session says so on one line of stderr and goes on", async () => {
    const there = world();
    const file = there.copyOf("damage-torn-tail");
    const run = await there.coppice("--session", file, "--model", "offline", "-p", "hello");
    expect(run.stderr).toMatch(/^note: TORN_TAIL: [^\n]*\n$/);
    expect(run.code).toBe(0);
  });

  test("a session of another program is recorded where it stands", async () => {
    const there = world();
    const file = there.copyOf("real-v1");
    const before = records(file).length;
    const run = await there.coppice("--session", file, "--model", "offline", "-p", "hello");
    expect(run).toMatchObject({ code: 0 });
    expect(records(file)).toHaveLength(before + 2);
    expect(records(file)[0]).toMatchObject({ version: 3 });
  });
});

describe("with a server that speaks the Messages API", () => {
  test("the model is asked with the prompt, and its reply printed clean", async () => {
    const there = await anthropicWorld();
    there.server.reply("Hot \x1b[31mred\x1b[0m tea\x07, 番茶\n\n");
    const { code, stdout, stderr } = await there.coppice("-p", "Which tea?");
    expect(stdout).toBe("Hot red tea, 番茶\n");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const [request] = there.server.requests;
    expect(JSON.stringify(request?.body.messages)).toContain("Which tea?");
  });

  test("the next prompt carries the conversation", async () => {
    const there = await anthropicWorld();
    there.server.reply("Sencha.", "Eighty degrees.");
    await there.coppice("-p", "Which tea?");
    const { stdout } = await there.coppice("-c", "-p", "How hot?");
    expect(stdout).toBe("Eighty degrees.\n");
    const text = JSON.stringify(there.server.requests[1]?.body.messages);
    expect(text).toMatch(/Which tea\?.*Sencha\..*How hot\?/);
  });

  test("an error of the model is one line on stderr, exit 1, and stays in the session", async () => {
    const there = await anthropicWorld();
    const error = { status: 529, type: "overloaded_error", message: "too much\ntea today" };
    there.server.reply({ error });
    const { code, stdout, stderr } = await there.coppice("-p", "Which tea?");
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^REPLY_FAILED: anthropic\/[^\n]*too much tea today[^\n]*\n$/);
    expect(code).toBe(1);
    const last = records(there.sessions()[0] ?? "").at(-1);
    expect(last.message).toMatchObject({ role: "assistant", stopReason: "error" });
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s stops the reply, which is stored as far as it came", async (signal, code) => {
    const there = await anthropicWorld();
    const { hold, release } = gate();
    onTestFinished(release);
    there.server.reply({ steps: [{ text: "First pour" }, { hold }, { text: " then wait" }] });
    const teller = join(there.project, "teller.ts");
    writeFileSync(teller, TELLER);
    const run = there.start(["-e", teller, "--trust", "-p", "How do I brew it?"]);
    await run.said("First pour");
    run.kill(signal);
    expect(await run.ended).toMatchObject({ code, stdout: "" });
    expect(await (await there.server.request(0)).closed).toBe(true);
    const [file = ""] = there.sessions();
    const [, user, reply] = records(file);
    expect(user.message).toMatchObject({ role: "user" });
    const content = [{ type: "text", text: "First pour" }];
    expect(reply.message).toMatchObject({ role: "assistant", stopReason: "aborted", content });
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});

describe("with an extension", () => {
  async function withExtension(source: string, ...more: readonly string[]) {
    const there = world();
    mkdirSync(join(there.project, "ext"));
    writeFileSync(join(there.project, "ext", "index.ts"), source);
    return { there, run: await there.coppice("-e", "ext", "--trust", "-p", "hello", ...more) };
  }

  test("its notes and failures are lines of stderr, the reply is alone on stdout", async () => {
    const { run } = await withExtension(`export default (api) => {
      api.on("session_start", (_event, ctx) => ctx.ui.notify("brewing\\nnow"));
      api.on("turn_end", () => { throw new Error("spilled"); });
    };`);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/offline/);
    const [note, failure, end] = run.stderr.split("\n");
    expect(note).toBe("brewing now");
    expect(failure).toMatch(/^HOOK_FAILED: ext \(turn_end\): spilled$/);
    expect(end).toBe("");
  });

  test("one that does not load is reported, and the rest goes on", async () => {
    const { run } = await withExtension(`throw new Error("no kettle");`);
    expect(run.stderr).toMatch(/^EXTENSION_LOAD_FAILED: ext [^\n]*no kettle\n$/);
    expect(run.code).toBe(0);
  });

  test("nobody is asked: questions have the answers of no one", async () => {
    const { run } = await withExtension(`export default (api) => {
      api.on("session_start", async (_event, ctx) => {
        const answers = [ctx.hasUI, ctx.mode, await ctx.ui.confirm("a", "b"), await ctx.ui.select("a", ["x"])];
        ctx.ui.notify(JSON.stringify(answers));
      });
    };`);
    expect(run.stderr).toBe('[false,"print",false,null]\n');
  });

  test("a mistake of the program is one line with a hint, its stack only when asked for", async () => {
    const source = `export default (api) => {
      api.on("turn_end", () => { setImmediate(() => { throw new Error("boom"); }); });
    };`;
    const { there, run } = await withExtension(source);
    expect(run.stderr).toMatch(/^unexpected error[^\n]*boom[^\n]*COPPICE_DEBUG=1[^\n]*\n$/);
    expect(run.code).toBe(1);
    const args = ["-e", "ext", "--trust", "-p", "hello"];
    const debugged = await there.start(args, { COPPICE_DEBUG: "1" }).ended;
    expect(debugged.stderr).toMatch(/boom\n.*\n {4}at /s);
  });
});
