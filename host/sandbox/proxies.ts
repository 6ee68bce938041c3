import { type IndexRow, isJsonObject, type SessionEntry } from "../../core/index.ts";
import { delayed } from "../abort.ts";
import type {
  ContributionPoint,
  PickEntryOptions,
  StatusState,
  TreeView,
} from "../contributions-types.ts";
import { HOOKS, SPELLINGS } from "../hook-catalogue.ts";
import { acceptedRows } from "../pick-entry.ts";
import { errorParts } from "../reports.ts";
import type { GuestLink } from "./guest-link.ts";
import { guestCredentials, guestStream } from "./guest-provider.ts";
import { guestSetup } from "./guest-setup.ts";
import { Marked } from "./wire-encode.ts";

type HostFunction = (...values: readonly never[]) => unknown;

/** What stands in the host for a function of a guest, by the member and the place it was given at. */
export function proxyFor(
  link: GuestLink,
  member: string,
  path: string,
  id: number,
  first: unknown,
): HostFunction {
  const make = PROXIES[`${member} ${path}`] ?? plain;
  return make(link, id, first) as HostFunction;
}

type Make = (link: GuestLink, id: number, first: unknown) => unknown;

/** Called with copies of its values; gives a promise. */
const plain: Make =
  (link, id) =>
  (...values: readonly unknown[]) =>
    link.invoke(id, values);

/** Called without waiting; what goes wrong is reported. */
const told: Make =
  (link, id) =>
  (...values: readonly unknown[]) => {
    link.invoke(id, values).catch((error: unknown) => report(link, "a callback", error));
  };

/** Milliseconds after an abort in which nobody waits any more for a tool. */
const TOOL_GONE_MS = 1000;

/** A tool that goes on after its signal has fired is given up: its invocation is over. */
const toolCall: Make =
  (link, id) =>
  async (...values: readonly unknown[]) => {
    const late = delayed(values[2] as AbortSignal, TOOL_GONE_MS);
    try {
      return await link.invoke(id, values, { signal: late.signal });
    } finally {
      late.stop();
    }
  };

const PROXIES: Readonly<Record<string, Make>> = {
  "api.on 1": eventHandler,
  "api.contribute 1.predicate": rowsFunction,
  "api.contribute 1.text": (link, id, point) =>
    (point as ContributionPoint) === "status.item" ? statusText(link, id) : rowsFunction(link, id),
  "api.registerTool 0.execute": toolCall,
  "ctx.navigateTree 1.onProgress": told,
  "ctx.ui.pickEntry 0.accept": rowsFunction,
  "api.contribute 1.pick": picker,
  "api.registerProvider 1.hasCredentials": guestCredentials,
  "api.registerProvider 1.streamSimple": guestStream,
  "ctx.newSession 0.setup": guestSetup,
  "ctx.ui.panel 0.update":
    (link, id) =>
    (...values: readonly unknown[]) =>
      link.invoke(id, values, { lane: "sync" }),
};

/** A picker of entries; which of them may be chosen crosses with the question, as a list of ids. */
function picker(link: GuestLink, id: number) {
  return ({ accept, ...options }: PickEntryOptions, ctx: object): Promise<unknown> => {
    const { sessionManager } = link.parts.runtime.session;
    const ids = accept && acceptedRows(sessionManager, { accept }).map((row) => row.id);
    const given = ids && { accept: new Marked("A", JSON.stringify(ids)) };
    return link.invoke(id, [{ ...options, ...given }, ctx]);
  };
}

/** A handler of an event: entries of the session cross as ids, and its budget ends the waiting. */
function eventHandler(link: GuestLink, id: number, event: unknown) {
  const name = SPELLINGS[event as string] ?? (event as string);
  const row = Object.hasOwn(HOOKS, name) ? HOOKS[name as keyof typeof HOOKS] : undefined;
  const background = row?.kind === "after";
  const inPlace = row?.inPlace;
  if (inPlace !== undefined) return editingHandler(link, id, inPlace);
  return (payload: object, ctx: object) =>
    link.invoke(id, [withIds(link, payload), ctx], { background });
}

/** A handler that may also change one field of its payload in place. */
function editingHandler(link: GuestLink, id: number, inPlace: string) {
  return async (payload: Record<string, unknown>, ctx: object) => {
    const answer = await link.invoke(id, [payload, ctx], { inPlace });
    if (!isJsonObject(answer)) return answer;
    payload[inPlace] = answer.edited;
    return answer.result;
  };
}

/** A payload whose stored entries are replaced by their ids (extensions spec §2.2). */
function withIds(link: GuestLink, payload: object): object {
  const { sessionManager } = link.parts.runtime.session;
  const marked = (entry: SessionEntry) =>
    sessionManager.getEntry(entry.id) ? new Marked("i", entry.id) : entry;
  const { preparation, summaryEntry } = payload as {
    preparation?: { entriesToSummarize?: readonly SessionEntry[] };
    summaryEntry?: SessionEntry;
  };
  return {
    ...payload,
    ...(summaryEntry && { summaryEntry: marked(summaryEntry) }),
    ...(preparation?.entriesToSummarize && {
      preparation: {
        ...preparation,
        entriesToSummarize: preparation.entriesToSummarize.map(marked),
      },
    }),
  };
}

/** A function over rows of the index: only their ids and its answers cross (extensions spec §2.10). */
function rowsFunction(link: GuestLink, id: number) {
  return (rows: readonly IndexRow[], _view: TreeView) => {
    const { sessionManager } = link.parts.runtime.session;
    const isAll = rows.length === sessionManager.getEntryCount();
    const ids = isAll ? "" : JSON.stringify(rows.map((row) => row.id));
    return link.invoke(id, [new Marked("R", ids), new Marked("v")]);
  };
}

/** The text of a status item as it was answered last; a new state asks for a new one. */
function statusText(link: GuestLink, id: number) {
  let asked = "";
  let last: () => unknown = () => undefined;
  const answered = (answer: () => unknown) => {
    last = answer;
    link.parts.runtime.session.announce({ type: "status_changed" });
  };
  return (state: StatusState): unknown => {
    const key = JSON.stringify(state);
    if (key === asked) return last();
    asked = key;
    link.invoke(id, [state], { lane: "sync" }).then(
      (text) => answered(() => text),
      (error: unknown) =>
        answered(() => {
          throw error;
        }),
    );
    return last();
  };
}

function report(link: GuestLink, where: string, error: unknown): void {
  const { instance, runtime } = link.parts;
  const { id: extension, version } = instance.extension;
  runtime.reports.add({ code: "HOOK_FAILED", extension, version, where, ...errorParts(error) });
}
