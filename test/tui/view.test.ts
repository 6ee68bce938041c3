import { describe, expect, it } from "vitest";
import { openingNotes } from "../../tui/opening.ts";
import { choiceReason } from "../../tui/status.ts";
import { Chat, factsOf, talk } from "./chat.ts";

const path = talk("you: Write a crash test", "model: I will add a test that forks a writer.");

describe("the chat", () => {
  it("shows session, model and why, the talk, the editor and the sums", () => {
    const facts = {
      name: "crash-safe writer",
      cost: 0.534,
      forks: 3,
      label: "durable append",
      thinkingLevel: "high",
      usage: { tokens: 41_230, contextWindow: 200_000, percent: 20.6 },
    };
    const { rows, cursor } = new Chat({ path, facts, rows: 16 }).type("and on macOS?").paint();
    expect(rows).toEqual([
      " crash-safe writer · ~/code/app    m1 · thinking high · recorded in the session",
      "",
      "",
      "",
      "",
      "",
      "",
      " › Write a crash test",
      "",
      "   I will add a test that forks a writer.",
      "─".repeat(80),
      " › and on macOS?",
      "",
      "",
      "─".repeat(80),
      " $0.53 · 41.2k/200k ▓▓░░░░░░ 21% · ⋔ 3 · ⚑ durable append  / commands · F1 help",
    ]);
    expect(cursor).toEqual({ row: 11, column: 16 });
  });

  it("says that a session is read-only, and what it is without a name", () => {
    const { rows } = new Chat({ facts: { isReadOnly: true } }).paint();
    expect(rows[0]).toContain(" unnamed session · read-only · ~/code/app");
  });

  it("grows the editor to a third of the screen", () => {
    const chat = new Chat({ rows: 24 });
    const ruleRows = () => chat.paint().rows.flatMap((row, i) => (row.startsWith("──") ? [i] : []));
    expect(ruleRows()).toEqual([18, 22]);
    chat.paste("1\n2\n3\n4\n5");
    expect(ruleRows()).toEqual([16, 22]);
    chat.paste("\n6\n7\n8\n9\n10\n11\n12");
    expect(ruleRows()).toEqual([13, 22]);
    expect(chat.screen).not.toContain("› 1\n");
    expect(chat.paint().cursor).toEqual({ row: 21, column: 5 });
  });

  it.each([
    [40, 10],
    [39, 9],
    [20, 5],
  ])("keeps talk and editor at %ix%i", (columns, rows) => {
    const chat = new Chat({ path: talk("you: Hello"), columns, rows }).type("x");
    expect(chat.screen).toContain(" › Hello");
    expect(chat.screen).toContain(" › x");
  });

  it("keeps the model in sight beside a name of any length", () => {
    const chat = new Chat({ facts: { name: "a long name ".repeat(20) }, columns: 80 });
    expect(chat.screen.split("\n")[0]).toMatch(/^ a long name .*…(?= .*m1 · )/);
  });

  it("says that a terminal is too small", () => {
    expect(new Chat({ columns: 19, rows: 24 }).screen.trim()).toBe("Terminal too small");
    expect(new Chat({ columns: 80, rows: 4 }).screen.trim()).toBe("Terminal too small");
  });

  it("shows nothing raw, wherever it comes from", () => {
    const nasty = "a\x1b]0;PWNED\x07b\x9b2Jc\u202ed\te";
    const chat = new Chat({
      path: talk(`you: ${nasty}`, `model: ${nasty}`),
      facts: {
        name: nasty,
        cwd: nasty,
        label: nasty,
        commands: [{ name: "x", description: nasty, source: nasty }],
      },
    });
    chat.send({ type: "statusText", key: "k", text: nasty });
    chat.send({ type: "widget", key: "k", lines: [nasty] });
    chat.send({ type: "notified", note: { type: "error", text: nasty } });
    chat.send({ type: "notified", note: { type: "info", text: nasty } });
    const screen = chat.screen + chat.type("/x").screen;
    expect(screen).not.toMatch(/[^\n\P{Cc}]|PWNED|\u202e/u);
    expect(screen).toContain("ab");
  });
});

describe("why a model is used", () => {
  const { choice } = factsOf();
  const model = choice.kind === "none" ? undefined : choice.model;

  it.each([
    ["last resort", "no key found"],
    ["session", "recorded in the session"],
    ["flag", "--model"],
  ] as const)("%s", (source, reason) => {
    if (model) expect(choiceReason({ kind: "model", model, source })).toBe(reason);
  });

  it("names the provider whose key is missing, also where room is short", () => {
    if (!model) return;
    const missing = { kind: "missing", model, source: "session" } as const;
    expect(choiceReason(missing)).toBe("missing key for acme");
    const chat = new Chat({ facts: { choice: missing }, columns: 50 });
    expect(chat.screen).toContain("m1 · missing key for acme");
  });
});

describe("what is said when a session is opened", () => {
  const line = (code: string, offset: number) =>
    ({ code, line: 3, offset, length: 4, message: `${code} there` }) as never;

  it("names the lines that could not be read, and how to list them", () => {
    expect(openingNotes(factsOf([], { diagnostics: [line("MALFORMED_LINE", 48_112)] }))).toEqual([
      {
        type: "warning",
        text:
          "1 line could not be read (byte 48,112). Everything else is here. " +
          "coppice tree 019f6b0e-5a10 --json lists the diagnostics.",
      },
    ]);
    const many = [line("TORN_TAIL", 9), line("NOT_AN_OBJECT", 12), line("DUPLICATE_ID", 20)];
    expect(openingNotes(factsOf([], { diagnostics: many }))[0]?.text).toMatch(
      /^2 lines could not be read \(the first at byte 9\)\. .* 1 thing in the file had to be mended/,
    );
  });

  it("tells why a session is read-only in its own words", () => {
    const diagnostics = [line("VERSION_NEWER", 0)];
    expect(openingNotes(factsOf([], { diagnostics }))).toEqual([
      { type: "warning", text: "VERSION_NEWER there" },
    ]);
  });

  it("is nothing for a sound file", () => {
    expect(openingNotes(factsOf())).toEqual([]);
  });
});
