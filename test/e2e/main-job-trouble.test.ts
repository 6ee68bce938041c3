import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { world } from "../cli/world.ts";
import { leave, openScreen } from "./screen-world.ts";
import { toChat } from "./tree-walk.ts";

test("a broken settings file is told in the chat, and everything works by default", async () => {
  const there = world();
  mkdirSync(there.home);
  writeFileSync(join(there.home, "settings.json"), "{ broken");
  const screen = await toChat(there, ["--model", "offline"]);
  await screen.waitForText(/settings\.json\s+line 1 [\s\S]*\(SETTINGS_INVALID\)/);
  screen.write("Hello there\r");
  await screen.waitForText("I am coppice's offline model.");
  await leave(screen);
});

test("what is typed before the screen is there is not lost, and its Enter sends it", async () => {
  const screen = openScreen(world(), ["--model", "offline"]);
  screen.write("An early bird 早起き\r");
  await screen.waitForText("I am coppice's offline model.");
  expect(screen.view().text).toContain(" › An early bird 早起き");
  await leave(screen);
});
