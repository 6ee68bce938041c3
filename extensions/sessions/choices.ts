import type { SessionManager } from "coppice";
import { cleanLine } from "coppice/tui";

export type SessionItem = Awaited<ReturnType<typeof SessionManager.list>>[number];

/** A line of the session list, and the session it stands for. */
export interface SessionChoice {
  readonly label: string;
  readonly description: string;
  readonly path: string;
}

const TITLE_CHARACTERS = 60;

/** The sessions that can be opened, as lines that differ from each other. */
export function sessionChoices(
  items: readonly SessionItem[],
  currentFile: string | undefined,
  now: number,
): readonly SessionChoice[] {
  const taken = new Set<string>();
  return items
    .filter(({ path, id }) => id !== undefined && path !== currentFile)
    .map((item) => {
      const label = distinct(titleOf(item), item, taken);
      taken.add(label);
      return { label, description: descriptionOf(item, now), path: item.path };
    });
}

/** Choices whose line or id holds a text, in any case. */
export function choicesFor(
  choices: readonly SessionChoice[],
  words: string,
): readonly SessionChoice[] {
  const wanted = words.toLowerCase();
  return choices.filter(
    ({ label, path }) => label.toLowerCase().includes(wanted) || path.includes(words),
  );
}

function titleOf({ name, firstUserText }: SessionItem): string {
  const text = cleanLine(name ?? firstUserText ?? "").trim();
  return Array.from(text).slice(0, TITLE_CHARACTERS).join("") || "(no message yet)";
}

function distinct(title: string, { id, path }: SessionItem, taken: ReadonlySet<string>): string {
  if (!taken.has(title)) return title;
  const named = `${title} (${id?.slice(-8)})`;
  return taken.has(named) ? `${title} (${path})` : named;
}

function descriptionOf(item: SessionItem, now: number): string {
  const { modified, messageCount, origin, reason } = item;
  return [
    age(now - modified.getTime()),
    messageCount === 1 ? "1 message" : `${messageCount} messages`,
    ...(origin === "coppice" ? [] : [origin]),
    ...(reason === undefined ? [] : [reason]),
  ].join(" · ");
}

/** How long ago, in the largest whole unit. */
export function age(milliseconds: number): string {
  const units: readonly (readonly [name: string, length: number])[] = [
    ["y", 365 * 86_400_000],
    ["w", 7 * 86_400_000],
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ];
  const unit = units.find(([, length]) => milliseconds >= length);
  return unit ? `${Math.floor(milliseconds / unit[1])}${unit[0]} ago` : "just now";
}
