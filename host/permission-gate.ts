import type { Budget } from "./budget.ts";
import { hostError } from "./errors.ts";
import type { Extension, Instance } from "./extension.ts";
import type { GrantAnswer, Grants } from "./packages/grants.ts";
import { pairWarning } from "./packages/pairs.ts";
import { parsePermission, riskOf } from "./packages/permission.ts";
import { undeclared } from "./permissions.ts";
import { revealHidden } from "./text/index.ts";
import type { UserInterface } from "./ui.ts";

/** The answers to a question, the safe one first: it is what Enter chooses and what Escape is. */
const ANSWERS: readonly { readonly label: string; readonly answer: GrantAnswer }[] = [
  { label: "Not now", answer: "not now" },
  { label: "Once", answer: "once" },
  { label: "For this session", answer: "session" },
  { label: "Always", answer: "always" },
  { label: "Never", answer: "never" },
];

const MEANING: Readonly<Record<GrantAnswer, string>> = {
  "not now": "refuse this call",
  once: "allow this call",
  session: "allow it until the session or the program ends",
  always: "allow it from now on; `coppice ext permissions` takes it back",
  never: "refuse it from now on",
};

/**
 * Asks the person about permissions of packages that nobody has decided yet (extensions spec §6.4). The
 * question is the host's: it names package, member, risk and the author's reason, and no dialog of an
 * extension looks like it, as theirs name the extension in front.
 */
export class PermissionGate {
  readonly #grants: Grants;
  readonly #ui: () => UserInterface;
  readonly #asked = new Map<string, Promise<GrantAnswer>>();

  constructor(grants: Grants, ui: () => UserInterface) {
    this.#grants = grants;
    this.#ui = ui;
  }

  /**
   * Settles when a package may do what needs a permission; gives what ends that if it is for one call
   * only. Raises PERMISSION_UNDECLARED, PERMISSION_DENIED, STATE_WRITE_FAILED.
   */
  async admit(
    instance: Instance,
    permission: string,
    member: string,
    budget?: Budget,
  ): Promise<() => void> {
    const { extension } = instance;
    const grant = this.#grants.check(extension, permission);
    const log = (decision: string, by: "undeclared" | "stored" | "answer" | "no terminal") =>
      this.#grants.audit(extension, { permission, member, decision, by });
    if (grant === "granted") return held(extension, permission);
    if (grant === "undeclared") {
      log("refused", "undeclared");
      throw undeclared(instance, permission, member);
    }
    if (grant === "refused" || !this.#ui().hasUI) {
      log("refused", grant === "refused" ? "stored" : "no terminal");
      throw denied(extension, permission, member);
    }
    const asking = this.#ask(extension, permission, member);
    const answer = await (budget ? budget.pauseFor(asking) : asking);
    log(answer, "answer");
    if (answer === "not now" || answer === "never") throw denied(extension, permission, member);
    return answer === "once" ? held(extension, permission) : () => undefined;
  }

  /** One question at a time for a permission of a package; its answer is for all who wait for it. */
  #ask(extension: Extension, permission: string, member: string): Promise<GrantAnswer> {
    const key = `${extension.id}\n${permission}`;
    let asked = this.#asked.get(key);
    if (!asked) {
      asked = this.#question(extension, permission, member).finally(() => this.#asked.delete(key));
      this.#asked.set(key, asked);
    }
    return asked;
  }

  async #question(extension: Extension, permission: string, member: string): Promise<GrantAnswer> {
    const options = ANSWERS.map(({ label, answer }) => ({ label, description: MEANING[answer] }));
    const title = questionText(extension, permission, member);
    const chosen = await this.#ui().select(title, options, {});
    const answer = ANSWERS.find(({ label }) => label === chosen)?.answer ?? "not now";
    await this.#grants.answer(extension, permission, answer);
    return answer;
  }
}

function questionText(extension: Extension, permission: string, member: string): string {
  const { id, version, package: about } = extension;
  const parsed = parsePermission(permission);
  const reason = about?.reasons[permission];
  const holds = [...(about?.changing?.held ?? []), permission];
  const warning = pairWarning(holds);
  const parts = [
    `Permission: ${revealHidden(id)} ${version} wants ${permission} for ${member}`,
    parsed && `risk: ${riskOf(parsed)}`,
    parsed?.row.covers,
    reason !== undefined && `its author says: ${revealHidden(reason)}`,
    warning,
  ];
  return parts.filter((part) => typeof part === "string").join(" · ");
}

/** Lets a package hold a permission until the end of a call. */
function held({ package: about }: Extension, permission: string): () => void {
  const holding = about?.changing?.held;
  if (!holding || holding.has(permission)) return () => undefined;
  holding.add(permission);
  return () => holding.delete(permission);
}

function denied({ id: extension }: Extension, permission: string, member: string) {
  return hostError("PERMISSION_DENIED", { extension, permission, member });
}
