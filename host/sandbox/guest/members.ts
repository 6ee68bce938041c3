import { coreError } from "../../../core/index.ts";
import { hostError } from "../../errors.ts";
import { misfit } from "../../shape.ts";
import { unsupported } from "../../unsupported.ts";
import type { GuestSettings, MemberRow, WireLease } from "../guest-settings.ts";
import { append, defineProperty, freeze, known, table, textFrom } from "./captured.ts";
import { markOwn } from "./guest-errors.ts";
import type { Mirror } from "./mirror.ts";

type Members = Record<string, unknown>;

/** Runs a member that has passed the checks. */
export type RunMember = (row: MemberRow, lease: WireLease, values: readonly unknown[]) => unknown;

export interface MemberParts {
  readonly settings: GuestSettings;
  readonly mirror: Mirror;
  /** Whether the instance of a key has ended. */
  isClosed(key: string): boolean;
  run: RunMember;
  report(code: string, member: string, message: string): void;
}

/** Makes the objects of extensions from the rows of the method table, as the host does in process. */
export class MemberMaker {
  readonly #parts: MemberParts;
  readonly #rows = table<MemberRow[]>();
  readonly #commandOnly = table<true>();

  constructor(parts: MemberParts) {
    this.#parts = parts;
    const { rows } = parts.settings;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as MemberRow;
      const group = groupOf(row.name);
      append(
        known(this.#rows, group, () => []),
        row,
      );
      if (row.commandOnly) this.#commandOnly[row.name] = true;
    }
    this.#commandOnly["ctx.reload"] = true;
  }

  /** The object of a root, `api` or `ctx`, whose groups are made when they are first read. */
  make(root: string, lease: WireLease): object {
    const top = this.#group(root, lease);
    for (const path in this.#rows) {
      if (path === root || textFrom(path, 0, root.length + 1) !== `${root}.`) continue;
      let group: object | undefined;
      const read = () => {
        group ??= this.#refusingUnknown(this.#group(path, lease), path, lease);
        return group;
      };
      defineProperty(top, textFrom(path, root.length + 1), { get: read, enumerable: true });
    }
    return this.#refusingUnknown(top, root, lease);
  }

  #group(path: string, lease: WireLease): Members {
    const members: Members = {};
    const rows = this.#rows[path] ?? [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as MemberRow;
      if (row.commandOnly && !lease.isCommand) continue;
      define(members, textFrom(row.name, path.length + 1), row, (values) =>
        this.#checked(row, lease, values),
      );
    }
    return members;
  }

  /** State, permission and arguments, in the order of the host. */
  #checked(row: MemberRow, lease: WireLease, values: readonly unknown[]): unknown {
    const { isClosed, mirror, run } = this.#parts;
    const { name: member, permission } = row;
    if (isClosed(lease.key)) throw markOwn(hostError("STALE_CONTEXT", { member }));
    if (mirror.get("phase") === "loading" && !row.inFactory) {
      throw markOwn(hostError("NOT_READY", { member }));
    }
    // A call waits for the host, which may ask a person.
    const isAskable = row.box === "call" && row.isAsync;
    if (!row.degrades && !isAskable) this.requirePermissions(permission, member);
    for (let i = 0; i < row.args.length; i++) {
      const reason = misfit(
        row.args[i] as MemberRow["args"][number],
        values[i],
        `argument ${i + 1}`,
      );
      if (reason !== undefined) {
        throw markOwn(coreError("INVALID_ARGUMENT", { argument: member, reason }));
      }
    }
    return run(row, lease, values);
  }

  requirePermissions(needed: readonly string[], member: string): void {
    const { mirror, settings } = this.#parts;
    for (let i = 0; i < needed.length; i++) {
      const permission = needed[i] as string;
      if (mirror.isGranted(permission)) continue;
      const { id: extension } = settings;
      throw markOwn(hostError("PERMISSION_UNDECLARED", { extension, permission, member }));
    }
  }

  /** Any other name raises NOT_SUPPORTED when it is used (extensions spec §1.3). */
  #refusingUnknown(members: Members, path: string, lease: WireLease): object {
    const { report } = this.#parts;
    return new Proxy(freeze(members), {
      get: (target, key, receiver) => {
        const member = `${path}.${String(key)}`;
        const isAbsent = !lease.isCommand && this.#commandOnly[member];
        if (typeof key === "symbol" || key in target || isAbsent) {
          return Reflect.get(target, key, receiver);
        }
        return unsupported(member, (error) => {
          markOwn(error);
          report(error.code, member, error.message);
        });
      },
    });
  }
}

function define(
  target: Members,
  name: string,
  row: MemberRow,
  run: (values: readonly unknown[]) => unknown,
): void {
  const member = (...values: readonly unknown[]) => run(values);
  if (row.getter) defineProperty(target, name, { get: () => run([]), enumerable: true });
  else if (row.isAsync) target[name] = async (...values: readonly unknown[]) => run(values);
  else target[name] = member;
}

function groupOf(name: string): string {
  let at = name.length - 1;
  while (name[at] !== ".") at--;
  return textFrom(name, 0, at);
}
