import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellWidth } from "../../host/index.ts";
import {
  type EditorState,
  EMPTY_EDITOR,
  moveTo,
  pasteText,
  textOf,
  typeText,
  withText,
} from "../../tui/editor.ts";
import { EMPTY_HISTORY, newer, older, remember } from "../../tui/editor-history.ts";
import { edit } from "../../tui/editor-keys.ts";
import { editorWindow, layoutEditor, placeOf } from "../../tui/editor-layout.ts";

const WIDTH = 20;

/** An editor with a text in which `|` is the cursor. */
function at(marked: string): EditorState {
  const cursor = withText(EMPTY_EDITOR, marked.split("|")[0] ?? "").at;
  return moveTo({ ...withText(EMPTY_EDITOR, marked.replace("|", "")), undo: [] }, cursor);
}

function shown(editor: EditorState): string {
  const before = textOf({ pieces: editor.pieces.slice(0, editor.at) });
  return `${before}|${textOf({ pieces: editor.pieces.slice(editor.at) })}`;
}

function does(marked: string, ...actions: readonly string[]): string {
  return shown(run(at(marked), ...actions));
}

function run(editor: EditorState, ...actions: readonly string[]): EditorState {
  return actions.reduce((state, action) => {
    if (action.startsWith("type ")) {
      return [...action.slice(5)].reduce((each, sign) => typeText(each, sign), state);
    }
    return edit(`tui.editor.${action}`, state, WIDTH) ?? edit(action, state, WIDTH) ?? state;
  }, editor);
}

describe("moving", () => {
  it("goes over whole clusters", () => {
    expect(does("a👩‍👩‍👧|b", "cursorLeft")).toBe("a|👩‍👩‍👧b");
    expect(does("a|e\u0301b", "cursorRight")).toBe("ae\u0301|b");
    expect(does("|a", "cursorLeft")).toBe("|a");
    expect(does("a|", "cursorRight")).toBe("a|");
  });

  it.each([
    ["one two|", "cursorWordLeft", "one |two"],
    ["one  |", "cursorWordLeft", "|one  "],
    ["a.b|", "cursorWordLeft", "a.|b"],
    ["a...|", "cursorWordLeft", "a|..."],
    ["|", "cursorWordLeft", "|"],
    ["|one two", "cursorWordRight", "one| two"],
    ["one| two", "cursorWordRight", "one two|"],
    ["|日本語 x", "cursorWordRight", "日本語| x"],
  ])("by words: %s %s", (before, action, after) => {
    expect(does(before, action)).toBe(after);
  });

  it("goes to the start and the end of the line it is in", () => {
    expect(does("one\ntw|o\nthree", "cursorLineStart")).toBe("one\n|two\nthree");
    expect(does("one\ntw|o\nthree", "cursorLineEnd")).toBe("one\ntwo|\nthree");
  });

  it("goes by screen lines and keeps its column over shorter ones", () => {
    expect(does("abcdef|\nx\nabcdefgh", "cursorDown")).toBe("abcdef\nx|\nabcdefgh");
    expect(does("abcdef|\nx\nabcdefgh", "cursorDown", "cursorDown")).toBe("abcdef\nx\nabcdef|gh");
    expect(does("abcd\nx\nabc|", "cursorUp", "cursorUp")).toBe("abc|d\nx\nabc");
  });

  it("goes by the lines of a text that is wrapped", () => {
    const long = "one two three four five six seven";
    expect(does(`${long}|`, "cursorUp")).toBe("one two three |four five six seven");
    expect(does(`one |${long.slice(4)}`, "cursorDown")).toBe("one two three four five| six seven");
  });
});

describe("deleting", () => {
  it.each([
    ["a👍🏽|", "deleteCharBackward", "a|"],
    ["|👍🏽a", "deleteCharForward", "|a"],
    ["one two|", "deleteWordBackward", "one |"],
    ["|one two", "deleteWordForward", "| two"],
    ["one\ntwo x|y", "deleteToLineStart", "one\n|y"],
    ["one\n|two", "deleteToLineStart", "one|two"],
    ["o|ne\ntwo", "deleteToLineEnd", "o|\ntwo"],
    ["one|\ntwo", "deleteToLineEnd", "one|two"],
  ])("%s %s", (before, action, after) => {
    expect(does(before, action)).toBe(after);
  });

  it("gives back what was deleted, kills in a row as one", () => {
    expect(does("one two three|", "deleteWordBackward", "deleteWordBackward", "yank")).toBe(
      "one two three|",
    );
    expect(does("one| two", "deleteToLineStart", "deleteToLineEnd", "yank")).toBe("one two|");
    expect(does("a b|", "deleteWordBackward", "cursorLeft", "deleteToLineStart", "yank")).toBe(
      "a| ",
    );
  });

  it("goes through older kills in place of the one just given back", () => {
    const kills = ["deleteWordBackward", "cursorLineStart", "deleteWordForward", "cursorLineEnd"];
    expect(does("one two|", ...kills, "yank")).toBe(" one|");
    expect(does("one two|", ...kills, "yank", "yankPop")).toBe(" two|");
    expect(does("one two|", ...kills, "yank", "yankPop", "yankPop")).toBe(" one|");
    expect(does("one two|", ...kills, "yankPop")).toBe(" |");
  });
});

describe("undo", () => {
  it("takes back words with the blanks behind them", () => {
    const typed = run(EMPTY_EDITOR, "type one two");
    expect(shown(run(typed, "undo"))).toBe("one |");
    expect(shown(run(typed, "undo", "undo"))).toBe("|");
    expect(shown(run(typed, "undo", "undo", "redo", "redo"))).toBe("one two|");
    expect(shown(run(typed, "undo", "type x", "redo"))).toBe("one x|");
  });

  it("takes back a paste as one step", () => {
    const before = run(EMPTY_EDITOR, "type a ");
    const after = pasteText(before, "one two\nthree\tfour");
    expect(textOf(after)).toBe("a one two\nthree\tfour");
    expect(textOf(run(after, "undo"))).toBe("a ");
  });

  it("returns to where the cursor was", () => {
    const editor = run(at("one tw|o"), "deleteWordBackward", "undo");
    expect(shown(editor)).toBe("one tw|o");
  });
});

describe("a text", () => {
  it("is cleaned as it comes in, so that what is seen is what is sent", () => {
    const editor = pasteText(EMPTY_EDITOR, "a\x1b[31mb\u202ec\u200bd\r\ne\tf\x07");
    expect(textOf(editor)).toBe("abcd\ne\tf");
  });

  it("breaks into lines that leave room for the cursor", () => {
    const { pieces } = withText(EMPTY_EDITOR, "abcdefghijklmnopqrstuvwxyz");
    const layout = layoutEditor(pieces, 10);
    expect(layout.map(({ start, end }) => end - start)).toEqual([9, 9, 8]);
    expect(placeOf(layout, { pieces, at: 26 })).toEqual({ row: 2, column: 8 });
    expect(placeOf(layout, { pieces, at: 9 })).toEqual({ row: 1, column: 0 });
  });

  it("shows the lines around its cursor", () => {
    const { pieces } = withText(EMPTY_EDITOR, "1\n2\n3\n4\n5\n6");
    const layout = layoutEditor(pieces, 10);
    expect(editorWindow(layout, 5, 3)).toMatchObject({ first: 3 });
    expect(editorWindow(layout, 0, 3)).toMatchObject({ first: 0 });
  });

  it("is never wider than its place, and its cursor is in it, whatever is written", () => {
    const seed = 20260101;
    const anything = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(anything, fc.integer({ min: 2, max: 30 }), fc.nat(), (text, width, place) => {
        const editor = withText(EMPTY_EDITOR, text);
        const layout = layoutEditor(editor.pieces, width);
        const cursor = moveTo(editor, place % (editor.pieces.length + 1));
        const { row, column } = placeOf(layout, cursor);
        expect(row).toBeLessThan(layout.length);
        expect(column).toBeLessThan(Math.max(width, 3));
        for (const { start, end } of layout) {
          const line = textOf({ pieces: editor.pieces.slice(start, end) });
          expect(cellWidth(line)).toBeLessThanOrEqual(Math.max(2, width - 1));
        }
      }),
      { seed, numRuns: 300 },
    );
  });
});

describe("the history", () => {
  const history = ["fix the bug", "run the tests", "fix the docs"].reduce(remember, EMPTY_HISTORY);

  it("gives older texts and returns to the draft", () => {
    const one = older(history, "");
    expect(one?.text).toBe("fix the docs");
    const two = one && older(one.history, one.text);
    expect(two?.text).toBe("run the tests");
    const back = two && newer(two.history, two.text);
    expect(back?.text).toBe("fix the docs");
    expect(back && newer(back.history, back.text)?.text).toBe("");
  });

  it("gives those that begin like the draft", () => {
    const one = older(history, "fix");
    const two = one && older(one.history, one.text);
    expect([one?.text, two?.text]).toEqual(["fix the docs", "fix the bug"]);
    expect(two && older(two.history, two.text)).toBeUndefined();
    const back = one && newer(one.history, one.text);
    expect(back?.text).toBe("fix");
  });

  it("leaves out blank texts and repetitions", () => {
    expect(remember(remember(history, "  "), "fix the docs").texts).toEqual(history.texts);
    expect(newer(history, "x")).toBeUndefined();
  });
});
