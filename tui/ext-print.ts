import type {
  AuditRecord,
  Finding,
  InstallResult,
  PackageInfo,
  PackageLine,
  PermissionsResult,
  RemoveResult,
  SearchHit,
  SwitchResult,
  UpdateResult,
} from "../host/index.ts";
import { permissionLines } from "./ext-question.ts";

type Lines = readonly string[];

/** Columns as wide as their longest cell. */
function table(rows: readonly Lines[]): Lines {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

export function listLines(lines: readonly PackageLine[]): Lines {
  if (lines.length === 0)
    return ["no extensions are installed; `coppice ext search <words>` looks"];
  const rows = lines.map(({ id, version, state, scope, source }) => [
    id,
    version,
    state,
    scope,
    source,
  ]);
  const problems = lines.flatMap(({ problem }) =>
    problem ? [`${problem.code}: ${problem.message}`] : [],
  );
  return [...table(rows), ...problems];
}

export function searchLines(hits: readonly SearchHit[]): Lines {
  if (hits.length === 0) return ["nothing was found"];
  return table(hits.map(({ name, version, description }) => [name, version, description]));
}

export function installLines({ id, version, state, waiting, later }: InstallResult): Lines {
  if (state === "cancelled") return [`${id} was not installed`];
  const words = {
    active: "is installed and on",
    off: "is installed and off",
    "needs-consent": "is installed and waits for consent: none of it runs",
    "update-pending": "is there and waits for consent; the version in use runs on",
  };
  return [
    `${id} ${version} ${words[state]}`,
    ...(waiting.length > 0 ? [`not decided: ${waiting.join(", ")}`] : []),
    ...(later.length > 0 ? [`asks when it happens: ${later.join(", ")}`] : []),
  ];
}

const OUTCOMES: Readonly<Record<UpdateResult["outcome"], string>> = {
  current: "is the newest",
  fixed: "does not move: an exact version, or used in place",
  available: "can be updated",
  active: "is updated",
  off: "is updated, and off",
  "needs-consent": "waits for consent",
  "update-pending": "waits for consent; the version in use runs on",
  cancelled: "was not updated",
  failed: "could not be updated",
};

export function updateLines(results: readonly UpdateResult[]): Lines {
  if (results.length === 0) return ["nothing is installed"];
  return results.flatMap(({ id, from, to, outcome, waiting, error }) => [
    `${id} ${from === to ? from : `${from} → ${to}`} ${OUTCOMES[outcome]}`,
    ...(error ? [`  ${error.code}: ${error.message}`] : []),
    ...(waiting.length > 0 ? [`  asks for: ${waiting.join(", ")}`] : []),
  ]);
}

export function removeLines({ id, version, keptData }: RemoveResult): Lines {
  const kept = keptData === null ? [] : [`its data stays in ${keptData}`];
  return [`${id} ${version} is removed`, ...kept];
}

export function switchLines({ id, state, waiting }: SwitchResult): Lines {
  const words = {
    active: "is on",
    off: "is off",
    "needs-consent": "waits for consent: none of it runs",
    cancelled: "stays as it was",
  };
  return [
    `${id} ${words[state]}`,
    ...(waiting.length > 0 ? [`not decided: ${waiting.join(", ")}`] : []),
  ];
}

export function doctorLines(findings: readonly Finding[]): Lines {
  if (findings.length === 0) return ["nothing is wrong"];
  return findings.map(
    ({ about, code, problem, remedy }) => `${about}: ${code}: ${problem} → ${remedy}`,
  );
}

export function infoLines(info: PackageInfo): Lines {
  const { id, version, description, source, integrity, state, entries, registers, error } = info;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["source", source],
    ["integrity", integrity ?? undefined],
    ["state", state + (info.isTrusted ? ", runs trusted: with all your rights" : "")],
    ["skills", info.skills.join(", ")],
    ["prompts", info.prompts.join(", ")],
    ["themes", info.themes.join(", ")],
    ["commands", registers?.commands.join(", ")],
    ["tools", registers?.tools.join(", ")],
    ["flags", registers?.flags.join(", ")],
    ["shortcuts", registers?.shortcuts.join(", ")],
    ["events", registers?.events.join(", ")],
    ["data", info.dataFolder],
    ["engines", pairsOf(info.engines)],
    ["peers", pairsOf(info.peers)],
  ];
  const shown = facts.flatMap(([name, value]) => (value ? [`  ${name.padEnd(10)} ${value}`] : []));
  return [
    `${id} ${version}${description === "" ? "" : `: ${description}`}`,
    ...shown,
    ...entries.map(({ path, flavour, reason }) => `  entry      ${path} (${flavour}: ${reason})`),
    ...planLines(info),
    ...(info.pending
      ? [`  update ${info.pending.version} waits: ${info.pending.waiting.join(", ")}`]
      : []),
    ...(info.warning === undefined ? [] : [`  warning: it ${info.warning}`]),
    ...info.remarks.map((remark) => `  note: ${remark}`),
    ...(error ? [`  ${error.code}: ${error.message}`] : []),
  ];
}

export function permissionsLines(result: PermissionsResult): Lines {
  const { id, version, isTrusted } = result;
  const trusted = isTrusted ? ["  runs trusted: with all your rights, nothing is checked"] : [];
  return [`${id} ${version}`, ...trusted, ...planLines(result)];
}

function planLines({ plan, permissions }: Pick<PermissionsResult, "plan" | "permissions">): Lines {
  const { granted, denied } = permissions;
  const all = [...plan.free, ...plan.asked, ...plan.explicit, ...plan.later, ...granted, ...denied];
  const how = plan.isDeclared ? "declared" : "found in its code";
  const decisionOf = (text: string) => {
    if (denied.includes(text)) return "never";
    if (granted.includes(text) || plan.free.includes(text)) return "granted";
    return plan.unknown.includes(text) ? "unknown" : "asks";
  };
  return [...new Set([...all, ...plan.unknown])].flatMap((text, i) => [
    ...(i === 0 ? [`  permissions, ${how}:`] : []),
    ...permissionLines(text, plan.reasons).map((line, j) =>
      j === 0 ? `${line} [${decisionOf(text)}]` : line,
    ),
  ]);
}

export function logLines(records: readonly (AuditRecord & { readonly time?: string })[]): Lines {
  if (records.length === 0) return ["nothing was logged"];
  return records.map(({ time = "", event, version, permission, object, member, decision, by }) =>
    [time, event, version, permission, object, member, decision, by && `(${by})`]
      .filter((part) => part !== undefined && part !== "")
      .join(" "),
  );
}

function pairsOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
