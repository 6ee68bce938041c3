import { expect, it, vi } from "vitest";
import { anthropicWorld } from "./world.ts";

const sdk = vi.hoisted(() => ({ loaded: false }));

vi.mock("@anthropic-ai/sdk", (original) => {
  sdk.loaded = true;
  return original();
});

it("loads the SDK at the first call, not before", async () => {
  const world = await anthropicWorld();
  expect(world.provider.hasCredentials()).toBe(true);
  expect(sdk.loaded).toBe(false);
  expect((await world.ask()).message.stopReason).toBe("stop");
  expect(sdk.loaded).toBe(true);
  await world.server.close();
});
