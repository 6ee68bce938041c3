import { rowText } from "coppice/tui";
import { describe, expect, test } from "vitest";
import { matching, userMessages } from "../../extensions/branch-command/messages.ts";
import { messageSelector } from "../../extensions/branch-command/selector.ts";
import { assistantMessage, tree, userMessage } from "../world.ts";

const messages = ["first words", "second words", "third"].map((text, i) => ({
  entryId: `m${i}`,
  text,
}));

class Opened {
  readonly #panel = messageSelector(messages, "");
  #model = this.#panel.init;
  done: { readonly value?: string } | undefined;

  press(...keys: readonly string[]): this {
    for (const key of keys) {
      const action = this.#panel.keys?.find(({ keys: names }) => names.includes(key))?.id;
      const text = key.length === 1 ? key : undefined;
      const step = this.#panel.update(this.#model, {
        type: "key",
        key,
        ...(action !== undefined && { action }),
        ...(text !== undefined && { text }),
      });
      this.#model = step.model;
      this.done = step.done;
    }
    return this;
  }

  screen(rows = 24): string[] {
    const view = this.#panel.view(this.#model, { columns: 60, rows });
    return [...view.rows, ...(view.footer ?? [])].map((row) => rowText(row, 60));
  }
}

describe("the messages of /branch", () => {
  test("are the user messages with text of all branches, in file order, on one line", () => {
    const { session, id } = tree("u1 a1(u2 a2) u3");
    session.appendMessage(userMessage("two\nlines"));
    session.appendMessage(userMessage("  "));
    session.appendMessage(assistantMessage("reply"));
    const found = userMessages(session);
    expect(found.map(({ text }) => text)).toEqual(["u1", "u2", "u3", "two lines"]);
    expect(found[0]?.entryId).toBe(id("u1"));
  });

  test("match by every word, in any case", () => {
    expect(matching(messages, "WORDS sec").map(({ entryId }) => entryId)).toEqual(["m1"]);
    expect(matching(messages, "").length).toBe(3);
  });
});

describe("the message selector", () => {
  test("lists the oldest first and selects the last", () => {
    expect(new Opened().screen().slice(2, 5)).toEqual([
      "  first words",
      "  second words",
      "› third",
    ]);
  });

  test("stays at its ends, chooses with Enter, closes with Escape", () => {
    expect(new Opened().press("down", "enter").done).toEqual({ value: "m2" });
    expect(new Opened().press("up", "up", "up", "enter").done).toEqual({ value: "m0" });
    expect(new Opened().press("home", "pagedown", "enter").done).toEqual({ value: "m2" });
    expect(new Opened().press("escape").done).toEqual({});
  });

  test("is searched by typing; without a match Enter does nothing", () => {
    const opened = new Opened().press(..."words");
    expect(opened.screen().slice(2, 4)).toEqual(["  first words", "› second words"]);
    expect(opened.press("x", "enter").done).toBeUndefined();
    expect(opened.press("backspace", "enter").done).toEqual({ value: "m1" });
  });

  test("keeps the selected message in view", () => {
    expect(new Opened().press("home").screen(4)).toContain("› first words");
    expect(new Opened().press("end").screen(4)).toContain("› third");
  });

  test("has a plain form: a number chooses, /text searches, nothing cancels", () => {
    const { init, plain } = messageSelector(messages, "");
    expect(plain?.lines(init)).toEqual(["1 first words", "2 second words", "3 third"]);
    expect(plain?.answer(init, "2").done).toEqual({ value: "m1" });
    expect(plain?.answer(init, "7").done).toBeUndefined();
    expect(plain?.answer(init, "").done).toEqual({});
    const searched = plain?.answer(init, "/third").model ?? init;
    expect(plain?.lines(searched)).toEqual(["1 third"]);
  });
});
