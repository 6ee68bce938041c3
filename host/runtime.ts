import type { Commands } from "./commands.ts";
import type { Contributions } from "./contributions.ts";
import type { Flags } from "./flags.ts";
import type { Hooks } from "./hooks.ts";
import type { Models } from "./models.ts";
import type { PermissionGate } from "./permission-gate.ts";
import type { Renderers } from "./renderers.ts";
import type { Reports } from "./reports.ts";
import type { SessionControl } from "./session-control.ts";
import type { Shortcuts } from "./shortcuts.ts";
import type { Settings } from "./storage/settings.ts";
import type { Tools } from "./tools.ts";
import type { UserInterface } from "./ui.ts";

/** The pieces of a running host that calls of extensions act on. */
export interface Runtime {
  readonly session: SessionControl;
  readonly hooks: Hooks;
  readonly commands: Commands;
  readonly contributions: Contributions;
  readonly models: Models;
  readonly reports: Reports;
  readonly shortcuts: Shortcuts;
  readonly settings: Settings;
  readonly tools: Tools;
  readonly flags: Flags;
  readonly renderers: Renderers;
  /** The person's side; replaced when a screen attaches. */
  ui: UserInterface;
  /** Asks about permissions of packages; absent where none is installed. */
  readonly permissions?: PermissionGate;
  /** Full names of all members and events that work: what `api.supports` answers from. */
  readonly supported: ReadonlySet<string>;
}
