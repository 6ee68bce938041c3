import { checkCommandName } from "../../commands.ts";
import { Contributions } from "../../contributions.ts";
import type { Extension } from "../../extension.ts";
import { checkTool } from "../../tools-check.ts";
import type { ToolDefinition } from "../../tools-types.ts";
import { sandboxError } from "../errors.ts";
import type { GuestSettings } from "../guest-settings.ts";
import { table } from "./captured.ts";
import { markOwn } from "./guest-errors.ts";
import type { MemberMaker } from "./members.ts";

/** Members that register something, and what they register. */
const KINDS: Readonly<Record<string, string>> = {
  "api.on": "handler",
  "api.contribute": "contribution",
  "api.registerCommand": "command",
  "api.registerShortcut": "shortcut",
  "api.registerFlag": "flag",
  "api.registerTool": "tool",
  "api.registerProvider": "provider",
};

/** What is known of a registration without asking the host is said at the call. */
export class Registrations {
  readonly #settings: GuestSettings;
  readonly #members: MemberMaker;
  readonly #counts = table<number>();
  #last = 0;

  constructor(settings: GuestSettings, members: MemberMaker) {
    this.#settings = settings;
    this.#members = members;
  }

  /** Checks a registration and counts it; gives its number. */
  begin(member: string, values: readonly unknown[]): number {
    try {
      this.#check(member, values);
    } catch (error) {
      throw typeof error === "object" && error !== null ? markOwn(error) : error;
    }
    const kind = KINDS[member] ?? "other";
    const { limits } = this.#settings;
    const most = kind === "handler" ? limits.handlers : (limits.registrations[kind] ?? 50);
    const count = (this.#counts[kind] ?? 0) + 1;
    if (count > most) {
      throw markOwn(
        sandboxError("LIMIT_EXCEEDED", { limit: `${kind} registrations`, value: most }),
      );
    }
    this.#counts[kind] = count;
    return ++this.#last;
  }

  /** A registration is undone. */
  end(member: string): void {
    const kind = KINDS[member] ?? "other";
    this.#counts[kind] = (this.#counts[kind] ?? 1) - 1;
  }

  #check(member: string, [first, second]: readonly unknown[]): void {
    if (member === "api.registerCommand") checkCommandName(first as string);
    if (member === "api.registerTool") checkTool(first as ToolDefinition);
    if (member !== "api.contribute") return;
    const point = first as string;
    const needed = Contributions.permissionsOf(point);
    this.#members.requirePermissions(needed, `api.contribute("${point}")`);
    Contributions.check(point, second, { firstParty: false } as Extension);
  }
}
