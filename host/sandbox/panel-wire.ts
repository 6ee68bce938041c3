import type { PanelEvent } from "../panel.ts";

/** What a panel in a guest is told: an event, or that an effect of its own has settled. */
export type PanelTurn = PanelEvent | { readonly type: "settled"; readonly effect: number };

/** What a panel in a guest answers; all of it is the guest's word. */
export interface PanelAnswer {
  readonly view: unknown;
  readonly done?: { readonly value?: unknown };
  /** Number of an effect that is to be run. */
  readonly effect?: number;
}
