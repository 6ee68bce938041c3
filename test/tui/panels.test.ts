import { describe, expect, it } from "vitest";
import type { Panel, PanelEvent, SelectOption } from "../../host/index.ts";
import {
  confirmContent,
  type DialogContent,
  editorContent,
  inputContent,
  selectContent,
} from "../../tui/dialogs.ts";
import { Chat, type ChatOptions } from "./chat.ts";

/** A panel that writes down its events. */
function recorder(more: Partial<Panel<unknown, unknown>> = {}) {
  const events: PanelEvent[] = [];
  const panel: Panel<unknown, unknown> = {
    title: "Recorder",
    keys: [
      { id: "tui.select.cancel", keys: ["escape"], title: "back" },
      { id: "app.tree.editLabel", keys: ["shift+l"], title: "label" },
      { id: "tui.select.confirm", keys: ["enter"], title: "choose" },
    ],
    init: 0,
    update(model, event) {
      events.push(event);
      if (event.type !== "key") return { model };
      if (event.action === "tui.select.cancel") return { model, done: {} };
      if (event.action === "tui.select.confirm") return { model, done: { value: model } };
      return { model: Number(model) + 1 };
    },
    view: (model, { columns, rows }) => ({
      rows: [{ start: [{ text: `state ${model} in ${columns}x${rows}` }] }],
      footer: [{ start: [{ text: "the keys" }] }],
      cursor: { row: 0, column: 2 },
    }),
    ...more,
  };
  return { panel, events };
}

function open(chat: Chat, panel: Panel<unknown, unknown>, id = 1, from?: string): Chat {
  return chat.send({
    type: "panelOpened",
    panel: { id, panel, ...(from !== undefined && { from }) },
  });
}

function ask(content: DialogContent, options: ChatOptions = {}, from?: string): Chat {
  const dialog = { id: 1, title: "Question", ...(from !== undefined && { from }), ...content };
  return new Chat({ rows: 12, columns: 40, ...options }).send({ type: "dialogOpened", dialog });
}

function answers(chat: Chat): unknown[] {
  return chat.done().flatMap((effect) => (effect.type === "answer" ? [effect.answer] : []));
}

describe("a panel", () => {
  it("learns its size first, then keys by their names, with the ids they are bound to", () => {
    const { panel, events } = recorder();
    open(new Chat(), panel).press("a", "shift+l", "ctrl+left", "space").paste("x\ny");
    expect(events).toEqual([
      { type: "resize", size: { columns: 80, rows: 24 } },
      { type: "key", key: "a", text: "a" },
      { type: "key", key: "shift+l", text: "L", action: "app.tree.editLabel" },
      { type: "key", key: "ctrl+left" },
      { type: "key", key: "space", text: " " },
      { type: "paste", text: "x\ny" },
    ]);
  });

  it("fills the screen, its footer at the bottom, the cursor where it says", () => {
    const { rows, cursor } = open(new Chat(), recorder().panel).paint();
    expect(rows[0]).toBe("state 0 in 80x24");
    expect(rows[23]).toBe("the keys");
    expect(cursor).toEqual({ row: 0, column: 2 });
  });

  it("of a third party is named above", () => {
    const { rows, cursor } = open(new Chat(), recorder().panel, 1, "review-kit").paint();
    expect(rows.slice(0, 2)).toEqual([" review-kit: Recorder", "state 0 in 80x23"]);
    expect(cursor).toEqual({ row: 1, column: 2 });
  });

  it("gives its value when it is done, or none", () => {
    const chosen = open(new Chat(), recorder().panel).press("x", "x", "enter");
    expect(chosen.done()).toEqual([{ type: "answer", id: 1, answer: 2 }]);
    expect(chosen.model.panels).toEqual([]);
    expect(open(new Chat(), recorder().panel).press("escape").done()).toEqual([
      { type: "answer", id: 1, answer: undefined },
    ]);
  });

  it("keeps the editor out of its keys", () => {
    const chat = open(new Chat().type("draft"), recorder().panel).type("more").press("escape");
    expect(chat.text).toBe("draft");
  });

  it("learns of a new size", () => {
    const { panel, events } = recorder();
    open(new Chat(), panel).send({ type: "resize", size: { columns: 60, rows: 20 } });
    expect(events.at(-1)).toEqual({ type: "resize", size: { columns: 60, rows: 20 } });
  });

  it("has its effects run and hears what comes of them", () => {
    const work = async () => "done";
    const { panel, events } = recorder({
      update: (model, event) =>
        event.type === "resize" ? { model, effect: work } : { model: event },
    });
    const chat = open(new Chat(), panel);
    expect(chat.done()).toEqual([{ type: "panelEffect", id: 1, run: work }]);
    chat.send({ type: "panelEffect", id: 1, settled: { value: "done" } });
    expect(chat.model.panels[0]?.model).toEqual({ type: "effect", value: "done" });
    chat.send({ type: "panelEffect", id: 9, settled: { value: "of a closed one" } });
    expect(events).toEqual([]);
  });

  it("that fails is closed, and told of in one line", () => {
    const bad = recorder({
      update(model, event) {
        if (event.type === "key") throw new TypeError("x is undefined\nat y");
        return { model };
      },
    });
    const chat = open(new Chat(), bad.panel).press("a");
    expect(chat.done()).toEqual([{ type: "answer", id: 1, answer: undefined }]);
    expect(chat.screen).toContain(" ✗ the panel Recorder failed: x is undefined");
    const nothing = recorder({ update: () => undefined as never });
    expect(open(new Chat(), nothing.panel).model.panels).toEqual([]);
  });

  it("that cannot be painted is closed too", () => {
    const bad = recorder({
      view() {
        throw new TypeError("no view");
      },
    });
    const chat = open(new Chat(), bad.panel);
    chat.paint();
    expect(chat.model.panels).toEqual([]);
    expect(chat.screen).toContain("no view");
  });

  it("waits while another is open, and then learns its size", () => {
    const second = recorder();
    const chat = open(open(new Chat(), recorder().panel, 1), second.panel, 2);
    expect(second.events).toEqual([]);
    chat.press("escape");
    expect(second.events).toEqual([{ type: "resize", size: { columns: 80, rows: 24 } }]);
  });

  it("closes when the one who asked no longer wants it", () => {
    const chat = open(new Chat(), recorder().panel).send({ type: "questionClosed", id: 1 });
    expect(chat.model.panels).toEqual([]);
    expect(chat.done()).toEqual([]);
  });

  it("may ask a question, which lies above it", () => {
    const chat = open(new Chat(), recorder().panel);
    chat.send({ type: "dialogOpened", dialog: { id: 2, title: "Name?", ...inputContent("") } });
    expect(chat.screen).toMatch(/^state 0 in 80x24[\s\S]*┌ Name\? ─/);
    expect(answers(chat.type("x").press("enter"))).toEqual(["x"]);
    expect(chat.model.panels).toHaveLength(1);
  });
});

describe("help", () => {
  it("lists the keys of the chat and narrows by typing", () => {
    const chat = new Chat({ keys: { "app.exit": ["f9"] } }).press("f1");
    expect(chat.screen).toMatch(/Enter +send/);
    expect(chat.type("quit").screen).toMatch(/F9 +quit, or delete forward +app\.exit/);
    expect(chat.screen).not.toMatch(/Enter +send/);
    expect(chat.type("zzz").screen).toContain("No key matches.");
    expect(chat.press("escape", "escape").model.panels).toEqual([]);
  });

  it("lists the keys of the panel in front, which goes on behind it", () => {
    const chat = open(new Chat(), recorder().panel).press("x", "f1", "f1");
    expect(chat.screen).toMatch(/Shift\+L +label +app\.tree\.editLabel/);
    expect(chat.press("escape").screen).toContain("state 1 in");
  });
});

describe("a choice", () => {
  const options: readonly SelectOption[] = [
    { label: "one", description: "first" },
    { label: "two" },
    { label: "three" },
  ];

  it("gives the label", () => {
    expect(answers(ask(selectContent(options)).press("down", "enter"))).toEqual(["two"]);
    expect(answers(ask(selectContent(options)).press("end", "down", "enter"))).toEqual(["three"]);
    expect(answers(ask(selectContent(options)).press("up", "enter"))).toEqual(["one"]);
  });

  it("is narrowed by typing; Escape clears first and closes then", () => {
    const chat = ask(selectContent(options)).type("th");
    expect(chat.screen).toContain("/ th · 1 of 3 · Esc clears");
    expect(answers(chat.press("enter"))).toEqual(["three"]);
    const closed = ask(selectContent(options)).type("th").press("escape");
    expect(answers(closed)).toEqual([]);
    expect(answers(closed.press("escape"))).toEqual([undefined]);
    expect(answers(ask(selectContent(options)).type("x").press("backspace", "enter"))).toEqual([
      "one",
    ]);
  });

  it("takes nothing while nothing matches", () => {
    const chat = ask(selectContent(options)).type("zz").press("enter");
    expect(answers(chat)).toEqual([]);
    expect(chat.screen).toContain("Nothing matches “zz”.");
  });

  it("shows a box at the bottom, as low as its options", () => {
    const rows = ask(selectContent(options)).paint().rows;
    expect(rows.slice(7)).toEqual([
      "┌ Question ────────────────────────────┐",
      "│ ▌one  first                          │",
      "│  two                                 │",
      "│  three                               │",
      "└ ↑↓ choose · type to search · ⏎ take… ┘",
    ]);
  });

  it("keeps the chosen row in view", () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ label: `option ${i}` }));
    const chat = ask(selectContent(many)).press("pagedown", "pagedown", "pagedown");
    expect(chat.screen).toMatch(/▌option 18/);
  });
});

describe("a line to fill in", () => {
  it("gives its text, a paste joined to one line", () => {
    const chat = ask(inputContent("a name"));
    expect(chat.screen).toContain("│ a name");
    chat.type("x").paste("\none\n  two");
    expect(answers(chat.press("shift+enter", "enter"))).toEqual(["x one two"]);
  });

  it("closes with Escape and Ctrl+C", () => {
    expect(answers(ask(inputContent("")).type("x").press("escape"))).toEqual([undefined]);
    expect(answers(ask(inputContent("")).type("x").press("ctrl+c"))).toEqual([undefined]);
  });
});

describe("a text to write", () => {
  it("begins with what is given, and takes lines", () => {
    const chat = ask(editorContent("one")).press("alt+enter").type("two");
    expect(chat.screen).toMatch(/│ one +│\n│ two/);
    expect(answers(chat.press("enter"))).toEqual(["one\ntwo"]);
  });
});

describe("a confirmation", () => {
  it("begins on No", () => {
    expect(answers(ask(confirmContent("Really?")).press("enter"))).toEqual([false]);
    expect(answers(ask(confirmContent("Really?")).press("up", "enter"))).toEqual([true]);
    expect(answers(ask(confirmContent("Really?")).press("y"))).toEqual([true]);
    expect(answers(ask(confirmContent("Really?")).press("escape"))).toEqual([false]);
  });

  it("shows the whole message and hides nothing of it", () => {
    const chat = ask(confirmContent("Run rm\x1b[8m -rf /\x1b[0m gpj.\u202eexe"), {}, "kit");
    expect(chat.screen).toContain("┌ kit: Question");
    expect(chat.screen).toContain("│ Run rm\\x1b[8m -rf /\\x1b[0m");
    expect(chat.screen).toContain("\\u202eexe");
  });
});

describe("questions", () => {
  it("come one after the other", () => {
    const chat = ask(inputContent(""));
    chat.send({ type: "dialogOpened", dialog: { id: 2, title: "Next", ...confirmContent("") } });
    expect(chat.screen).toContain("┌ Question");
    chat.press("enter");
    expect(chat.screen).toContain("┌ Next");
    chat.press("y");
    expect(answers(chat)).toEqual(["", true]);
    expect(chat.model.dialogs).toEqual([]);
  });

  it("fit into a small terminal", () => {
    const chat = ask(selectContent([{ label: "one" }]), { columns: 20, rows: 5 });
    expect(chat.screen).toContain("▌one");
  });
});
