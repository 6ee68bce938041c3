import type { ReadonlySessionManager } from "../api.ts";
import { hostError } from "../errors.ts";
import { getter, type Method, method } from "./method.ts";

type Query = Exclude<keyof ReadonlySessionManager, "getHeader">;

/** Queries of the session and the permission each needs (extensions spec §2.7). */
const QUERIES: readonly (readonly [Query, string?])[] = [
  ["getBranch", "session:read"],
  ["getEntries", "session:read"],
  ["getChildren", "session:read"],
  ["getIndex", "session:read"],
  ["getTree", "session:read"],
  ["getEntry", "session:read"],
  ["getLeafEntry", "session:read"],
  ["getLabel", "session:read"],
  ["getLabelInForce", "session:read"],
  ["buildSessionContext", "session:read"],
  ["getSessionFile", "session:read"],
  ["getSessionDir", "session:read"],
  ["getLeafId"],
  ["getSessionId"],
  ["getSessionName"],
  ["getFileVersion"],
  ["getCwd"],
  ["isPersisted"],
  ["isReadOnly"],
  ["getDiagnostics"],
];

/** Rows of the read-only session manager; nothing in it moves the leaf or writes. */
const queries: readonly Method[] = QUERIES.map(([name, permission]) => ({
  name: `ctx.sessionManager.${name}`,
  box: "mirror",
  args: ["any"],
  run({ runtime }, argument) {
    const manager = runtime.session.sessionManager as unknown as ReadonlySessionManager;
    return (manager[name] as (argument?: unknown) => unknown)(argument);
  },
  ...(permission !== undefined && { permission }),
}));

/** What writes belongs to `ctx.navigateTree` and its like; the names say so (extensions spec §2.7). */
const writers: readonly Method[] = [
  "branch",
  "resetLeaf",
  "branchWithSummary",
  "newSession",
  "createBranchedSession",
].map((name) => ({ name: `ctx.sessionManager.${name}`, box: "in", args: [], run: refuse(name) }));

export const session: readonly Method[] = [
  ...queries,
  ...writers,
  method({
    name: "ctx.sessionManager.getHeader",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.session.sessionManager.getHeader(),
  }),
  method({
    name: "api.appendEntry",
    box: "post",
    permission: "session:append",
    args: ["string", "any"],
    run({ runtime }, customType: string, data: unknown) {
      runtime.session.sessionManager.appendCustomEntry(customType, data);
      runtime.session.announce({ type: "tree_changed" });
    },
  }),
  method({
    name: "api.setLabel",
    box: "post",
    permission: "session:label",
    args: ["string", "string?"],
    run({ runtime }, entryId: string, label: string | undefined) {
      runtime.session.sessionManager.appendLabelChange(entryId, label ?? undefined);
      runtime.session.announce({ type: "tree_changed" });
    },
  }),
  method({
    name: "api.setSessionName",
    box: "post",
    permission: "session:label",
    args: ["string"],
    run: ({ runtime }, name: string) => runtime.session.setName(name),
  }),
  method({
    name: "api.getSessionName",
    box: "mirror",
    args: [],
    run: ({ runtime }) => runtime.session.sessionManager.getSessionName(),
  }),
  getter("ctx.cwd", ({ runtime }) => runtime.session.sessionManager.getCwd()),
];

function refuse(name: string): Method["run"] {
  return () => {
    throw hostError("NOT_SUPPORTED", {
      member: `ctx.sessionManager.${name}`,
      instead: "ctx.navigateTree, ctx.branch, api.appendEntry or api.setLabel",
    });
  };
}
