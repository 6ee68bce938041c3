import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { takePicture } from "../picture.ts";
import { openPty } from "../pty.ts";

const BIN = fileURLToPath(new URL("../../dist/tui/main.js", import.meta.url));
const PICTURES = fileURLToPath(new URL("../../tui/pictures/", import.meta.url));
/** With UPDATE_PICTURES=1 the pictures of the README are taken anew. */
const target = process.env.UPDATE_PICTURES ? PICTURES : mkdtempSync(join(tmpdir(), "pictures-"));

it("the README's pictures can be taken: the chat and the tree of the sample session", async () => {
  const home = mkdtempSync(join(tmpdir(), "coppice-home-"));
  mkdirSync(target, { recursive: true });
  const env = { HOME: home, COPPICE_HOME: join(home, ".coppice"), COLORTERM: "truecolor" };
  const pty = openPty({ args: [BIN, "--demo"], env, columns: 100, rows: 30 });
  const chat = await pty.waitForText("/ commands");
  expect(chat.rows.join("\n")).toContain("Tea board");
  await takePicture(chat, join(target, "chat"));
  pty.write("\x1b\x1b");
  const tree = await pty.waitForText("Session tree");
  expect(tree.rows.join("\n")).toContain("branch points");
  await takePicture(tree, join(target, "tree"));
});
