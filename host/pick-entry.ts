import {
  contentText,
  type IndexRow,
  messageOf,
  messageText,
  type SessionManager,
} from "../core/index.ts";
import type { PickEntryOptions } from "./api.ts";
import type { Call } from "./methods/method.ts";
import type { Asking } from "./ui.ts";

/**
 * Lets a person choose an entry: by the contributed picker, which acts in its own name, else from a
 * plain list of what may be chosen (extensions spec §2.6, §2.10).
 */
export async function pickEntry(
  call: Call,
  options: PickEntryOptions,
  asking: Asking,
): Promise<string | undefined> {
  const { runtime } = call;
  const picker = runtime.contributions.picker();
  if (picker) return picker.value.pick(options, call.contextOf(picker.instance));
  const { sessionManager } = runtime.session;
  const items = acceptedRows(sessionManager, options).map(({ id, type }) => ({
    id,
    label: `${id} ${textOf(sessionManager, id) ?? type}`,
  }));
  const chosen = await runtime.ui.select(options.title, items, asking);
  return items.find(({ label }) => label === chosen)?.id;
}

/** The rows that may be chosen. */
export function acceptedRows(
  sessionManager: SessionManager,
  { accept }: Pick<PickEntryOptions, "accept">,
): readonly IndexRow[] {
  const rows = sessionManager.getIndex();
  if (!accept) return rows;
  const labels = Object.fromEntries(rows.flatMap(({ id, label }) => (label ? [[id, label]] : [])));
  const view = {
    leafId: sessionManager.getLeafId(),
    labels,
    entry: (id: string) => sessionManager.getEntry(id),
  };
  const accepted = accept(rows, view);
  return rows.filter((_, i) => accepted[i]);
}

function textOf(sessionManager: SessionManager, id: string): string | undefined {
  const entry = sessionManager.getEntry(id);
  if (!entry) return undefined;
  const message = messageOf(entry);
  if (message) return messageText(message).slice(0, 200);
  const { content } = entry as { content?: unknown };
  return content === undefined ? undefined : contentText(content).slice(0, 200);
}
