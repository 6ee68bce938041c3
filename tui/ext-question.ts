import {
  type ConsentAnswer,
  type ConsentQuestion,
  parsePermission,
  RUNNERS,
  revealHidden,
  riskOf,
} from "../host/index.ts";
import type { LineQuestions } from "./terminal-question.ts";

type Say = (line: string) => void;

/**
 * Asks on a terminal whether a package is switched on, and with what (extensions spec §5.3, §6.4). An
 * empty line, an unknown answer or the end of the input is no. `undefined`: cancelled.
 */
export async function askConsent(
  question: ConsentQuestion,
  say: Say,
  questions: LineQuestions,
): Promise<ConsentAnswer | undefined> {
  for (const line of questionLines(question)) say(line);
  const canChoose = question.open.length > 0;
  const choose = canChoose ? ", [c]hoose one by one" : "";
  const all = canChoose ? "[y]es, with all" : "[y]es";
  const answer = (await questions.ask(`${verbOf(question)}? ${all}${choose}, [N]o: `)) ?? "";
  if (/^y(?:es)?$/i.test(answer)) return withAll(question, questions);
  return canChoose && /^c(?:hoose)?$/i.test(answer) ? oneByOne(question, questions) : undefined;
}

function verbOf({ purpose }: ConsentQuestion): string {
  const verbs = {
    install: "Install and switch on",
    update: "Use the new version",
    enable: "Switch on",
    run: "Load for this run",
  };
  return verbs[purpose];
}

/** What it is, what it has, what it asks, what it will ask, and what that means together. */
function questionLines(question: ConsentQuestion): readonly string[] {
  const { id, version, source, entries, plan, open, warning, remarks } = question;
  const flavours = [...new Set(entries.map(({ flavour }) => flavour))].join(", ");
  const count = entries.length === 1 ? "1 module" : `${entries.length} modules`;
  const known = plan.isDeclared
    ? "it declares what it needs, and is held to that"
    : "it declares nothing: this was found in its code, which has not run";
  return [
    revealHidden(`${id} ${version} from ${source}`),
    `  ${count}${flavours === "" ? "" : ` for ${flavours}`}; ${known}`,
    ...section("it has without asking:", plan.free, plan.reasons),
    ...section("it asks for:", open, plan.reasons),
    ...section("it asks when it happens:", plan.later, plan.reasons),
    ...(warning === undefined ? [] : [`  warning: it ${warning}`]),
    ...remarks.map((remark) => `  note: ${revealHidden(remark)}`),
  ];
}

function section(
  title: string,
  permissions: readonly string[],
  reasons: ConsentQuestion["plan"]["reasons"],
): readonly string[] {
  if (permissions.length === 0) return [];
  return [`  ${title}`, ...permissions.flatMap((text) => permissionLines(text, reasons))];
}

/** A permission with what it covers and its risk, and the author's words, marked as such. */
export function permissionLines(
  text: string,
  reasons: ConsentQuestion["plan"]["reasons"],
): readonly string[] {
  const permission = parsePermission(text);
  if (!permission) return [`    ${revealHidden(text)}  (unknown)`];
  const { row, scope, name } = permission;
  const isRunner = name === "exec" && RUNNERS.has(scope?.split("/").at(-1) ?? "");
  const more = isRunner ? "; this program runs others" : "";
  const line = `    ${revealHidden(text).padEnd(20)} ${row.covers}${more} (risk: ${riskOf(permission)})`;
  const reason = Object.hasOwn(reasons, text) ? reasons[text] : undefined;
  return reason === undefined ? [line] : [line, `      the author says: ${revealHidden(reason)}`];
}

/** What must be named is asked by its name, also after "all". */
async function withAll(
  { open, plan }: ConsentQuestion,
  questions: LineQuestions,
): Promise<ConsentAnswer> {
  const named = open.filter((text) => plan.explicit.includes(text));
  const { accept, deny } = await decideEach(named, questions);
  return { accept, deny, acceptAll: true };
}

async function oneByOne(
  { open }: ConsentQuestion,
  questions: LineQuestions,
): Promise<ConsentAnswer> {
  return { ...(await decideEach(open, questions)), acceptAll: false };
}

async function decideEach(permissions: readonly string[], questions: LineQuestions) {
  const accept: string[] = [];
  const deny: string[] = [];
  for (const text of permissions) {
    const prompt = `  ${revealHidden(text)}: [a]llow, [n]ever, [L]ater: `;
    const answer = (await questions.ask(prompt)) ?? "";
    if (/^a(?:llow)?$/i.test(answer)) accept.push(text);
    if (/^n(?:ever)?$/i.test(answer)) deny.push(text);
  }
  return { accept, deny };
}

/** *Run trusted* is chosen by typing the id (extensions spec §6.6). */
export async function confirmTrusted(
  id: string,
  say: Say,
  questions: LineQuestions,
): Promise<boolean> {
  say(`${id} would run outside the sandbox: with all your rights, no permission is checked,`);
  say("and it can read, change and send whatever you can. This ends with any change of its files.");
  return (await questions.ask("Type its id to confirm: ")) === id;
}
