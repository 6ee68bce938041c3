import type { NavigateTreeOptions, WithSession } from "../api.ts";
import type { NewSessionOptions } from "../with-session.ts";
import { checkOneOf, type Method, method } from "./method.ts";

interface Following {
  readonly withSession?: WithSession;
}

const FOLLOWING = { withSession: "function?" } as const;

/** Session control: on the context of commands only (extensions spec §2.5). */
export const control: readonly Method[] = [
  method({
    name: "ctx.waitForIdle",
    box: "call",
    isAsync: true,
    commandOnly: true,
    args: [],
    run: ({ runtime }) => runtime.session.waitForIdle(),
  }),
  method({
    name: "ctx.navigateTree",
    box: "call",
    isAsync: true,
    permission: "session:navigate",
    commandOnly: true,
    args: [
      "string",
      [
        "?",
        {
          summarize: "boolean?",
          customInstructions: "string?",
          replaceInstructions: "boolean?",
          label: "string?",
          signal: "signal?",
          onProgress: "function?",
        },
      ],
    ],
    run: ({ runtime }, targetId: string, options?: NavigateTreeOptions) =>
      runtime.session.navigateTree(targetId, options),
  }),
  method({
    name: "ctx.navigateBack",
    box: "call",
    isAsync: true,
    permission: "session:navigate",
    commandOnly: true,
    args: [],
    run: ({ runtime }) => runtime.session.navigateBack(),
  }),
  method({
    name: "ctx.branch",
    box: "call",
    isAsync: true,
    permission: "session:branch",
    commandOnly: true,
    args: ["string", ["?", FOLLOWING]],
    run: ({ runtime, instance }, entryId: string, options?: Following) =>
      runtime.session.branch(entryId, { withSession: options?.withSession, by: instance }),
  }),
  method({
    name: "ctx.fork",
    box: "call",
    isAsync: true,
    permission: "session:branch",
    commandOnly: true,
    args: ["string", ["?", { ...FOLLOWING, position: "string?" }]],
    run(
      { runtime, instance },
      entryId: string,
      options?: Following & { readonly position?: "before" | "at" },
    ) {
      const { position = "before", withSession } = options ?? {};
      checkOneOf("ctx.fork: position", position, ["before", "at"]);
      return runtime.session.branch(entryId, { position, withSession, by: instance });
    },
  }),
  method({
    name: "ctx.newSession",
    box: "call",
    isAsync: true,
    permission: "session:branch",
    commandOnly: true,
    args: [["?", { ...FOLLOWING, parentSession: "string?", setup: "function?" }]],
    run: ({ runtime, instance }, options?: Following & NewSessionOptions) =>
      runtime.session.newSession({ ...options, by: instance }),
  }),
  method({
    name: "ctx.switchSession",
    box: "call",
    isAsync: true,
    permission: "session:branch",
    commandOnly: true,
    args: ["string", ["?", FOLLOWING]],
    run: ({ runtime, instance }, path: string, options?: Following) =>
      runtime.session.switchSession(path, { withSession: options?.withSession, by: instance }),
  }),
];
