import type { CoppiceError } from "../core/index.ts";
import { hostError } from "./errors.ts";

/** Names that are asked for without being used: of promises, of JSON, of modules. */
const EXEMPT: ReadonlySet<string> = new Set(["then", "toJSON", "__esModule"]);
/** Optional in the peers' own types, or tested for by packages: absent (extensions spec §1.3). */
const OPTIONAL: ReadonlySet<string> = new Set([
  "api.unregisterTool",
  "ctx.runEphemeralTurn",
  "ctx.memory",
  "ctx.localProtocolOptions",
  "ctx.invokeTool",
  "ctx.addAdditionalContext",
  "ctx.sendMessage",
  "ctx.sendUserMessage",
  "ctx.ui.askDialog",
  "ctx.ui.timeoutStartsOnPresentation",
]);
/** They only change looks: accepted, without effect, and reported (extensions spec §1.3 rule 2). */
const QUIET: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...[
    "api.registerMarkdownTransformer",
    "api.registerToolRenderer",
    "api.registerAssistantThinkingRenderer",
    "api.registerComposerShape",
  ].map((name) => [name, () => undefined] as const),
  ["ctx.ui.getToolsExpanded", false],
  ["ctx.ui.setToolsExpanded", undefined],
  ["ctx.ui.getEditorComponent", undefined],
]);
/** What writes or moves the leaf has another way (extensions spec §2.7). */
const WRITER = /^ctx\.sessionManager\.(append|branch|resetLeaf|newSession|setSessionFile|create)/;
const LEAF_WAYS = "ctx.navigateTree, ctx.branch, api.appendEntry or api.setLabel";

class Unsupported {}

/** Whether a name may be read from anything without being used (extensions spec §1.3). */
export function isExempt(key: string | symbol): boolean {
  return typeof key === "symbol" || EXEMPT.has(key) || key in Object.prototype;
}

/**
 * What stands for a member this host does not have: calling it, constructing it or using a member of
 * it raises NOT_SUPPORTED; `undefined` for names that packages test for (extensions spec §1.3).
 */
export function unsupported(
  member: string,
  report: (error: CoppiceError) => void,
  instead = WRITER.test(member) ? LEAF_WAYS : undefined,
): unknown {
  const name = member.slice(member.lastIndexOf(".") + 1);
  if (EXEMPT.has(name) || OPTIONAL.has(member)) return undefined;
  if (QUIET.has(member)) {
    return () => {
      report(hostError("NOT_SUPPORTED", { member, instead }));
      return QUIET.get(member);
    };
  }
  const refuse = (): never => {
    const error = hostError("NOT_SUPPORTED", { member, instead });
    report(error);
    throw error;
  };
  return new Proxy(Unsupported, {
    apply: refuse,
    construct: refuse,
    set: refuse,
    get(target, key, receiver) {
      // A class may be derived from it, and fails when it is constructed.
      const isFree = key === "prototype" || isExempt(key);
      return isFree ? Reflect.get(target, key, receiver) : refuse();
    },
  });
}
