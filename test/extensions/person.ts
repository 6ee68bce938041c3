import type { Panel } from "coppice";
import type { Asking } from "coppice/host";
import { ScriptedUI } from "../contract/scripted-ui.ts";
import { OpenPanel } from "./open-panel.ts";

type AnyPanel = OpenPanel<unknown, unknown>;

/** A person at a screen: panels open for the test to use, all else is answered from a list. */
export class Person extends ScriptedUI {
  readonly #open: AnyPanel[] = [];
  readonly #wanting: ((panel: AnyPanel) => void)[] = [];

  /** The next panel that opens, or has opened. */
  panelOpened(): Promise<AnyPanel> {
    const panel = this.#open.shift();
    if (panel) return Promise.resolve(panel);
    return new Promise((resolve) => this.#wanting.push(resolve));
  }

  override panel<M, T>(panel: Panel<M, T>, _asking: Asking): Promise<T | undefined> {
    const open = new OpenPanel(panel);
    const wanted = this.#wanting.shift();
    if (wanted) wanted(open as unknown as AnyPanel);
    else this.#open.push(open as unknown as AnyPanel);
    return open.closed;
  }
}
