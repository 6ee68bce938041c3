import type { PanelEvent, PanelStep } from "coppice";
import { errorMessage } from "coppice/core";
import { editKey, insertText, lineOf, lineText } from "./line-edit.ts";
import {
  dataOf,
  type LabelBox,
  nodeOfEntry,
  positionOfNode,
  type SelectorModel,
  type TreeChoice,
} from "./model.ts";
import type { Settled, Settler } from "./settle.ts";
import type { TreeData } from "./tree-data.ts";

/** What the box needs to write a label. */
export interface BoxEnv {
  readonly settler: Settler;
  reload(): Promise<TreeData>;
  setLabel(id: string, label: string | undefined): void;
}

/** How the writing of a label ended. */
export type BoxOutcome =
  | { readonly kind: "labelled"; readonly settled: Settled }
  | { readonly kind: "unsaved"; readonly problem: string };

type BoxStep = PanelStep<SelectorModel, TreeChoice>;

/** The box for an entry, prefilled with its label (session tree §13.6). */
export function labelBox(model: SelectorModel, id: string): LabelBox {
  const data = dataOf(model);
  const title = data.texts.shown(positionOfNode(model, nodeOfEntry(model, id)));
  return { id, title, line: lineOf(data.view.labels[id] ?? "") };
}

/** The next state after a key or a paste while the box is open. */
export function actInBox(
  env: BoxEnv,
  model: SelectorModel,
  box: LabelBox,
  event: Extract<PanelEvent, { type: "key" | "paste" }>,
): BoxStep {
  const withLine = (line: LabelBox["line"]): BoxStep => ({
    model: { ...model, box: { id: box.id, title: box.title, line } },
  });
  if (event.type === "paste") return withLine(insertText(box.line, event.text));
  if (event.key === "escape") return { model: withoutBox(model) };
  if (event.key === "enter") return save(env, model, box);
  const edited = editKey(box.line, event.key);
  if (edited) return withLine(edited);
  return event.text ? withLine(insertText(box.line, event.text)) : { model };
}

function withoutBox({ box: _, ...model }: SelectorModel): SelectorModel {
  return model;
}

function save(env: BoxEnv, model: SelectorModel, box: LabelBox): BoxStep {
  const label = lineText(box.line).trim() || undefined;
  if (label === dataOf(model).view.labels[box.id]) return { model: withoutBox(model) };
  return {
    model: { ...model, work: "saving" },
    effect: async (): Promise<BoxOutcome> => {
      try {
        env.setLabel(box.id, label);
      } catch (error) {
        return { kind: "unsaved", problem: errorMessage(error) };
      }
      const data = await env.reload();
      const settled = await env.settler.settle({ ...model.shown, data });
      return { kind: "labelled", settled };
    },
  };
}
