import type { Panel, PanelEvent, PanelSize } from "../host/index.ts";
import { type KeyEvent, keyName, type PasteEvent } from "./input-events.ts";
import { type Binding, type Bindings, bindPanelKeys } from "./keys.ts";

/** A full-screen view of an extension, and its state. */
export interface OpenPanel {
  readonly id: number;
  readonly panel: Panel<unknown, unknown>;
  readonly model: unknown;
  readonly keys: Binding;
  /** The third party it belongs to. */
  readonly from?: string;
  /** Whether it was shown, and so knows its size. */
  readonly isStarted: boolean;
}

/** The panel after an event: it goes on, is done, or has failed. */
export interface PanelOutcome {
  readonly open: OpenPanel;
  readonly done?: { readonly value?: unknown };
  readonly effect?: () => Promise<unknown>;
  readonly failure?: { readonly error: unknown };
}

export function openPanel(
  { id, panel, from }: Pick<OpenPanel, "id" | "panel" | "from">,
  bindings: Bindings,
): OpenPanel {
  const keys = bindPanelKeys(Array.isArray(panel.keys) ? panel.keys : [], bindings);
  return {
    id,
    panel,
    model: panel.init,
    keys,
    isStarted: false,
    ...(from !== undefined && { from }),
  };
}

/** What is sent to a panel for a key or a paste: its name, its text, and the id it is bound to. */
export function panelInput(event: KeyEvent | PasteEvent, keys: Binding): PanelEvent {
  if (event.type === "paste") return { type: "paste", text: event.text };
  const key = keyName(event);
  const action = keys.get(key);
  return {
    type: "key",
    key,
    ...(event.text !== undefined && { text: event.text }),
    ...(action !== undefined && { action }),
  };
}

/** Rows and columns that a panel has: all, but the line that names a third party. */
export function panelSize(
  { from }: Pick<OpenPanel, "from">,
  { columns, rows }: PanelSize,
): PanelSize {
  return { columns, rows: from === undefined ? rows : Math.max(1, rows - 1) };
}

/** Hands an event to a panel. What the panel throws is its failure, and no one else's. */
export function panelStep(open: OpenPanel, event: PanelEvent): PanelOutcome {
  try {
    const { model, done, effect } = open.panel.update(open.model, event);
    const next = { ...open, model, isStarted: true };
    if (done !== undefined) return { open: next, done };
    return effect === undefined ? { open: next } : { open: next, effect };
  } catch (error) {
    return { open, failure: { error } };
  }
}
