import { parsePermission } from "./permission.ts";

const SEES: ReadonlySet<string> = new Set([
  ...["session:read", "session:list", "ui:input", "agent:context", "tools:input", "fs:read"],
  ...["env", "model:credentials"],
]);
const SENDS: ReadonlySet<string> = new Set(["net", "exec", "model:provider", "fs:write"]);
const OWN_FOLDERS = /^\$(?:DATA|PKG|TMP)(?:\/|$)/;

/**
 * The warning that a package may see something and may send something (extensions spec §6.5);
 * `undefined` if it cannot do both.
 */
export function pairWarning(permissions: readonly string[]): string | undefined {
  const beyond = permissions.filter(
    (text) => !OWN_FOLDERS.test(parsePermission(text)?.scope ?? ""),
  );
  const sees = beyond.filter((text) => SEES.has(parsePermission(text)?.name ?? ""));
  const sends = beyond.filter((text) => SENDS.has(parsePermission(text)?.name ?? ""));
  if (sees.length === 0 || sends.length === 0) return undefined;
  return `can send what it sees (${sees.join(", ")}) elsewhere (${sends.join(", ")})`;
}
