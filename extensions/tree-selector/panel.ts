import { homedir } from "node:os";
import type { ExtensionAPI, ExtensionContext, Panel, PickEntryOptions, TreeFilter } from "coppice";
import { classicRows } from "./classic-row.ts";
import { filterById, SHOW_ALL } from "./filters.ts";
import { TREE_KEYS } from "./keys.ts";
import { firstModel, type Resume, type SelectorModel, type TreeChoice } from "./model.ts";
import { plainForm } from "./plain.ts";
import { Settler, type Wanted } from "./settle.ts";
import { readTree, type TreeData, type TreeDataOptions } from "./tree-data.ts";
import { type SelectorEnv, update } from "./update.ts";
import { view } from "./view.ts";
import { type VisibleTree, visibleTree } from "./visible.ts";

/** How the tree is opened. */
export interface OpenOptions {
  readonly title: string;
  readonly isPicker: boolean;
  readonly initial?: string;
  readonly resume?: Resume;
  /** Said under the list until the next key. */
  readonly notice?: string;
  readonly accept?: PickEntryOptions["accept"];
  readonly refusal?: string;
}

const EMPTY = "Nothing here yet. Send a message, and every turn appears in this tree.";
const REFUSAL = "This entry cannot be chosen here.";

/** Shows the tree until something is chosen or it is closed (session tree §13). */
export async function openTree(
  api: Pick<ExtensionAPI, "setLabel">,
  ctx: ExtensionContext,
  options: OpenOptions,
): Promise<TreeChoice | undefined> {
  const reload = (): Promise<TreeData> => readTree(ctx.sessionManager, dataOptions(ctx, options));
  const data = await reload();
  if (data.rows.length === 0) {
    ctx.ui.notify(EMPTY);
    return undefined;
  }
  const filters = filtersOf(ctx);
  const openedWith = filterById(filters, ctx.getSetting("treeFilterMode") ?? "default");
  const env: SelectorEnv = {
    filters,
    openedWith,
    settler: new Settler(),
    isPicker: options.isPicker,
    refusal: options.refusal ?? REFUSAL,
    reload,
    setLabel: (id, label) => api.setLabel(id, label),
  };
  const { wanted, tree } = await firstTree(ctx, env, data, options.resume);
  const model = firstModel(wanted, tree, classicRows, options.initial);
  const { title, notice } = options;
  const init = notice === undefined ? model : { ...model, notice };
  return ctx.ui.panel(treePanel(env, init, title));
}

/** The selector as a panel over a first state. */
export function treePanel(
  env: SelectorEnv,
  init: SelectorModel,
  title: string,
): Panel<SelectorModel, TreeChoice> {
  const options = { title, filters: env.filters, isPicker: env.isPicker, now: () => new Date() };
  return {
    title,
    keys: TREE_KEYS,
    init,
    update: (model, event) => update(env, model, event),
    view: (model, size) => view(options, model, size),
    plain: plainForm(env),
  };
}

/** The filters that extensions offer; all entries where none does. */
export function filtersOf(ctx: Pick<ExtensionContext, "getContributions">): readonly TreeFilter[] {
  const filters = ctx.getContributions("tree.filter");
  return filters.length > 0 ? filters : [SHOW_ALL];
}

/** What reading the tree takes from the host. */
export function dataOptions(
  ctx: Pick<ExtensionContext, "getContributions">,
  { accept }: Pick<OpenOptions, "accept"> = {},
): TreeDataOptions {
  const rowTexts = ctx.getContributions("tree.rowText");
  return { home: homedir(), rowTexts, ...(accept && { accept }) };
}

/** What is shown first; a filter that does not work gives way to all entries, and is named. */
async function firstTree(
  ctx: ExtensionContext,
  env: SelectorEnv,
  data: TreeData,
  resume: Resume | undefined,
): Promise<{ wanted: Wanted; tree: VisibleTree }> {
  const filter = resume ? filterById(env.filters, resume.filterId) : env.openedWith;
  const wanted = { data, filter, query: resume?.query ?? "" };
  const settled = await env.settler.settle(wanted);
  if (settled.tree) return { wanted, tree: settled.tree };
  ctx.ui.notify(settled.problem ?? "", "warning");
  const all = { data, filter: SHOW_ALL, query: "" };
  return { wanted: all, tree: visibleTree(data.order, new Uint8Array(data.order.length).fill(1)) };
}
