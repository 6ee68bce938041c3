import { type AssistantMessage, messageText } from "../core/index.ts";
import { type AgentSession, cleanText } from "../host/index.ts";
import { tuiError } from "./errors.ts";
import type { Interrupts } from "./interrupts.ts";
import { EXIT, type Output } from "./output.ts";

/**
 * `coppice -p`: sends a prompt and prints the text of the reply. A signal stops the reply, which is
 * stored as far as it came. Gives the exit code. Raises REPLY_FAILED where the model ended with an
 * error, and the errors of `AgentSession.prompt`.
 */
export async function runPrint(
  session: AgentSession,
  prompt: string,
  { output, interrupts }: { readonly output: Output; readonly interrupts: Interrupts },
): Promise<number> {
  const reply = await replyTo(session, prompt, interrupts.signal);
  const ended = interrupts.exitCode();
  if (ended !== undefined) return ended;
  if (!reply) return EXIT.done;
  printReply(output, reply);
  return EXIT.done;
}

async function replyTo(
  session: AgentSession,
  prompt: string,
  signal: AbortSignal,
): Promise<AssistantMessage | undefined> {
  if (signal.aborted) return undefined;
  let reply: AssistantMessage | undefined;
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "message_end" && event.message.role === "assistant") reply = event.message;
  });
  const abort = () => session.abort();
  signal.addEventListener("abort", abort);
  try {
    await session.prompt(prompt);
    return reply;
  } finally {
    signal.removeEventListener("abort", abort);
    unsubscribe();
  }
}

function printReply(output: Output, reply: AssistantMessage): void {
  const { stopReason, errorMessage, provider, model } = reply;
  if (stopReason === "error" || stopReason === "aborted") {
    const reason = errorMessage ?? (stopReason === "error" ? "no reason given" : "it was aborted");
    throw tuiError("REPLY_FAILED", { model: `${provider}/${model}`, reason });
  }
  output.write(`${cleanText(messageText(reply)).trimEnd()}\n`);
  if (stopReason === "length")
    output.note("note: the reply was cut, the model's limit was reached");
}
