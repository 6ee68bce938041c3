import { type ErrorTable, errorMaker } from "../../core/index.ts";

/** Rows of the error table for packages (extensions spec §9): code → details → sentence. */
const packageErrors = {
  SOURCE_INVALID: (d: { source: string; forms: readonly string[] }) =>
    `${JSON.stringify(d.source)} is no source of a package; the forms are ${d.forms.join(", ")}`,
  SOURCE_NOT_FOUND: (d: { source: string; reason: string }) =>
    `${d.source} was not found: ${d.reason}; \`coppice ext search <words>\` looks for packages`,
  FETCH_FAILED: (d: { source: string; reason: string }) =>
    `${d.source} failed: ${d.reason}; nothing was changed`,
  REGISTRY_UNREACHABLE: (d: { host: string; reason: string }) =>
    `the registry ${d.host} cannot be reached (${d.reason}); what is installed works without it, ` +
    "`npm ping` shows whether npm reaches it",
  INTEGRITY_MISMATCH: (d: { package: string; expected: string; found: string; source?: string }) =>
    `${d.package} is not what it was: expected ${d.expected}, found ${d.found}; it is off, ` +
    `\`coppice ext install ${d.source ?? "<source>"}\` fetches it anew`,
  PACKAGE_INVALID: (d: { path: string; entry?: string; reason: string }) =>
    `${d.path}${d.entry === undefined ? "" : ` entry ${JSON.stringify(d.entry)}`}: ${d.reason}; ` +
    "nothing was unpacked",
  DEPENDENCIES_FAILED: (d: { package: string; reason: string }) =>
    `the dependencies of ${d.package} were not installed: ${d.reason}; nothing was installed`,
  API_RANGE: (d: { extension: string; range: string; version: string }) =>
    `${d.extension} asks for version ${d.range} of the extension API, this is ${d.version}; ` +
    "it stays off until a fitting version is installed (`coppice ext update`)",
  CONSENT_REQUIRED: (d: { extension: string; permissions: readonly string[]; command: string }) =>
    `${d.extension} waits for consent${d.permissions.length > 0 ? ` to ${d.permissions.join(", ")}` : ""}; ` +
    `\`${d.command}\` gives it`,
  PROJECT_NOT_TRUSTED: (d: { path: string; brings: readonly string[] }) =>
    `${d.path} is not trusted, so what it brings (${d.brings.join(", ")}) has no effect; ` +
    "--approve trusts it for one run",
  EXTENSION_NOT_FOUND: (d: { id: string; known: readonly string[] }) =>
    `no extension is called ${JSON.stringify(d.id)}${
      d.known.length > 0 ? `; there are ${d.known.join(", ")}` : "; none is installed"
    }`,
  PACKAGE_MISSING: (d: { extension: string; path: string; source: string }) =>
    `the files of ${d.extension} are gone (${d.path}); \`coppice ext install ${d.source}\` fetches them`,
  STATE_INVALID: (d: { path: string; reason: string; remedy: string }) =>
    `${d.path}: ${d.reason}; ${d.remedy}`,
  STATE_WRITE_FAILED: (d: { path: string; reason: string }) =>
    `cannot write ${d.path}: ${d.reason}; nothing was changed`,
  PERMISSION_UNKNOWN: (d: { permission: string; allowed: readonly string[] }) =>
    `${JSON.stringify(d.permission)} is no permission${
      d.allowed.length > 0 ? `; it can be ${d.allowed.join(", ")}` : ""
    }`,
} satisfies ErrorTable;

/** Makes an error of the table of packages; the caller throws or reports it. */
export const packageError = errorMaker(packageErrors);
