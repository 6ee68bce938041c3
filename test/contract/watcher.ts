import type { Source, World } from "./world.ts";

/** An extension that notes every event of some names, with its payload as data. */
export function watching(...events: readonly string[]): Source {
  return `export default (api) => {
    for (const name of ${JSON.stringify(events)}) {
      api.on(name, (event, ctx) => ctx.ui.notify("event " + JSON.stringify(event)));
    }
  };`;
}

export interface Seen {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What the watcher has noted. */
export function seen(world: World): readonly Seen[] {
  return world.said
    .filter((note) => note.startsWith("event "))
    .map((note) => JSON.parse(note.slice("event ".length)));
}

/** Names of the events the watcher has noted. */
export function namesSeen(world: World): readonly string[] {
  return seen(world).map(({ type }) => type);
}
