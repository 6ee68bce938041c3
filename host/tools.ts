import { hostError } from "./errors.ts";
import type { Instance } from "./extension.ts";
import type { Tool } from "./model-types.ts";
import { type Claim, NameTable } from "./names.ts";
import type { Reports } from "./reports.ts";
import { checkTool, IGNORED_FIELDS } from "./tools-check.ts";
import type { ToolDefinition, ToolInfo } from "./tools-types.ts";

/** A tool as the agent runs it. */
export interface RegisteredTool {
  /** The name the model calls it by; an alias where the plain one was taken. */
  readonly name: string;
  readonly definition: ToolDefinition;
  /** The JSON Schema of its arguments: plain data of the host's own. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly instance: Instance;
}

type ToolClaim = Omit<RegisteredTool, "name"> & Claim;

/** Characters of a name that a model can call; of them for an alias before its count. */
const MAX_NAME = 64;
const MAX_ALIAS = 60;

/** All tools by the names that models call them by (extensions spec §2.9, §4.4). */
export class Tools {
  readonly #reports: Reports;
  readonly #names: NameTable<ToolClaim>;
  readonly #active = new WeakSet<ToolClaim>();

  constructor(reports: Reports, preferred: (name: string) => string | undefined = () => undefined) {
    this.#reports = reports;
    this.#names = new NameTable({ kind: "tool", reports, preferred, alias });
  }

  /** Adds a tool and gives its undo. Raises INVALID_ARGUMENT for what can be no tool. */
  register(definition: ToolDefinition, instance: Instance): () => void {
    const parameters = JSON.parse(checkTool(definition)) as ToolClaim["parameters"];
    const { extension } = instance;
    const name = modelName(definition.name, MAX_NAME);
    const claim = { name, definition, parameters, instance, extension };
    if (definition.defaultActive !== false) this.#active.add(claim);
    this.#reportIgnored(claim);
    return this.#names.add(claim);
  }

  /** Those that the model is told of, in load order. */
  active(): readonly RegisteredTool[] {
    return this.#names
      .entries()
      .filter(([, claim]) => this.#active.has(claim))
      .map(([name, claim]) => ({ ...claim, name }));
  }

  /** From now on exactly these are active, of those that are registered now. */
  setActive(names: readonly string[]): void {
    for (const [name, claim] of this.#names.entries()) {
      if (names.includes(name)) this.#active.add(claim);
      else this.#active.delete(claim);
    }
  }

  infos(): readonly ToolInfo[] {
    return this.#names.entries().map(([name, { definition, parameters, extension }]) => ({
      name,
      ...(definition.label != null && { label: definition.label }),
      description: definition.description,
      parameters,
      sourceInfo: extension.id,
    }));
  }

  #reportIgnored({ definition, extension }: ToolClaim): void {
    const given = definition as unknown as Readonly<Record<string, unknown>>;
    const { id, version } = extension;
    for (const field of IGNORED_FIELDS.filter((name) => given[name] != null)) {
      const member = `api.registerTool with ${field}`;
      const { code, message } = hostError("NOT_SUPPORTED", { member });
      this.#reports.add({ code, extension: id, version, where: member, message });
    }
  }
}

/** Tools as a model is told of them. */
export function toolsForModel(tools: readonly RegisteredTool[]): readonly Tool[] {
  return tools.map(({ name, definition: { description }, parameters }) => ({
    name,
    description,
    parameters,
  }));
}

function alias(name: string, owner: string): string {
  const end = `__${owner}`.slice(0, MAX_ALIAS / 2);
  return modelName(`${name.slice(0, MAX_ALIAS - end.length)}${end}`, MAX_ALIAS);
}

function modelName(name: string, length: number): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, length);
}
