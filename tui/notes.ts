import type { AppModel, NewNote } from "./model.ts";
import type { SessionFacts } from "./session-facts.ts";
import { type Note, withNotes } from "./transcript.ts";

const KEPT_NOTES = 200;
/** A longer word to the person is a note, which stays. */
const LONGEST_STATUS = 120;

/** Adds something to the chat that the program says; it stands where the session is now. */
export function withNote(model: AppModel, { type, text }: NewNote): AppModel {
  const { path, leafId, blocks } = model.facts;
  const number = model.count + 1;
  const note = { number, type, text, leafId, depth: path.length };
  const notes = [...model.notes, note].slice(-KEPT_NOTES);
  return { ...model, count: number, notes, blocks: withNotes(path, blocks, notes) };
}

/** The notes of a move, to stand where it has led; those from before it stay where they are. */
export function notesAfterMove(
  { notes, noteBeforeMove }: AppModel,
  { path, leafId }: SessionFacts,
): { readonly before: readonly Note[]; readonly during: readonly Note[] } {
  const before = notes.filter(({ number }) => number <= noteBeforeMove);
  const during = notes
    .slice(before.length)
    .map((note) => ({ ...note, leafId, depth: path.length }));
  return { before, during };
}

/** A short word of no weight stands in the status row until the next key; the rest are notes. */
export function notified(model: AppModel, note: NewNote): AppModel {
  const isShort = note.text.length <= LONGEST_STATUS && !note.text.includes("\n");
  if (note.type !== "info" || !isShort) return withNote(model, note);
  return { ...model, status: note };
}

export function withoutStatus(model: AppModel): AppModel {
  if (model.status === undefined) return model;
  const { status: _, ...rest } = model;
  return rest;
}
