import { describe, expect, it } from "vitest";
import { bindKeys, bindPanelKeys, KEY_TABLE, keyTitle } from "../../tui/keys.ts";

describe("the table of keys", () => {
  it("has no conflict of its own", () => {
    expect(bindKeys(undefined).problems).toEqual([]);
  });

  it("binds no printable key in the chat, where they type", () => {
    const typing = KEY_TABLE.filter(({ scope }) => scope === "chat")
      .flatMap(({ keys }) => keys)
      .filter((key) => [...key.replace(/^shift\+/, "")].length === 1);
    expect(typing).toEqual([]);
  });

  it("names every id once", () => {
    const ids = KEY_TABLE.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("the setting keys", () => {
  it("takes the place of the keys an id has", () => {
    const { scopes, problems } = bindKeys({ "app.exit": ["ctrl+x", "Shift+CTRL+Left"] });
    expect(problems).toEqual([]);
    expect(scopes.chat.get("ctrl+x")).toBe("app.exit");
    expect(scopes.chat.get("ctrl+shift+left")).toBe("app.exit");
    expect(scopes.chat.has("ctrl+d")).toBe(false);
  });

  it("unbinds an id with an empty list", () => {
    expect(bindKeys({ "app.exit": [] }).scopes.chat.has("ctrl+d")).toBe(false);
  });

  it("beats the default of another id, and says so", () => {
    const { scopes, problems } = bindKeys({ "app.exit": ["ctrl+k"] });
    expect(scopes.chat.get("ctrl+k")).toBe("app.exit");
    expect(problems).toEqual([
      "the key ctrl+k acts for app.exit, not for tui.editor.deleteToLineEnd",
    ]);
  });

  it("of two keys of its own keeps the first of the table", () => {
    const { scopes, problems } = bindKeys({ "app.exit": ["f9"], "app.clear": ["f9"] });
    expect(scopes.chat.get("f9")).toBe("app.clear");
    expect(problems).toEqual(["the key f9 acts for app.clear, not for app.exit"]);
  });

  it.each([
    [{ "app.nothing": ["ctrl+x"] }, "there is no app.nothing"],
    [{ "app.exit": ["hyper+x"] }, 'app.exit: there is no key "hyper+x"'],
    [{ "app.exit": [7] }, "app.exit: there is no key 7"],
    [{ "app.exit": "ctrl+x" }, "app.exit is no list of keys"],
    [[], "it is no object of lists of keys"],
  ])("%j is reported in a sentence", (setting, sentence) => {
    expect(bindKeys(setting).problems).toEqual([sentence]);
  });

  it("reaches the keys of panels", () => {
    const bindings = bindKeys({ "app.tree.fold": ["f7"] });
    const keys = [
      { id: "app.tree.fold", keys: ["left"], title: "fold" },
      { id: "app.tree.unfold", keys: ["right"], title: "unfold" },
    ];
    expect(bindings.problems).toEqual([]);
    expect([...bindPanelKeys(keys, bindings)]).toEqual([
      ["f7", "app.tree.fold"],
      ["right", "app.tree.unfold"],
    ]);
  });
});

describe("the name of a key", () => {
  it.each([
    ["ctrl+left", "Ctrl+Left"],
    ["shift+l", "Shift+L"],
    ["escape", "Esc"],
    ["alt++", "Alt++"],
    ["ctrl+pageup", "Ctrl+PageUp"],
  ])("%s is %s to people", (key, title) => {
    expect(keyTitle(key)).toBe(title);
  });
});
