import type { ServerResponse } from "node:http";

/** One step of a scripted reply. `hold` waits for a promise of the test; `cut` drops the connection. */
export type Step =
  | BlockStep
  | { readonly hold: PromiseLike<unknown> }
  | { readonly cut: true }
  | { readonly failure: { readonly type: string; readonly message: string } };

/** A step that is one content block. */
export type BlockStep =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly redacted: string }
  | { readonly tool: string; readonly id: string; readonly input: object };

export interface ScriptedStream {
  readonly steps?: readonly Step[];
  readonly stopReason?: string;
  /** Counts of the API: `input_tokens`, `output_tokens`, `cache_read_input_tokens`, … */
  readonly usage?: Readonly<Record<string, number>>;
}

type Send = (data: { readonly type: string; readonly [key: string]: unknown }) => Promise<void>;

/** Writes a reply as the server-sent events of the Messages API. */
export async function writeStream(
  response: ServerResponse,
  model: unknown,
  reply: ScriptedStream,
  pace?: () => Promise<unknown>,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send: Send = async (data) => {
    await pace?.();
    const part = `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
    await new Promise<void>((resolve) => response.write(part, () => resolve()));
  };
  const steps = reply.steps ?? [];
  const { output_tokens = 5, ...input } = { input_tokens: 10, ...reply.usage };
  await send({ type: "message_start", message: startOf(model, { ...input, output_tokens: 1 }) });
  await send({ type: "ping" });
  if (!(await writeSteps(response, send, steps))) return;
  const stopReason = steps.some((step) => "tool" in step) ? "tool_use" : "end_turn";
  const delta = { stop_reason: reply.stopReason ?? stopReason, stop_sequence: null };
  await send({ type: "message_delta", delta, usage: { output_tokens } });
  await send({ type: "message_stop" });
  response.end();
}

/** False if a step ended the stream. */
async function writeSteps(
  response: ServerResponse,
  send: Send,
  steps: readonly Step[],
): Promise<boolean> {
  let index = 0;
  for (const step of steps) {
    if ("hold" in step) await step.hold;
    else if ("cut" in step) {
      response.socket?.end();
      return false;
    } else if ("failure" in step) {
      await send({ type: "error", error: step.failure });
      response.end();
      return false;
    } else await writeBlock(send, step, index++);
  }
  return true;
}

async function writeBlock(send: Send, step: BlockStep, index: number): Promise<void> {
  await send({ type: "content_block_start", index, content_block: emptyBlock(step) });
  for (const delta of deltas(step)) await send({ type: "content_block_delta", index, delta });
  await send({ type: "content_block_stop", index });
}

function startOf(model: unknown, usage: object) {
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  return { id: "msg_1", type: "message", role: "assistant", model, ...empty, usage };
}

function emptyBlock(step: BlockStep): object {
  if ("text" in step) return { type: "text", text: "" };
  if ("thinking" in step) return { type: "thinking", thinking: "", signature: "" };
  if ("redacted" in step) return { type: "redacted_thinking", data: step.redacted };
  return { type: "tool_use", id: step.id, name: step.tool, input: {} };
}

function deltas(step: BlockStep): object[] {
  if ("text" in step) return pieces(step.text).map((text) => ({ type: "text_delta", text }));
  if ("thinking" in step) {
    const thoughts = pieces(step.thinking).map((thinking) => ({
      type: "thinking_delta",
      thinking,
    }));
    return [...thoughts, { type: "signature_delta", signature: step.signature ?? "sig" }];
  }
  if ("redacted" in step) return [];
  const json = pieces(JSON.stringify(step.input));
  return json.map((partial_json) => ({ type: "input_json_delta", partial_json }));
}

/** The text in pieces of up to 12 characters. */
function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,12}/gu) ?? [];
}
