import { contentText, messageOf, messageText } from "../core/index.ts";
import type { PickEntryOptions } from "./api.ts";
import type { Call } from "./methods/method.ts";

/**
 * Lets a person choose an entry: by the contributed picker, else from a plain list of what may be
 * chosen (extensions spec §2.6, §2.10).
 */
export async function pickEntry(
  call: Call,
  options: PickEntryOptions,
): Promise<string | undefined> {
  const { runtime } = call;
  const preferred = runtime.settings.get("extensions.prefer") as Record<string, string> | undefined;
  const pickers = runtime.contributions.get("entry.picker");
  const picker = pickers.find(({ id }) => id === preferred?.["entry.picker"]) ?? pickers[0];
  if (picker) return picker.pick(options, call.context());
  const { sessionManager } = runtime.session;
  const rows = sessionManager.getIndex();
  const labels = Object.fromEntries(rows.flatMap(({ id, label }) => (label ? [[id, label]] : [])));
  const view = {
    leafId: sessionManager.getLeafId(),
    labels,
    entry: (id: string) => sessionManager.getEntry(id),
  };
  const accepted = options.accept?.(rows, view) ?? rows.map(() => true);
  const items = rows
    .filter((_, i) => accepted[i])
    .map(({ id, type }) => ({ id, label: `${id} ${textOf(sessionManager.getEntry(id)) ?? type}` }));
  const chosen = await runtime.ui.select(options.title, items, {});
  return items.find(({ label }) => label === chosen)?.id;
}

function textOf(entry: ReturnType<Call["runtime"]["session"]["sessionManager"]["getEntry"]>) {
  if (!entry) return undefined;
  const message = messageOf(entry);
  if (message) return messageText(message).slice(0, 200);
  const { content } = entry as { content?: unknown };
  return content === undefined ? undefined : contentText(content).slice(0, 200);
}
