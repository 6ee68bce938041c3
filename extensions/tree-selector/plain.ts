import type { PanelStep, PlainForm } from "coppice";
import { lineOf } from "./line-edit.ts";
import { dataOf, positionOfNode, type SelectorModel, selected, type TreeChoice } from "./model.ts";
import { NONE } from "./order.ts";
import { oneLine } from "./shorten.ts";
import { rowAt } from "./tree-data.ts";
import { type SelectorEnv, update } from "./update.ts";
import { childCount, hasSiblings, parentOf } from "./visible.ts";

type Step = PanelStep<SelectorModel, TreeChoice>;

/** The tree where there is no full screen: a numbered outline in words (tui spec §4.3). */
export function plainForm(env: SelectorEnv): PlainForm<SelectorModel, TreeChoice> {
  return {
    lines: (model) =>
      model.box
        ? [`Label for “${model.box.title}”; an empty line removes it.`]
        : Array.from(model.listed, (node, row) => outlineRow(model, node, row)),
    prompt: "number, /text, f filter, l N label, Enter to cancel: ",
    answer: (model, text) =>
      model.box ? labelled(env, model, text) : answered(env, model, text.trim()),
  };
}

function answered(env: SelectorEnv, model: SelectorModel, text: string): Step {
  if (text === "") return { model, done: {} };
  if (text === "f") return press(env, model, "app.tree.filter.cycleForward");
  if (text.startsWith("/")) {
    const cleared = { ...model, wanted: { ...model.wanted, query: "" } };
    const query = text.slice(1).trim();
    return query === ""
      ? press(env, model, "tui.select.cancel")
      : update(env, cleared, { type: "paste", text: query });
  }
  const [, command, number] = /^(l\s*)?(\d+)$/.exec(text) ?? [];
  const row = Number(number) - 1;
  if (!(row >= 0 && row < model.listed.length)) return { model };
  const action = command === undefined ? "tui.select.confirm" : "app.tree.editLabel";
  return press(env, selected(model, row), action);
}

function labelled(env: SelectorEnv, model: SelectorModel, text: string): Step {
  const box = model.box && { ...model.box, line: lineOf(text.trim()) };
  return update(env, { ...model, ...(box && { box }) }, { type: "key", key: "enter" });
}

function press(env: SelectorEnv, model: SelectorModel, action: string): Step {
  return update(env, model, { type: "key", key: "", action });
}

function outlineRow(model: SelectorModel, node: number, row: number): string {
  const data = dataOf(model);
  const { tree } = model;
  const position = positionOfNode(model, node);
  const number = String(row + 1).padStart(String(model.listed.length).length);
  const active = data.order.active[position] === 1 ? "*" : " ";
  const remarks = [branches(childCount(tree, node)), sideBranch(model, node)].filter(Boolean);
  const remark = remarks.length > 0 ? ` (${remarks.join(", ")})` : "";
  const label = oneLine(rowAt(data, position)?.label);
  const mark = label === "" ? "" : `[${label}] `;
  return `${number} ${active} ${mark}${data.texts.shown(position)}${remark}`;
}

function branches(count: number): string {
  return count > 1 ? `${count} branches` : "";
}

function sideBranch(model: SelectorModel, node: number): string {
  const { tree } = model;
  const parent = parentOf(tree, node);
  if (parent === NONE || !hasSiblings(tree, node) || node === parent + 1) return "";
  const row = model.listed.indexOf(parent);
  return row < 0 ? "" : `branch of ${row + 1}`;
}
