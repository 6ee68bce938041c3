import { coreError } from "../core/index.ts";
import type { CommandInfo, CommandOptions } from "./api.ts";
import type { Instance } from "./extension.ts";
import { type Claim, NameTable } from "./names.ts";
import type { Reports } from "./reports.ts";

interface CommandClaim extends Claim {
  readonly options: CommandOptions;
  readonly instance: Instance;
}

export interface Command {
  /** The name it goes by; an alias where the plain one was taken (extensions spec §4.4). */
  readonly name: string;
  readonly options: CommandOptions;
  readonly instance: Instance;
}

/** All slash commands by name. */
export class Commands {
  readonly #names: NameTable<CommandClaim>;

  constructor(reports: Reports, preferred: (name: string) => string | undefined = () => undefined) {
    const alias = (name: string, owner: string) => `${name}:${owner}`;
    this.#names = new NameTable({ kind: "command", reports, preferred, alias });
  }

  register(name: string, options: CommandOptions, instance: Instance): () => void {
    return this.#names.add({ name, options, instance, extension: instance.extension });
  }

  find(name: string): Command | undefined {
    const claim = this.#names.find(name);
    return claim && commandOf(name, claim);
  }

  all(): readonly Command[] {
    return this.#names
      .entries()
      .map(([name, claim]) => commandOf(name, claim))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  infos(): readonly CommandInfo[] {
    return this.all().map(({ name, options, instance }) => ({
      name,
      ...(options.description !== undefined && { description: options.description }),
      source: "extension",
      sourceInfo: instance.extension.id,
    }));
  }
}

/** Raises INVALID_ARGUMENT for what can be no name of a command (extensions spec §2.3). */
export function checkCommandName(name: string): void {
  if (/^[^\s/\p{Cc}]{1,64}$/u.test(name)) return;
  const reason = "a command name has 1 to 64 characters and no blank, control or /";
  throw coreError("INVALID_ARGUMENT", { argument: `command name ${JSON.stringify(name)}`, reason });
}

function commandOf(name: string, { options, instance }: CommandClaim): Command {
  return { name, options, instance };
}
