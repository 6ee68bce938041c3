import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decoder } from "./typing.ts";

interface Row {
  readonly sent: string;
  readonly gives: readonly string[];
  /** Text right behind it would change what it means. */
  readonly openEnd?: true;
  /** It means this only in one read. */
  readonly whole?: true;
}

const FAMILY = "👩‍👩‍👧";

const rows: Record<string, Row> = {
  "two Escapes in one read": { sent: "\x1b\x1b", gives: ["escape", "escape"], openEnd: true },
  "three Escapes in one read": {
    sent: "\x1b\x1b\x1b",
    gives: ["escape", "escape", "escape"],
    openEnd: true,
  },
  Escape: { sent: "\x1b", gives: ["escape"], openEnd: true },
  Enter: { sent: "\r", gives: ["enter"] },
  "Alt+Enter": { sent: "\x1b\r", gives: ["alt+enter"] },
  "CR LF": { sent: "\r\n", gives: ["enter", "ctrl+j"] },
  "Alt+.": { sent: "\x1b.", gives: ["alt+."] },
  "Alt+é": { sent: "\x1bé", gives: ["alt+é"] },
  "Alt+[": { sent: "\x1b[", gives: ["alt+["], openEnd: true },
  "Alt+]": { sent: "\x1b]", gives: ["alt+]"] },
  "Alt+_": { sent: "\x1b_", gives: ["alt+_"] },
  "Alt+-": { sent: "\x1b-", gives: ["alt+-"] },
  "Alt+Shift+X": { sent: "\x1bX", gives: ["alt+shift+x"] },
  "Alt+Backspace": { sent: "\x1b\x7f", gives: ["alt+backspace"] },
  "Shift+L plain": { sent: "L", gives: ['shift+l"L"'] },
  "Shift+L of kitty": { sent: "\x1b[108;2u", gives: ['shift+l"L"'] },
  "Shift+L of modifyOtherKeys": { sent: "\x1b[27;2;76~", gives: ['shift+l"L"'] },
  "Shift+Enter, CSI u": { sent: "\x1b[13;2u", gives: ["shift+enter"] },
  "Shift+Enter, modifyOtherKeys": { sent: "\x1b[27;2;13~", gives: ["shift+enter"] },
  "Escape of kitty": { sent: "\x1b[27u", gives: ["escape"] },
  "a release of kitty": { sent: "\x1b[97;1:3u", gives: [] },
  "a release of an arrow": { sent: "\x1b[1;1:3A", gives: [] },
  "a repeat of kitty": { sent: "\x1b[97;1:2u", gives: ['a"a"'] },
  "Alt+Escape of kitty": { sent: "\x1b[27;3u", gives: ["escape", "escape"] },
  "Alt+Escape of modifyOtherKeys": { sent: "\x1b[27;3;27~", gives: ["escape", "escape"] },
  "an emoji": { sent: "😀", gives: ['😀"😀"'] },
  "a joined emoji": { sent: FAMILY, gives: [`${FAMILY}"${FAMILY}"`] },
  "a flag": { sent: "🇫🇷", gives: ['🇫🇷"🇫🇷"'] },
  "CJK and Latin": { sent: "日é", gives: ['日"日"', 'é"é"'] },
  "Ctrl+Space": { sent: "\0", gives: ["ctrl+space"] },
  "Ctrl+\\ ] ^ _": {
    sent: "\x1c\x1d\x1e\x1f",
    gives: ["ctrl+\\", "ctrl+]", "ctrl+^", "ctrl+_"],
  },
  "control letters": { sent: "\x01\x03\x1a", gives: ["ctrl+a", "ctrl+c", "ctrl+z"] },
  "the two Backspaces": { sent: "\x7f\b", gives: ["backspace", "ctrl+backspace"] },
  "Tab and Shift+Tab": { sent: "\t\x1b[Z", gives: ["tab", "shift+tab"] },
  Space: { sent: " ", gives: ['space" "'] },
  "a paste": { sent: "\x1b[200~l1\rl2\r\nl3\x1b[201~", gives: ['paste"l1\\nl2\\nl3"'] },
  "a paste with an escape in it": {
    sent: "\x1b[200~a\x1b[2Jé\x1b[201~",
    gives: ['paste"a\\u001b[2Jé"'],
  },
  "mouse and text": {
    sent: "\x1b[<0;3;4Mabc",
    gives: ["press0@2,3", 'a"a"', 'b"b"', 'c"c"'],
  },
  "two wheel events": {
    sent: "\x1b[<64;1;1M\x1b[<65;1;1M",
    gives: ["wheelUp0@0,0", "wheelDown1@0,0"],
  },
  "a mouse report of the old form": { sent: "\x1b[M !!a", gives: ["press0@0,0", 'a"a"'] },
  "focus in and text": { sent: "\x1b[Ia", gives: ["focus", 'a"a"'] },
  "focus out": { sent: "\x1b[O", gives: ["blur"] },
  "Ctrl+Left": { sent: "\x1b[1;5D", gives: ["ctrl+left"] },
  "arrows, both forms": { sent: "\x1b[A\x1bOB", gives: ["up", "down"] },
  "function keys": {
    sent: "\x1bOP\x1b[15~\x1b[24;2~\x1b[[A",
    gives: ["f1", "f5", "shift+f12", "f1"],
  },
  "Home, End, PageUp, Insert, Delete": {
    sent: "\x1b[H\x1b[4~\x1b[5;3~\x1b[2~\x1b[3~",
    gives: ["home", "end", "alt+pageup", "insert", "delete"],
  },
  "Alt with an arrow, as ESC ESC [": { sent: "\x1b\x1b[A", gives: ["alt+up"], whole: true },
  "Alt with an arrow, as ESC ESC O": { sent: "\x1b\x1bOA", gives: ["alt+up"], whole: true },
  "Escape and a mouse report": { sent: "\x1b\x1b[<0;1;1M", gives: ["escape", "press0@0,0"] },
  "Ctrl+Shift+O of tmux": { sent: "\x1b[79;6u", gives: ["ctrl+shift+o"] },
  "Ctrl+Shift+O of kitty": { sent: "\x1b[111;6u", gives: ["ctrl+shift+o"] },
  "Ctrl+_ and Alt+_ of kitty": { sent: "\x1b[45;6u\x1b[45;4u", gives: ["ctrl+_", "alt+_"] },
  "a sign with Shift, kitty's alternate": { sent: "\x1b[47:63;2u", gives: ['?"?"'] },
  "text given by kitty": { sent: "\x1b[97;;229u", gives: ['å"å"'] },
  "the keypad of kitty": {
    sent: "\x1b[57400u\x1b[57414u\x1b[57419u",
    gives: ['1"1"', "enter", "up"],
  },
  "keys of kitty without a name here": { sent: "\x1b[57441;2u\x1b[57362u", gives: [] },
  "caps lock and num lock": { sent: "\x1b[97;65u\x1b[1;129A", gives: ['a"a"', "up"] },
  "a key with Super": { sent: "\x1b[97;9u", gives: [] },
  DA1: { sent: "\x1b[?62;22c", gives: ['reply attributes "?62;22c"'] },
  DECRPM: { sent: "\x1b[?2026;2$y", gives: ['reply mode "?2026;2$y"'] },
  "OSC 11, both ends": {
    sent: "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b]11;rgb:0/0/0\x07",
    gives: ['reply osc "11;rgb:1e1e/1e1e/1e1e"', 'reply osc "11;rgb:0/0/0"'],
  },
  XTVERSION: { sent: "\x1bP>|tmux 3.3a\x1b\\", gives: ['reply dcs ">|tmux 3.3a"'] },
  "a cursor report": { sent: "\x1b[12;40R", gives: ['reply cursor "12;40R"'] },
  "a cursor report of row 1": { sent: "\x1b[1;2R", gives: ["shift+f3"] },
  "the kitty query": { sent: "\x1b[?1u", gives: ['reply keyboard "?1u"'] },
  "a window report": { sent: "\x1b[8;24;80t", gives: ['reply window "8;24;80t"'] },
  "a kitty graphics reply": { sent: "\x1b_Gi=1;OK\x1b\\", gives: ['reply apc "Gi=1;OK"'] },
  "a C1 code": { sent: "a\u009bb", gives: ['a"a"', 'b"b"'] },
};

describe.each(Object.entries(rows))("%s", (_, { sent, gives, openEnd, whole }) => {
  const bytes = Buffer.from(sent, "utf8");

  test("holds in one read", () => {
    const typed = decoder();
    typed.feed(sent);
    typed.timeUp();
    expect(typed.take()).toEqual(gives);
  });

  const cuts = whole ? [] : Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);

  test("holds split at any byte over two reads", () => {
    for (const cut of cuts) {
      const typed = decoder();
      typed.input.feed(bytes.subarray(0, cut));
      typed.input.feed(bytes.subarray(cut));
      typed.timeUp();
      expect(typed.take(), `split at byte ${cut}`).toEqual(gives);
    }
  });

  test("holds in reads of one byte", () => {
    const typed = decoder();
    for (const byte of bytes) typed.feedBytes(byte);
    typed.timeUp();
    if (!whole) expect(typed.take()).toEqual(gives);
  });

  test("holds glued to its neighbours", () => {
    const typed = decoder();
    const after = openEnd ? "" : "y";
    typed.feed(`x\x1b[A${sent}${after}`);
    typed.timeUp();
    expect(typed.take()).toEqual(['x"x"', "up", ...gives, ...(openEnd ? [] : ['y"y"'])]);
  });
});

describe("an unfinished sequence", () => {
  test.each([
    ["\x1b", ["escape"]],
    ["\x1b[", ["alt+["]],
    ["\x1b\x1b[", ["escape", "alt+["]],
    ["\x1b[1;5", []],
    ["\x1bO", []],
    ["\x1bP", []],
    ["\x1bPabc", []],
    ["\x1b]11;rgb", []],
    ["\x1b[M ", []],
  ])("%j ends after 25 ms", (sent, gives) => {
    const typed = decoder();
    typed.feed(sent);
    expect(typed.wait()).toBe(25);
    const early = typed.take();
    typed.timeUp();
    expect([...early, ...typed.take()]).toEqual(gives);
    expect(typed.wait()).toBeUndefined();
  });

  test("half a character is dropped after 25 ms", () => {
    const typed = decoder();
    typed.feedBytes(0x61, 0xe6, 0x97);
    typed.timeUp();
    expect(typed.take()).toEqual(['a"a"']);
  });

  test("no timer runs when nothing is unfinished, nor inside a paste", () => {
    const typed = decoder();
    typed.feed("abc\x1b[A\r");
    expect(typed.wait()).toBeUndefined();
    typed.feed("\x1b[200~half a paste \x1b[20");
    expect(typed.wait()).toBeUndefined();
    typed.feed("1~");
    expect(typed.take().at(-1)).toBe('paste"half a paste "');
  });

  test("two ESC of two reads are two Escapes even before an arrow's rest", () => {
    const typed = decoder();
    typed.feed("\x1b");
    typed.feed("\x1b[A");
    expect(typed.take()).toEqual(["escape", "up"]);
  });

  test("a reply string without end is dropped after 64 KiB, with all that follows of it", () => {
    const typed = decoder();
    for (let i = 0; i < 80; i++) typed.feed(`${i === 0 ? "\x1b]52;c;" : ""}${"A".repeat(1024)}`);
    typed.feed("more\x1b");
    typed.feed("\\x");
    expect(typed.take()).toEqual(['x"x"']);
  });
});

test("a paste is one event, however its reads are cut", () => {
  const text = "日本語 👩‍👩‍👧\n".repeat(2000);
  const bytes = Buffer.from(`\x1b[200~${text}\x1b[201~`);
  for (const size of [1000, 4096, 65536]) {
    const typed = decoder();
    for (let at = 0; at < bytes.length; at += size) typed.input.feed(bytes.subarray(at, at + size));
    expect(typed.take()).toEqual([`paste${JSON.stringify(text)}`]);
  }
});

test("bytes that are no UTF-8 type nothing", () => {
  const typed = decoder();
  typed.feedBytes(0x61, 0x9b, 0xff, 0xc0, 0x62);
  typed.timeUp();
  expect(typed.take()).toEqual(['a"a"', 'b"b"']);
});

test("whatever comes, however cut, nothing throws, and the next key is heard", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "O",
      "P",
      "_",
      "200~",
      "201~",
      ";",
      "5",
      "u",
      "~",
      "M",
      "\\",
      "\x07",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const typed = decoder();
      for (const part of pieces) typed.feed(part);
      typed.timeUp();
      typed.feed("\x1b[201~");
      typed.take();
      typed.feed("k");
      typed.timeUp();
      expect(typed.take()).toEqual(['k"k"']);
    }),
    { numRuns: 2000 },
  );
});
