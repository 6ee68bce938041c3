import { checkCommandName } from "../../commands.ts";
import { Contributions } from "../../contributions.ts";
import type { Extension } from "../../extension.ts";
import { checkFlag } from "../../flags.ts";
import type { FlagOptions, FlagValue } from "../../flags-types.ts";
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
  /** Flags of this package, by name. */
  readonly #flags = table<FlagOptions>();
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
    if (member === "api.registerFlag") {
      this.#flags[values[0] as string] = values[1] as FlagOptions;
    }
    return ++this.#last;
  }

  /** A registration is undone. */
  end(member: string, values: readonly unknown[]): void {
    const kind = KINDS[member] ?? "other";
    this.#counts[kind] = (this.#counts[kind] ?? 1) - 1;
    const [name, options] = values as [string, unknown];
    if (this.#flags[name] === options) delete this.#flags[name];
  }

  /** The value of a flag that this package has registered. */
  flag(name: string): FlagValue | undefined {
    return this.#flags[name]?.default ?? undefined;
  }

  #check(member: string, [first, second]: readonly unknown[]): void {
    if (member === "api.registerCommand") checkCommandName(first as string);
    if (member === "api.registerFlag") checkFlag(second as FlagOptions);
    if (member === "api.registerTool") checkTool(first as ToolDefinition);
    if (member !== "api.contribute") return;
    const point = first as string;
    const needed = Contributions.permissionsOf(point);
    this.#members.requirePermissions(needed, `api.contribute("${point}")`);
    Contributions.check(point, second, { firstParty: false } as Extension);
  }
}
