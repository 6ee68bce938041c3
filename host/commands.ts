import { coreError } from "../core/index.ts";
import type { CommandInfo, CommandOptions } from "./api.ts";
import type { Extension, Instance } from "./extension.ts";
import type { Reports } from "./reports.ts";

export interface Command {
  /** The name it goes by; an alias where the plain one was taken (extensions spec §4.4). */
  readonly name: string;
  readonly options: CommandOptions;
  readonly instance: Instance;
}

/** All slash commands by name. First-party names are reserved; nothing is ever dropped. */
export class Commands {
  readonly #reports: Reports;
  readonly #commands = new Map<string, Command>();

  constructor(reports: Reports) {
    this.#reports = reports;
  }

  register(name: string, options: CommandOptions, instance: Instance): () => void {
    checkName(name);
    const free = this.#freeName(name, instance.extension);
    const command: Command = { name: free, options, instance };
    this.#commands.set(free, command);
    return () => {
      if (this.#commands.get(free) === command) this.#commands.delete(free);
    };
  }

  find(name: string): Command | undefined {
    return this.#commands.get(name);
  }

  all(): readonly Command[] {
    return [...this.#commands.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  infos(): readonly CommandInfo[] {
    return this.all().map(({ name, options, instance }) => ({
      name,
      ...(options.description !== undefined && { description: options.description }),
      source: "extension",
      sourceInfo: instance.extension.id,
    }));
  }

  #freeName(name: string, extension: Extension): string {
    const holder = this.#commands.get(name);
    if (!holder) return name;
    if (extension.firstParty && !holder.instance.extension.firstParty) {
      this.#commands.set(this.#alias(name, holder.instance.extension), holder);
      return name;
    }
    return this.#alias(name, extension, holder.instance.extension);
  }

  #alias(name: string, extension: Extension, holder?: Extension): string {
    const plain = `${name}:${extension.shortId}`;
    let alias = plain;
    for (let n = 2; this.#commands.has(alias); n++) alias = `${plain}-${n}`;
    const message = `/${name} belongs to ${holder?.id ?? "coppice"}; it is here as /${alias}`;
    const { id, version } = extension;
    this.#reports.add({ code: "NAME_TAKEN", extension: id, version, where: name, message });
    return alias;
  }
}

function checkName(name: string): void {
  if (/^[^\s/\p{Cc}]{1,64}$/u.test(name)) return;
  const reason = "a command name has 1 to 64 characters and no blank, control or /";
  throw coreError("INVALID_ARGUMENT", { argument: `command name ${JSON.stringify(name)}`, reason });
}
