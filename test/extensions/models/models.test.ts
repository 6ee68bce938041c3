import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { SessionManager } from "../../../core/index.ts";
import {
  type AgentSession,
  completeArgument,
  createAgentSession,
  silentUI,
  type UserInterface,
} from "../../../host/index.ts";
import { loadSettings } from "../../../host/storage/settings.ts";
import { type AnthropicServer, startAnthropicServer } from "../../anthropic-server.ts";
import { fixedEnvironment } from "../../world.ts";

// The first start of a cold cache compiles every extension.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let home: string;
let server: AnthropicServer;
let session: AgentSession;
/** What the person was told, as `type: message`. */
let notes: string[];
/** Titles and labels of what the person was asked. */
let asked: string[][];
/** Picks from the labels offered. */
let pick: (labels: string[]) => string | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "coppice-models-"));
});
afterAll(() => rm(home, { recursive: true }));

beforeEach(async () => {
  const info = { type: "model", id: "nonsense-1", display_name: "Nonsense", capabilities: null };
  server = await startAnthropicServer({ models: [info] });
  vi.stubEnv("COPPICE_HOME", home);
  vi.stubEnv("ANTHROPIC_BASE_URL", server.url);
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "");
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  notes = [];
  asked = [];
  pick = () => undefined;
  await start({});
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await session.close();
  await server.close();
});

async function start(changes: Partial<UserInterface>): Promise<void> {
  const ui: UserInterface = {
    ...silentUI(() => undefined),
    hasUI: true,
    select: async (title, options) => {
      const labels = options.map(({ label }) => label);
      asked.push([title, ...labels]);
      return pick(labels);
    },
    notify: (message, type) => void notes.push(`${type}: ${message}`),
    ...changes,
  };
  const sessionManager = SessionManager.inMemory("/project", fixedEnvironment());
  const settings = await loadSettings({ cwd: home, variables: { COPPICE_HOME: home } });
  session = await createAgentSession({ sessionManager, settings, ui, env: fixedEnvironment() });
}

function used(): string {
  return `${session.model?.provider}/${session.model?.id}`;
}

describe("/model", () => {
  it("offers the models that can be used now, and uses the one chosen", async () => {
    await session.runCommand("/model");
    expect(asked).toEqual([["Model", "offline/offline", expect.stringMatching(/^Ask /)]]);
    vi.stubEnv("ANTHROPIC_API_KEY", "key");
    pick = (labels) => labels.find((label) => label.endsWith("haiku-4-5"));
    await session.runCommand("/model");
    expect(asked[1]?.length).toBeGreaterThan(10);
    expect(used()).toBe("anthropic/claude-haiku-4-5");
    expect(notes).toEqual(["info: Model: anthropic/claude-haiku-4-5"]);
    expect(session.sessionManager.getLeafEntry()).toMatchObject({
      type: "model_change",
      model: "anthropic/claude-haiku-4-5",
    });
  });

  it("uses the model that a name means: whole, by provider, or by the only one that holds it", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "key");
    for (const [name, model] of [
      ["anthropic/claude-opus-4-8", "anthropic/claude-opus-4-8"],
      ["offline", "offline/offline"],
      ["Claude Fable 5.1", "anthropic/claude-fable-5-1"],
      ["CLAUDE-OPUS-5", "anthropic/claude-opus-5"],
      ["anthropic/claude-of-tomorrow", "anthropic/claude-of-tomorrow"],
    ]) {
      await session.runCommand(`/model ${name}`);
      expect(used()).toBe(model);
    }
    expect(asked).toEqual([]);
  });

  it("asks which one is meant where several match", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "key");
    pick = (labels) => labels[1];
    await session.runCommand("/model haiku");
    expect(asked).toEqual([
      ['Which model is "haiku"?', "anthropic/claude-haiku-5-5", "anthropic/claude-haiku-4-5"],
    ]);
    expect(used()).toBe("anthropic/claude-haiku-4-5");
  });

  it("asks the providers for a name that nobody knows", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "key");
    await session.runCommand("/model nonsense");
    expect(used()).toBe("anthropic/nonsense-1");
    notes = [];
    await session.runCommand("/model unheard-of");
    expect(notes).toEqual([expect.stringMatching(/^error: No model is called "unheard-of"/)]);
    expect(used()).toBe("anthropic/nonsense-1");
  });

  it("refuses a model without credentials and tells the way out", async () => {
    const before = used();
    await session.runCommand("/model anthropic/claude-opus-5-5");
    expect(notes).toEqual([
      expect.stringMatching(/^error: .*no credentials for Anthropic; .*\/model offline$/),
    ]);
    expect(used()).toBe(before);
  });

  it("lists the models where nobody can be asked", async () => {
    await session.close();
    await start({ hasUI: false });
    await session.runCommand("/model");
    expect(notes).toEqual([expect.stringMatching(/^info: offline\/offline \(.*in use\)$/)]);
    expect(asked).toEqual([]);
  });

  it("completes names of models that can be used now", async () => {
    const values = async (prefix: string) =>
      (await completeArgument(session, "model", prefix)).map(({ value }) => value);
    expect(await values("")).toEqual(["offline/offline"]);
    vi.stubEnv("ANTHROPIC_API_KEY", "key");
    expect(await values("sonnet-5")).toEqual([
      "anthropic/claude-sonnet-5-5",
      "anthropic/claude-sonnet-5",
    ]);
  });
});

describe("/thinking", () => {
  it("sets the level, given or chosen, and records it", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "key");
    await session.runCommand("/model claude-opus-5-5");
    await session.runCommand("/thinking HIGH");
    expect(session.thinkingLevel).toBe("high");
    pick = () => "low";
    await session.runCommand("/thinking");
    expect(asked).toEqual([["Thinking", "off", "minimal", "low", "medium", "high", "xhigh"]]);
    expect(session.sessionManager.buildSessionContext().thinkingLevel).toBe("low");
    expect(notes.slice(1)).toEqual(["info: Thinking: high", "info: Thinking: low"]);
  });

  it("says so where the model cannot think, and where there is no such level", async () => {
    await session.runCommand("/thinking high");
    await session.runCommand("/thinking hard");
    expect(notes).toEqual([
      expect.stringMatching(/^warning: Thinking: off; .* cannot do high$/),
      expect.stringMatching(/^error: Thinking is one of off, .*xhigh$/),
    ]);
    expect(await completeArgument(session, "thinking", "m")).toEqual([
      { value: "minimal" },
      { value: "medium" },
    ]);
  });
});
