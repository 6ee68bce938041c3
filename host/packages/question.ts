import {
  type ConsentAnswer,
  type ConsentPlan,
  type Decided,
  decide,
  undecided,
} from "./consent.ts";
import { packageError } from "./errors.ts";
import type { EntryFlavour } from "./flavour.ts";
import { pairWarning } from "./pairs.ts";

/** What the question before a package is switched on says (extensions spec §5.3, §6.4). */
export interface ConsentQuestion {
  readonly purpose: "install" | "update" | "enable" | "run";
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly entries: readonly EntryFlavour[];
  readonly plan: ConsentPlan;
  /** What is decided already. */
  readonly decided: Decided;
  /** Of the plan: what this answer decides. */
  readonly open: readonly string[];
  /** That it can send what it sees elsewhere. */
  readonly warning: string | undefined;
  readonly remarks: readonly string[];
}

/** Asks a person; `undefined` is no. */
export type AskConsent = (question: ConsentQuestion) => Promise<ConsentAnswer | undefined>;

/** How consent is given: by options of the command line, by a person, or not now. */
export interface ConsentWay {
  /** `--yes`. */
  readonly yes: boolean;
  readonly accept: readonly string[];
  readonly acceptAll: boolean;
  readonly deny: readonly string[];
  /** Absent where there is nobody to ask. */
  readonly ask?: AskConsent | undefined;
}

export type Consent =
  | { readonly kind: "given"; readonly decided: Decided; readonly by: "answer" | "command line" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "waiting"; readonly decided: Decided };

type Questioned = Omit<ConsentQuestion, "open" | "warning">;

/** Gets the consent to switch a package on. Raises PERMISSION_UNKNOWN for what it does not ask for. */
export async function consentTo(about: Questioned, way: ConsentWay): Promise<Consent> {
  const { plan, decided } = about;
  const given = decide(plan, decided, way);
  if (way.yes || way.acceptAll || way.accept.length > 0) {
    return { kind: "given", decided: given, by: "command line" };
  }
  if (!way.ask) return { kind: "waiting", decided: given };
  const answer = await way.ask(questionOf({ ...about, decided: given }));
  if (!answer) return { kind: "cancelled" };
  return { kind: "given", decided: decide(plan, given, answer), by: "answer" };
}

function questionOf(about: Questioned): ConsentQuestion {
  const { plan, decided } = about;
  const all = [...plan.asked, ...plan.explicit, ...plan.later, ...decided.granted];
  const possible = [...new Set(all)].filter((text) => !decided.denied.includes(text));
  return { ...about, open: undecided(plan, decided), warning: pairWarning(possible) };
}

/** The error for a package that waits, with the command that helps. */
export function consentRequired(extension: string, permissions: readonly string[], verb: string) {
  const options = permissions.map((permission) => ` --accept ${permission}`).join("");
  const command = `coppice ext ${verb} ${extension}${options === "" ? " --yes" : options}`;
  return packageError("CONSENT_REQUIRED", { extension, permissions, command });
}
