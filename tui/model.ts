import type { AgentMessage } from "../core/index.ts";
import type { Activity, AutocompleteItem, Report } from "../host/index.ts";
import type { Popup } from "./completion.ts";
import type { Answer, Dialog } from "./dialogs.ts";
import { type EditorState, EMPTY_EDITOR } from "./editor.ts";
import { EMPTY_HISTORY, type History } from "./editor-history.ts";
import type { EscapeState } from "./escape.ts";
import type { InputEvent } from "./input-events.ts";
import type { Bindings } from "./keys.ts";
import type { OpenPanel } from "./panels.ts";
import type { ScreenSize } from "./screen.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { Block, Note, NoteType } from "./transcript.ts";
import type { Scroll } from "./transcript-view.ts";

/** What a double Escape acts as (session tree §14). */
export type DoubleEscapeAction = "tree" | "branch" | "none";

/** What the settings say about the screen. */
export interface AppSettings {
  readonly doubleEscape: DoubleEscapeAction;
  /** Milliseconds in which two presses of Escape are one double Escape. */
  readonly escapeWindow: number;
  readonly isStill: boolean;
}

/** What extensions show, each under a key of its own. */
type Keyed<T> = ReadonlyMap<string, T>;

/** All that is on the screen, as plain data. */
export interface AppModel {
  readonly size: ScreenSize;
  readonly settings: AppSettings;
  readonly bindings: Bindings;
  readonly facts: SessionFacts;
  readonly notes: readonly Note[];
  /** Number of the last note before the last move, or change of the session, began. */
  readonly noteBeforeMove: number;
  /** Blocks of the session with the notes between them. */
  readonly blocks: readonly Block[];
  /** Blocks of the reply that is being written. */
  readonly live: readonly Block[];
  /** Absent while the view follows the end. */
  readonly scroll?: Scroll;
  readonly isExpanded: boolean;
  readonly editor: EditorState;
  readonly history: History;
  readonly popup?: Popup;
  /** Closed by Escape; it stays so while the text is a command. */
  readonly isPopupShut: boolean;
  readonly activity: Activity;
  /** Time at which the activity began, milliseconds of the clock. */
  readonly since: number;
  readonly isStopping: boolean;
  /** Tokens and cost of the reply that is being written, as far as they are known. */
  readonly liveUsage?: { readonly input: number; readonly output: number; readonly cost: number };
  readonly escape: EscapeState;
  /** Time of a Ctrl+C that a second one would make quit. */
  readonly quitAsked?: number;
  /** A word to the person, until the next action. */
  readonly status?: { readonly text: string; readonly type: NoteType };
  readonly statusTexts: Keyed<string>;
  readonly statusItems: { readonly left: readonly string[]; readonly right: readonly string[] };
  readonly widgets: Keyed<readonly string[]>;
  /** Open panels in the order of their opening; the first is shown. */
  readonly panels: readonly OpenPanel[];
  /** Waiting dialogs; the first is shown, above a panel. */
  readonly dialogs: readonly Dialog[];
  /** A prompt that is sent and not yet part of the session. */
  readonly sending?: string;
  /** Commands that are running. */
  readonly running: readonly string[];
  /** Counts notes and questions, so that each has a number of its own. */
  readonly count: number;
  /** Time shown by what runs, milliseconds of the clock. */
  readonly now: number;
  /** Set when the program is to end. */
  readonly isEnding: boolean;
}

/** Everything that can happen to the screen. */
export type AppEvent =
  | { readonly type: "input"; readonly event: InputEvent }
  | { readonly type: "resize"; readonly size: ScreenSize }
  | { readonly type: "tick" }
  | { readonly type: "facts"; readonly facts: SessionFacts }
  | { readonly type: "opened"; readonly facts: SessionFacts; readonly notes: readonly NewNote[] }
  | { readonly type: "activity"; readonly activity: Activity; readonly facts: SessionFacts }
  | { readonly type: "moved"; readonly facts: SessionFacts; readonly editorText?: string }
  | { readonly type: "replaced"; readonly facts: SessionFacts; readonly editorText?: string }
  | { readonly type: "streaming"; readonly message: AgentMessage }
  | { readonly type: "messageEnded"; readonly role: string; readonly facts: SessionFacts }
  | { readonly type: "reported"; readonly report: Report }
  | { readonly type: "notified"; readonly note: NewNote }
  | { readonly type: "promptEnded" }
  | { readonly type: "commandEnded"; readonly line: string; readonly facts: SessionFacts }
  | { readonly type: "failed"; readonly text: string; readonly of?: "prompt" | "command" }
  | {
      readonly type: "completed";
      readonly request: string;
      readonly items: readonly AutocompleteItem[];
    }
  | { readonly type: "panelOpened"; readonly panel: NewPanel }
  | {
      readonly type: "panelEffect";
      readonly id: number;
      readonly settled: { readonly value?: unknown; readonly error?: unknown };
    }
  | { readonly type: "panelFailed"; readonly id: number; readonly error: unknown }
  | { readonly type: "dialogOpened"; readonly dialog: Dialog }
  | { readonly type: "questionClosed"; readonly id: number }
  | { readonly type: "statusText"; readonly key: string; readonly text: string | undefined }
  | { readonly type: "statusItems"; readonly items: AppModel["statusItems"] }
  | {
      readonly type: "widget";
      readonly key: string;
      readonly lines: readonly string[] | undefined;
    }
  | { readonly type: "editorText"; readonly text: string }
  | { readonly type: "shutdown" };

export type NewNote = Pick<Note, "type" | "text">;
export type NewPanel = Pick<OpenPanel, "id" | "panel" | "from">;

/** Work that an update asks for; what comes of it returns as events. */
export type Effect =
  | { readonly type: "prompt"; readonly text: string }
  | { readonly type: "command"; readonly line: string }
  | { readonly type: "abort" }
  | { readonly type: "complete"; readonly request: string }
  | { readonly type: "shortcut"; readonly key: string }
  | { readonly type: "panelEffect"; readonly id: number; readonly run: () => Promise<unknown> }
  | { readonly type: "answer"; readonly id: number; readonly answer: Answer }
  | { readonly type: "readEarlier" }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" }
  | { readonly type: "end" };

/** The next model, and what is to be done outside. */
export type Step = readonly [model: AppModel, effects: readonly Effect[]];

export interface FirstModel {
  readonly size: ScreenSize;
  readonly settings: AppSettings;
  readonly bindings: Bindings;
  readonly facts: SessionFacts;
  readonly history?: History;
  readonly now: number;
}

export function firstModel({ history = EMPTY_HISTORY, now, ...given }: FirstModel): AppModel {
  return {
    ...given,
    history,
    now,
    notes: [],
    noteBeforeMove: 0,
    blocks: given.facts.blocks,
    live: [],
    isExpanded: false,
    isPopupShut: false,
    editor: EMPTY_EDITOR,
    activity: "idle",
    since: now,
    isStopping: false,
    escape: {},
    statusTexts: new Map(),
    statusItems: { left: [], right: [] },
    widgets: new Map(),
    panels: [],
    dialogs: [],
    running: [],
    count: 0,
    isEnding: false,
  };
}

/** The view follows the end. */
export function following(model: AppModel): AppModel {
  const { scroll: _, ...rest } = model;
  return rest;
}
