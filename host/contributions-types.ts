import type { IndexRow, SessionEntry } from "../core/index.ts";
import type { ExtensionContext } from "./api.ts";

/** What a predicate or a text function may look at beside its rows (extensions spec §2.10). */
export interface TreeView {
  readonly leafId: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Parses one entry. */
  entry(id: string): SessionEntry | undefined;
}

/** A mode of the tree selector and of `coppice tree --filter`. */
export interface TreeFilter {
  /** Value of the setting `treeFilterMode`. */
  readonly id: string;
  readonly title: string;
  /** Shown in brackets; empty for none. */
  readonly tag: string;
  readonly order?: number;
  /** One answer per row, in the order of the rows. */
  predicate(
    rows: readonly IndexRow[],
    view: TreeView,
  ): readonly boolean[] | Promise<readonly boolean[]>;
}

/** Replaces the text of matching rows of the tree; never marks, labels or levels. */
export interface TreeRowText {
  readonly id: string;
  readonly types?: readonly string[];
  readonly customTypes?: readonly string[];
  text(
    rows: readonly IndexRow[],
    view: TreeView,
  ): readonly (string | undefined)[] | Promise<readonly (string | undefined)[]>;
}

export interface PickEntryOptions {
  readonly title: string;
  /** Which rows may be chosen; absent: all. The form is that of a filter's predicate. */
  accept?(rows: readonly IndexRow[], view: TreeView): readonly boolean[];
  /** Said when a row is chosen that `accept` refuses. */
  readonly refusal?: string;
  readonly initial?: string;
}

/** Draws `ctx.ui.pickEntry`. */
export interface EntryPicker {
  readonly id: string;
  pick(options: PickEntryOptions, ctx: ExtensionContext): Promise<string | undefined>;
}

export interface StatusState {
  readonly cwd: string;
  readonly sessionName?: string;
  readonly model?: { readonly provider: string; readonly id: string };
  readonly thinkingLevel: string;
  readonly busy: boolean;
  readonly leafId: string | null;
  readonly leafLabel?: string;
}

export interface StatusItem {
  readonly id: string;
  readonly side?: "left" | "right";
  readonly order?: number;
  text(state: StatusState): string | undefined;
}

export interface CliOption {
  /** As commander writes it: `--filter <mode>`. */
  readonly flags: string;
  readonly description: string;
}

/** A verb of the command line, such as `tree`; first-party only. */
export interface CliCommand {
  readonly name: string;
  readonly description: string;
  /** Positional arguments as commander writes them, such as `<session>`. */
  readonly arguments?: string;
  readonly options?: readonly CliOption[];
  /** Lines shown under the help of the verb. */
  readonly examples?: readonly string[];
  /**
   * The first argument names a session (path or id prefix), which is opened for reading before
   * `run`: `ctx.sessionManager` is its view.
   */
  readonly session?: "read";
  run(
    call: {
      readonly args: readonly string[];
      readonly options: Readonly<Record<string, unknown>>;
      /** Writes to stdout, as it is: data only. */
      write(text: string): void;
    },
    ctx: ExtensionContext,
  ): Promise<number>;
}

/** The points of `api.contribute` and what each takes. */
export interface Contributions {
  "tree.filter": TreeFilter;
  "tree.rowText": TreeRowText;
  "entry.picker": EntryPicker;
  "status.item": StatusItem;
  "cli.command": CliCommand;
}

export type ContributionPoint = keyof Contributions;
