import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Loads entries with the peer's own loader, whose runtime records; no session is ever started. */
const [loader, result, entries] = process.argv.slice(2);
const { loadExtensions } = await import(pathToFileURL(loader).href);
const facts = {};
for (const [name, file] of JSON.parse(entries)) {
  const { extensions, errors, runtime } = await loadExtensions([file], process.cwd());
  facts[name] =
    errors.length > 0 ? { error: firstLine(errors[0].error) } : factsOf(extensions[0], runtime);
}
writeFileSync(result, JSON.stringify(facts));
process.exit(0);

function factsOf(extension, runtime) {
  const lists = {
    events: extension.handlers,
    tools: extension.tools,
    commands: extension.commands,
    flags: extension.flags,
    shortcuts: extension.shortcuts,
    messageRenderers: extension.messageRenderers,
    entryRenderers: extension.entryRenderers,
  };
  const providers = runtime.pendingProviderRegistrations ?? [];
  const named = Object.entries(lists).map(([kind, map]) => [kind, [...(map?.keys() ?? [])].sort()]);
  named.push(["providers", providers.map(({ name, provider }) => name ?? provider.id).sort()]);
  return Object.fromEntries(named.filter(([, names]) => names.length > 0));
}

/** What went wrong, without the paths of this machine. */
function firstLine(message) {
  return message.split("\n")[0].replace(/'?\/\S+/g, "…");
}
