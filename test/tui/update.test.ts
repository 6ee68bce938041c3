import { describe, expect, it } from "vitest";
import type { AppModel } from "../../tui/model.ts";
import { reply, user } from "../core/messages.ts";
import { Chat, factsOf, talk } from "./chat.ts";

const abort = { type: "abort" };
const end = { type: "end" };
const command = (line: string) => ({ type: "command", line });

function busy(chat = new Chat()): Chat {
  return chat.send({ type: "activity", activity: "streaming", facts: chat.model.facts });
}

function idle(chat: Chat): Chat {
  return chat.send({ type: "activity", activity: "idle", facts: chat.model.facts });
}

function notes({ notes: all }: AppModel): readonly string[] {
  return all.map(({ type, text }) => `${type}: ${text}`);
}

describe("sending", () => {
  it("sends a prompt, empties the editor and remembers the text", () => {
    const chat = new Chat().type("Fix the bug").press("enter");
    expect(chat.done()).toEqual([{ type: "prompt", text: "Fix the bug" }]);
    expect(chat.text).toBe("");
    expect(chat.press("up").text).toBe("Fix the bug");
  });

  it("sends nothing for a blank text", () => {
    expect(new Chat().press("enter").type("  ").press("enter").done()).toEqual([]);
  });

  it("writes several lines with each of the keys that break them", () => {
    const chat = new Chat().type("a").press("shift+enter").type("b").press("alt+enter", "ctrl+j");
    expect(chat.text).toBe("a\nb\n\n");
    expect(chat.done()).toEqual([]);
  });

  it("keeps the text while the agent is busy, and says why", () => {
    const chat = busy().type("and on macOS?").press("enter");
    expect(chat.done()).toEqual([]);
    expect(chat.text).toBe("and on macOS?");
    expect(chat.model.status).toMatchObject({ type: "warning" });
    expect(chat.screen).toContain("the agent is busy (streaming)");
  });

  it("sends only once, however fast Enter is pressed", () => {
    const chat = new Chat().type("a").press("enter").type("b").press("enter");
    expect(chat.done()).toEqual([{ type: "prompt", text: "a" }]);
    expect(chat.text).toBe("b");
  });

  it("gives the text back if nothing of it was sent", () => {
    const chat = new Chat().type("hello").press("enter");
    chat.send({ type: "failed", of: "prompt", text: "no model is chosen (NO_ACTIVE_MODEL)" });
    expect(chat.text).toBe("hello");
    expect(notes(chat.model)).toEqual(["error: no model is chosen (NO_ACTIVE_MODEL)"]);
  });

  it("does not give the text back once it is part of the session, nor over a newer text", () => {
    const path = talk("you: hello");
    const sent = new Chat().type("hello").press("enter");
    sent.send({ type: "messageEnded", role: "user", facts: factsOf(path) });
    sent.send({ type: "failed", of: "prompt", text: "the disk is full" });
    expect(sent.text).toBe("");
    const newer = new Chat().type("hello").press("enter").type("x");
    newer.send({ type: "failed", of: "prompt", text: "no" });
    expect(newer.text).toBe("x");
  });

  it("can send again after a prompt that an extension took for itself", () => {
    const chat = new Chat().type("a").press("enter");
    chat.send({ type: "promptEnded" }).done();
    expect(chat.type("b").press("enter").done()).toEqual([{ type: "prompt", text: "b" }]);
  });
});

describe("commands", () => {
  it("run by their name and arguments", () => {
    const chat = new Chat().type("/label a good one").press("enter");
    expect(chat.done().filter(({ type }) => type === "command")).toEqual([
      command("/label a good one"),
    ]);
  });

  it("keep the text if there is none of this name", () => {
    const chat = new Chat().type("/nothing x").press("enter");
    expect(chat.done()).toContainEqual(command("/nothing x"));
    expect(chat.text).toBe("/nothing x");
    expect(new Chat().type("/back").press("enter").text).toBe("");
  });

  it("are not what a path looks like", () => {
    const chat = new Chat().type("/usr/bin/env fails").press("enter");
    expect(chat.done()).toEqual([{ type: "prompt", text: "/usr/bin/env fails" }]);
  });

  it("run while the agent is busy, so that one can look at the tree", () => {
    expect(busy().type("/tree").press("enter").done()).toEqual([command("/tree")]);
  });

  it("run by keys and leave the editor alone", () => {
    const chat = new Chat().type("draft").press("alt+-", "ctrl+l");
    expect(chat.done()).toEqual([command("/back"), command("/model")]);
    expect(chat.text).toBe("draft");
  });

  it("fail with one line in the chat, and the view returns to the end", () => {
    const path = talk(...Array.from({ length: 40 }, (_, i) => `you: line ${i}`));
    const chat = new Chat({ path }).press("pageup");
    expect(chat.model.scroll).toBeDefined();
    chat.send({ type: "failed", of: "command", text: "no command /x (COMMAND_UNKNOWN)" });
    expect(chat.screen).toContain(" ✗ no command /x (COMMAND_UNKNOWN)");
  });
});

describe("the popup of commands", () => {
  const labels = (chat: Chat) => chat.model.popup?.items.map(({ label }) => label);

  it("opens on / at the start and narrows, prefixes first", () => {
    const chat = new Chat().type("/");
    expect(labels(chat)).toEqual(["/back", "/branch", "/model", "/review", "/tree"]);
    expect(labels(chat.type("b"))).toEqual(["/back", "/branch"]);
    expect(labels(new Chat().type("/e"))).toEqual(["/model", "/review", "/tree"]);
    expect(labels(new Chat().type("x /b"))).toBeUndefined();
  });

  it("shows what each does, in columns, with the keys that do the same", () => {
    const rows = new Chat().type("/").paint().rows;
    expect(rows.slice(11, 18)).toEqual([
      `┌${"─".repeat(79)}`,
      `│▌/back    to the position before the last move${"Alt+-".padStart(32)}`,
      "│ /branch  new session from one of your messages",
      `│ /model   choose the model${"Ctrl+L".padStart(52)}`,
      `│ /review  review the diff${"ext: review-kit".padStart(53)}`,
      `│ /tree    move to another point of this session${"Esc Esc".padStart(31)}`,
      "└ 5 · ↑↓ choose · Tab complete · ⏎ run · Esc close",
    ]);
  });

  it("names the source of a third party", () => {
    expect(new Chat().type("/rev").screen).toMatch(/▌\/review .*ext: review-kit/);
  });

  it("runs what is selected with Enter", () => {
    expect(new Chat().type("/t").press("enter").done()).toEqual([command("/tree")]);
    expect(new Chat().type("/b").press("down", "enter").done()).toEqual([command("/branch")]);
  });

  it("stays at its ends", () => {
    const chat = new Chat().type("/b").press("up", "up");
    expect(chat.model.popup?.selected).toBe(0);
    expect(chat.press("down", "down", "down").model.popup?.selected).toBe(1);
  });

  it("completes with Tab and asks for arguments", () => {
    const chat = new Chat().type("/mo").press("tab");
    expect(chat.text).toBe("/model ");
    expect(chat.done()).toEqual([{ type: "complete", request: "/model " }]);
  });

  it("offers arguments; without moving to one, Enter runs what is written", () => {
    const items = [{ value: "m1", description: "acme" }, { value: "m2" }];
    const offered = (): Chat =>
      new Chat().type("/model m").send({ type: "completed", request: "/model m", items });
    expect(labels(offered())).toEqual(["m1", "m2"]);
    expect(offered().press("enter").done()).toContainEqual(command("/model m"));
    expect(offered().press("down", "down", "enter").done()).toContainEqual(command("/model m2"));
    expect(offered().press("tab").text).toBe("/model m1");
  });

  it("does not show an offer that comes too late", () => {
    const chat = new Chat().type("/model mm");
    chat.send({ type: "completed", request: "/model m", items: [{ value: "m1" }] });
    expect(chat.model.popup).toBeUndefined();
  });

  it("closes with Escape, keeps the text, and stays closed while it is a command", () => {
    const chat = new Chat().type("/t").press("escape");
    expect(chat.text).toBe("/t");
    expect(chat.type("r").model.popup).toBeUndefined();
    expect(chat.press("tab").model.popup).toBeDefined();
    expect(chat.press("escape").press("ctrl+u").type("/t").model.popup).toBeDefined();
  });
});

describe("Escape", () => {
  it("stops a running reply, and says so at once", () => {
    const chat = busy().press("escape");
    expect(chat.done()).toEqual([abort]);
    expect(chat.screen).toContain("stopping…");
  });

  it("closes a popup before it stops a reply", () => {
    const chat = busy().type("/").press("escape");
    expect(chat.done()).toEqual([]);
    expect(chat.press("escape").done()).toEqual([abort]);
  });

  it.each([
    [500, 499, true],
    [500, 501, false],
    [600, 599, true],
    [600, 601, false],
    [500, 0, true],
  ])("twice, window %i ms, after %i ms: %s", (escapeWindow, wait, acts) => {
    const chat = new Chat({ escapeWindow }).press("escape").wait(wait).press("escape");
    expect(chat.done()).toEqual(acts ? [command("/tree")] : []);
  });

  it("counts anew after it has acted, and does not open twice", () => {
    const chat = new Chat().press("escape", "escape", "escape");
    expect(chat.done()).toEqual([command("/tree")]);
    expect(chat.press("escape").done()).toEqual([]);
    chat.send({ type: "commandEnded", line: "/tree", facts: chat.model.facts });
    expect(chat.press("escape", "escape").done()).toEqual([command("/tree")]);
  });

  it("acts as the setting says", () => {
    const twice = (doubleEscape: "branch" | "none") =>
      new Chat({ doubleEscape }).press("escape", "escape").done();
    expect(twice("branch")).toEqual([command("/branch")]);
    expect(twice("none")).toEqual([]);
  });

  it("does not count across another key", () => {
    expect(new Chat().press("escape", "left", "escape").done()).toEqual([]);
    expect(new Chat().press("escape").type("x").press("backspace", "escape").done()).toEqual([]);
  });

  it("does not count for 700 ms after it stopped a reply", () => {
    const stopped = (): Chat => idle(busy().press("escape"));
    const early = stopped();
    early.done();
    expect(early.wait(300).press("escape").wait(300).press("escape").done()).toEqual([]);
    const late = stopped();
    late.done();
    expect(late.wait(700).press("escape", "escape").done()).toEqual([command("/tree")]);
  });

  it("twice with text moves the text to the history", () => {
    const chat = new Chat().type("draft").press("escape", "escape");
    expect(chat.done()).toEqual([]);
    expect(chat.text).toBe("");
    expect(chat.press("up").text).toBe("draft");
  });
});

describe("leaving", () => {
  it("needs two Ctrl+C within two seconds, after text and reply", () => {
    const chat = busy(new Chat().type("draft")).press("ctrl+c");
    expect(chat.done()).toEqual([abort]);
    idle(chat).press("ctrl+c");
    expect(chat.text).toBe("");
    expect(chat.done()).toEqual([]);
    chat.press("ctrl+c").wait(2001).press("ctrl+c");
    expect(chat.done()).toEqual([]);
    expect(chat.screen).toContain("Ctrl+C once more quits.");
    expect(chat.wait(2000).press("ctrl+c").done()).toEqual([end]);
  });

  it("is Ctrl+D in an empty editor; else it deletes forward", () => {
    expect(new Chat().press("ctrl+d").done()).toEqual([end]);
    const chat = new Chat().type("ab").press("home", "ctrl+d");
    expect(chat.done()).toEqual([]);
    expect(chat.text).toBe("b");
  });

  it("waits for the running turn where an extension asks for it", () => {
    const chat = busy().send({ type: "shutdown" });
    expect(chat.done()).toEqual([]);
    expect(idle(chat).done()).toEqual([end]);
    expect(new Chat().send({ type: "shutdown" }).done()).toEqual([end]);
  });
});

describe("a move", () => {
  const moved = (chat: Chat, editorText?: string) =>
    chat.send({ type: "moved", facts: factsOf(), ...(editorText !== undefined && { editorText }) });

  it("prefills only a blank editor, and only with a text that is not", () => {
    expect(moved(new Chat(), "again").text).toBe("again");
    expect(moved(new Chat().type("mine"), "again").text).toBe("mine");
    expect(moved(new Chat().type("  "), " \n").text).toBe("  ");
    expect(moved(new Chat()).text).toBe("");
  });

  it("to another session replaces the text whatever it is", () => {
    const replaced = (editorText?: string) =>
      new Chat().type("mine").send({
        type: "replaced",
        facts: factsOf(),
        ...(editorText !== undefined && { editorText }),
      }).text;
    expect(replaced("theirs")).toBe("theirs");
    expect(replaced("")).toBe("");
    expect(replaced()).toBe("mine");
  });

  it("can be undone in the editor", () => {
    const chat = new Chat().type("mine");
    chat.send({ type: "replaced", facts: factsOf(), editorText: "theirs" }).press("ctrl+_");
    expect(chat.text).toBe("mine");
  });
});

describe("a reply", () => {
  const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join("\n");

  it("is shown while it comes, with its time", () => {
    const chat = busy().send({ type: "streaming", message: reply("so far") });
    chat.wait(12_000).send({ type: "tick" });
    expect(chat.screen).toContain("   so far");
    expect(chat.screen).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] writing · 0:12 · Esc stops/);
  });

  it("leaves a view where it was scrolled to, also when it becomes an entry", () => {
    const chat = busy()
      .send({ type: "streaming", message: reply(words) })
      .press("pageup");
    const before = chat.screen.split("\n").filter((row) => row.includes("word"));
    expect(before.at(-1)).not.toContain("word59");
    const path = talk(`model: ${words}`);
    chat.send({ type: "messageEnded", role: "assistant", facts: factsOf(path) });
    expect(chat.screen.split("\n").filter((row) => row.includes("word"))).toEqual(before);
    expect(chat.press("end").screen).toContain("word59");
  });

  it("says how many lines came below", () => {
    const chat = busy()
      .send({ type: "streaming", message: reply(words) })
      .press("pageup");
    chat.send({ type: "streaming", message: reply(`${words}\nmore\nmore`) });
    expect(chat.screen).toContain("2 new lines below");
  });
});

describe("what extensions say", () => {
  it("stands in the status row if it is short, until the next key", () => {
    const chat = new Chat();
    chat.send({ type: "notified", note: { type: "info", text: "No earlier move." } });
    expect(chat.screen).toContain(" No earlier move.");
    expect(chat.press("a").screen).not.toContain("No earlier move.");
  });

  it("is a note in the chat if it is long or a warning", () => {
    const chat = new Chat();
    chat.send({ type: "notified", note: { type: "info", text: "one\ntwo" } });
    chat.send({ type: "notified", note: { type: "warning", text: "careful" } });
    expect(chat.press("a").screen).toMatch(/ · one\n {3}two\n\n ! careful/);
  });

  it("stays behind the entry it came after", () => {
    const chat = new Chat({ path: talk("you: one") });
    chat.send({ type: "notified", note: { type: "error", text: "broken" } });
    chat.send({ type: "facts", facts: factsOf(talk("you: one", "model: two")) });
    expect(chat.screen).toMatch(/› one\n\n ✗ broken\n\n {3}two/);
  });

  it("is one line where it is a report, without a stack", () => {
    const report = {
      code: "HOOK_FAILED",
      extension: "review-kit",
      version: "1",
      where: "session_tree",
      message: "x is not a function\n    at review.js:1:1",
      stack: "Error: …",
      time: 0,
      count: 1,
    };
    const chat = new Chat().send({ type: "reported", report });
    expect(notes(chat.model)).toEqual([
      "error: review-kit: x is not a function (HOOK_FAILED in session_tree)",
    ]);
  });

  it("stands in the footer and above the editor", () => {
    const chat = new Chat();
    chat.send({ type: "statusText", key: "a/x", text: "2 jobs" });
    chat.send({ type: "statusItems", items: { left: ["main*"], right: ["12:00"] } });
    chat.send({ type: "widget", key: "a/w", lines: ["todo: tea", "todo: milk"] });
    const rows = chat.screen.split("\n");
    expect(rows.at(-1)).toMatch(/main\* · 2 jobs .*12:00/);
    expect(rows.at(-8)).toContain("todo: tea");
    chat.send({ type: "statusText", key: "a/x", text: undefined });
    chat.send({ type: "widget", key: "a/w", lines: undefined });
    expect(chat.screen).not.toMatch(/2 jobs|todo/);
  });

  it("reaches keys that nothing else is bound to", () => {
    expect(new Chat().press("ctrl+x").done()).toEqual([{ type: "shortcut", key: "ctrl+x" }]);
    expect(new Chat().press("x").done()).toEqual([]);
  });
});

describe("keys of every screen", () => {
  it("stop the program and repaint", () => {
    expect(new Chat().press("ctrl+z", "f5").done()).toEqual([
      { type: "suspend" },
      { type: "redraw" },
    ]);
  });

  it("can be bound anew", () => {
    const chat = new Chat({ keys: { "app.exit": ["f9"], "tui.input.submit": ["ctrl+s"] } });
    expect(chat.press("ctrl+d").done()).not.toContainEqual(end);
    expect(chat.press("f9").done()).toEqual([end]);
  });
});

describe("pasting", () => {
  it("is text, also where it looks like keys", () => {
    const chat = new Chat().paste("one\n/two\x1b[A");
    expect(chat.text).toBe("one\n/two");
    expect(chat.done()).toEqual([]);
    expect(chat.press("ctrl+_").text).toBe("");
  });
});

describe("the history", () => {
  it("is searched with Ctrl+R", () => {
    const chat = new Chat().type("fix it").press("enter").send({ type: "promptEnded" });
    chat.type("test it").press("enter").send({ type: "promptEnded" });
    chat.press("ctrl+r").type("fix").press("enter");
    expect(chat.text).toBe("fix it");
    expect(chat.model.dialogs).toEqual([]);
  });

  it("is only reached from the first line", () => {
    const chat = new Chat().type("old").press("enter").type("a").press("alt+enter").type("b");
    expect(chat.press("up").text).toBe("a\nb");
    expect(chat.press("up").text).toBe("a\nb");
    const one = new Chat().type("old").press("enter").type("o").press("up");
    expect(one.text).toBe("old");
    expect(one.press("down").text).toBe("o");
  });
});

it("messages of a person who is not the user stay out of the live reply", () => {
  const chat = busy().send({ type: "streaming", message: user("x") });
  expect(chat.model.live).toEqual([]);
});
