import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { SessionManager } from "../../dist/core/index.js";
import { createAgentSession, nodeEnvironment } from "../../dist/host/index.js";
import { PERMISSIONS } from "../../dist/host/packages/permission-table.js";
import { Settings } from "../../dist/host/storage/settings.js";
import { cache } from "./places.mjs";

/** The cells of one entry, whose facts are what it registers with the real peer. */
export async function compareEntry(entry, facts) {
  const { registered, failure } = await loadEntry(entry);
  if (failure !== undefined) return { loads: "fail", registers: "fail", reason: failure };
  const differences = Object.keys({ ...registered, ...facts }).flatMap((kind) => {
    const [ours = [], theirs = []] = [registered[kind], facts[kind]];
    return String(ours) === String(theirs) ? [] : [`${kind}: ${ours} instead of ${theirs}`];
  });
  if (differences.length === 0) return { loads: "pass", registers: "pass" };
  return { loads: "pass", registers: "fail", reason: differences.join("; ") };
}

/**
 * Loads one entry in the sandbox, with all it may ask for granted.
 * @returns `{ registered }`, names by kind as in facts.json, or `{ failure }` with the report's words.
 */
async function loadEntry(entry) {
  const home = mkdtempSync(path.join(cache, "home-"));
  process.env.COPPICE_HOME = home;
  let result;
  const session = await createAgentSession({
    sessionManager: SessionManager.inMemory(home, nodeEnvironment),
    settings: new Settings({ cwd: home, flags: {} }),
    installed: [extensionOf(entry, home)],
    builtins: [],
    async loaded({ runtime }) {
      const failed = runtime.reports.all().find(({ code }) => code === "EXTENSION_LOAD_FAILED");
      result = failed ? { failure: failed.message } : { registered: registeredIn(runtime) };
    },
  });
  await session.close();
  rmSync(home, { recursive: true, force: true });
  return result;
}

function registeredIn({ reports, hooks, tools, commands, flags, shortcuts, renderers, models }) {
  const neverFire = reports.all().filter(({ code }) => code === "EVENT_NEVER_FIRES");
  const ofKind = (kind) => renderers.all().filter((renderer) => renderer.kind === kind);
  const named = Object.entries({
    events: [...hooks.handled(), ...neverFire.map(({ where }) => where)],
    tools: tools.active().map(({ definition }) => definition.name),
    commands: commands.all().map(({ name }) => name),
    flags: flags.all().map(({ name }) => name),
    shortcuts: shortcuts.all().map(({ key }) => key),
    messageRenderers: ofKind("message").map(({ customType }) => customType),
    entryRenderers: ofKind("entry").map(({ customType }) => customType),
    providers: models.providers(),
  });
  const lists = named.map(([kind, names]) => [kind, [...new Set(names)].sort()]);
  return Object.fromEntries(lists.filter(([, names]) => names.length > 0));
}

function extensionOf({ name, root, file }, home) {
  const manifest = { name, version: "1.0.0", description: "", verbs: {} };
  return {
    id: name,
    shortId: name,
    version: manifest.version,
    firstParty: false,
    permissions: new Set(Object.keys(PERMISSIONS)),
    entry: file,
    manifest: { ...manifest, extensions: [file], permissions: [], commands: [] },
    rank: 0,
    package: {
      root,
      isFile: root === file,
      entries: [{ path: file, flavour: "pi" }],
      source: root,
      scope: "run",
      key: { kind: "found", path: root },
      declared: undefined,
      reasons: {},
      dataFolder: path.join(home, "data"),
    },
  };
}
