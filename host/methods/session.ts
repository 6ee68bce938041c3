import type { ReadonlySessionManager } from "../api.ts";
import { isGranted } from "../permissions.ts";
import { getter, type Method, method } from "./method.ts";

type Query = Exclude<
  keyof ReadonlySessionManager,
  "getHeader" | "getSessionFile" | "getSessionDir"
>;

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

export const session: readonly Method[] = [
  ...queries,
  method({
    name: "ctx.sessionManager.getSessionFile",
    box: "mirror",
    permission: "session:read",
    refused: () => undefined,
    args: [],
    run: ({ runtime }) => runtime.session.sessionManager.getSessionFile(),
  }),
  method({
    name: "ctx.sessionManager.getSessionDir",
    box: "mirror",
    permission: "session:read",
    refused: () => undefined,
    args: [],
    run: ({ runtime }) => runtime.session.sessionManager.getSessionDir(),
  }),
  method({
    name: "ctx.sessionManager.getHeader",
    box: "mirror",
    args: [],
    run({ runtime, instance }) {
      const header = runtime.session.sessionManager.getHeader();
      if (isGranted(instance, "session:read")) return header;
      const { parentSession: _, ...visible } = header;
      return visible;
    },
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
