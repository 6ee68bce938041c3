import {
  coreError,
  errorMessage,
  isJsonObject,
  type ToolCallBlock,
  type ToolResultMessage,
} from "../core/index.ts";
import { ABORTED, orAborted, soonAfterAbort, unlessAborted } from "./abort.ts";
import type { ExtensionContext } from "./api.ts";
import type { Instance } from "./extension.ts";
import type { Hooks } from "./hooks.ts";
import { misfit, type Shape } from "./shape.ts";
import type { RegisteredTool, Tools } from "./tools.ts";
import { cutContent } from "./tools-cut.ts";
import type { ToolResult } from "./tools-types.ts";
import { misfitOfArguments } from "./tools-validate.ts";

/** What calls of tools need of the host. */
export interface ToolHost {
  readonly hooks: Hooks;
  readonly tools: Tools;
  /** Milliseconds since the epoch. */
  now(): number;
  contextFor(instance: Instance): ExtensionContext;
}

/** One result: as it is stored, and whether it asks for the end of the run. */
export interface CallOutcome {
  readonly message: ToolResultMessage;
  readonly terminate: boolean;
}

/** A call that has been asked about: what will run, or why it does not. */
type Asked = { readonly call: ToolCallBlock } & (
  | { readonly tool: RegisteredTool; readonly input: Input }
  | { readonly refusal: string }
);

type Input = Readonly<Record<string, unknown>>;

/** Milliseconds after Escape in which a tool may still give its result (sandbox spec §2.5). */
const GRACE_MS = 300;

const RESULT: Shape = {
  content: [{ type: "string" }],
  isError: "boolean?",
  terminate: "boolean?",
};

/**
 * Runs the calls of one reply: all are asked about in their order, then they run one after the
 * other. Whatever goes wrong with one is its result; after an abort the rest do not run.
 */
export async function* runToolCalls(
  host: ToolHost,
  calls: readonly ToolCallBlock[],
  signal: AbortSignal,
): AsyncGenerator<CallOutcome> {
  const asked: Asked[] = [];
  for (const call of calls) {
    if (!signal.aborted) asked.push(await ask(host, call, signal));
  }
  for (const one of asked) {
    if (signal.aborted) return;
    const result = "refusal" in one ? failure(one.refusal) : await run(host, one, signal);
    yield outcomeOf(host, one.call, result);
  }
}

/** Arguments are validated before handlers see them and after these have changed them (§2.9). */
async function ask(host: ToolHost, call: ToolCallBlock, signal: AbortSignal): Promise<Asked> {
  const { id: toolCallId, name: toolName } = call;
  const tool = host.tools.active().find(({ name }) => name === toolName);
  if (!tool) return { call, refusal: unknownTool(host.tools, toolName) };
  try {
    const prepared = await soonAfterAbort(prepare(tool, call), signal, GRACE_MS);
    const problem = await misfitOfArguments(tool.parameters, prepared);
    if (problem !== undefined || !isJsonObject(prepared)) {
      return { call, refusal: `The arguments do not fit: ${problem ?? "they are no object"}` };
    }
    const asked = { type: "tool_call", toolName, toolCallId, input: plain(prepared) } as const;
    const outcome = await orAborted(host.hooks.gate("tool_call", asked), signal);
    if (outcome.blocked) return { call, refusal: blockedText(outcome) };
    const { input } = outcome.payload;
    const later = outcome.by && (await misfitOfArguments(tool.parameters, input));
    if (later === undefined) return { call, tool, input };
    const culprit = outcome.by?.extension.id;
    return { call, refusal: `Blocked: ${culprit} has made the arguments invalid: ${later}` };
  } catch (error) {
    return { call, refusal: error === ABORTED ? ABORTED_TEXT : errorMessage(error) };
  }
}

const ABORTED_TEXT = "The call was aborted.";

async function prepare({ definition }: RegisteredTool, call: ToolCallBlock): Promise<unknown> {
  const args = plain(call.arguments);
  return definition.prepareArguments == null ? args : await definition.prepareArguments(args);
}

function unknownTool(tools: Tools, name: string): string {
  const names = tools.active().map((tool) => tool.name);
  const list = names.length === 0 ? "there are no tools" : `the tools are ${names.join(", ")}`;
  return `No tool is called ${JSON.stringify(name)}; ${list}.`;
}

function blockedText(outcome: { reason: string; by: Instance | undefined }): string {
  const { reason, by } = outcome;
  const who = by ? ` by the extension ${by.extension.id}` : "";
  return `The call was blocked${who}${reason === "" ? "." : `: ${reason}`}`;
}

async function run(
  host: ToolHost,
  asked: Extract<Asked, { readonly tool: RegisteredTool }>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { call, input } = asked;
  const { hooks } = host;
  const facts = { toolName: call.name, toolCallId: call.id };
  const start = { type: "tool_execution_start", ...facts, args: input } as const;
  await unlessAborted(hooks.after(start.type, start), signal, undefined);
  const result = await execute(host, asked, signal);
  const { content, details, isError = false } = result;
  const given = { type: "tool_result", ...facts, input, content, details, isError } as const;
  const asIs = { payload: given };
  const told = await unlessAborted(hooks.transform(given.type, given), signal, asIs);
  const patched = changed(result, told.payload);
  const end = { type: "tool_execution_end", ...facts, result: patched } as const;
  const sent = hooks.after(end.type, { ...end, isError: patched.isError === true });
  await unlessAborted(sent, signal, undefined);
  return patched;
}

/** A result as handlers have left it, by the same rules as one that a tool gives. */
function changed(
  before: ToolResult,
  { content, details, isError }: Pick<ToolResult, "content" | "details" | "isError">,
): ToolResult {
  const { terminate } = before;
  const isSame = content === before.content;
  try {
    const patched = resultOf({ content: isSame ? [] : content, details, isError, terminate });
    return isSame ? { ...patched, content } : patched;
  } catch (error) {
    return failure(`What a handler made of the result is no result: ${errorMessage(error)}`);
  }
}

async function execute(
  { hooks, contextFor }: ToolHost,
  { call, tool, input }: Extract<Asked, { readonly tool: RegisteredTool }>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { definition, instance } = tool;
  let isOver = false;
  const onUpdate = (partialResult: ToolResult): void => {
    if (isOver) return;
    const type = "tool_execution_update";
    const facts = { type, toolName: call.name, toolCallId: call.id, args: input } as const;
    void hooks.after(type, { ...facts, partialResult: plain(partialResult) });
  };
  const work = async () =>
    definition.execute(call.id, plain(input), signal, onUpdate, contextFor(instance));
  try {
    return resultOf(await soonAfterAbort(work(), signal, GRACE_MS));
  } catch (error) {
    return failure(error === ABORTED ? ABORTED_TEXT : errorMessage(error));
  } finally {
    isOver = true;
  }
}

/** What a tool gave as plain data, cut to what a model is sent. Raises INVALID_ARGUMENT. */
function resultOf(value: unknown): ToolResult {
  const reason = misfit(RESULT, value, "the result");
  if (reason !== undefined) throw coreError("INVALID_ARGUMENT", { argument: "execute", reason });
  const { content, details, isError, terminate } = plain(value as ToolResult);
  return {
    content: cutContent(content.filter(isContent)),
    ...(details != null && { details }),
    ...(isError != null && { isError }),
    ...(terminate != null && { terminate }),
  };
}

function isContent(block: ToolResult["content"][number]): boolean {
  if (block.type === "text") return typeof block.text === "string";
  const isImage = block.type === "image";
  return isImage && typeof block.data === "string" && typeof block.mimeType === "string";
}

/** A copy without anything that is no JSON. Throws for a cycle or a BigInt. */
function plain<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function outcomeOf({ now }: ToolHost, call: ToolCallBlock, result: ToolResult): CallOutcome {
  const { content, details, isError = false, terminate = false } = result;
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    isError,
    ...(details !== undefined && { details }),
    timestamp: now(),
  };
  return { message, terminate };
}
