import type { ModelContext } from "coppice/ai";
import { contentText, type LlmMessage } from "coppice/core";
import { extract } from "./extract.ts";
import { answerSentences } from "./rank.ts";
import { type Passage, type Sentence, type Speaker, sentencesOf } from "./sentences.ts";

const INTRODUCTION =
  "I am coppice's offline model. I am no language model: I need no key and no network, I look up " +
  "sentences of this branch that share words with yours, and I can extract a summary. " +
  "For real answers choose another model with /model.";

/** Characters of the branch that are looked at, newest first. */
const REACH = 400_000;

/** What the offline model says to a context. */
export function answer({ messages }: ModelContext): string {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const query = contentText(messages[asked]?.content);
  const conversation = conversationOf(query);
  if (conversation) return extract(partsOf(conversation.text), conversation.focus);
  const body = lookUp(messages.slice(0, Math.max(0, asked)), query);
  return messages.some(isOwn) ? body : `${INTRODUCTION}\n\n${body}`;
}

const SUMMARY_WISH =
  /\bsummar(?:y|i[sz]e)|\brecap\b|zusammenfass|总结|總結|概括|要約|まとめ|요약/iu;

function lookUp(messages: readonly LlmMessage[], query: string): string {
  const passages = passagesOf(messages);
  if (passages.length === 0) return "This branch holds nothing before your message to look up.";
  if (SUMMARY_WISH.test(query)) return extract(passages);
  const found = answerSentences(sentencesOf(passages), query, 5);
  if (found.length === 0) return "Nothing earlier on this branch shares a word with that.";
  return `Closest to that on this branch:\n\n${found.map(quote).join("\n")}`;
}

const NAMES: { readonly [speaker in Speaker]: string } = {
  user: "You",
  assistant: "Assistant",
  tool: "Tool result",
  summary: "Summary",
};

function quote({ speaker, text }: Sentence): string {
  return `- ${NAMES[speaker]}: “${text}”`;
}

function isOwn(message: LlmMessage): boolean {
  return message.role === "assistant" && message.provider === "offline";
}

/** The texts of a branch but its own, as many of the newest as are in reach. */
function passagesOf(messages: readonly LlmMessage[]): Passage[] {
  const passages: Passage[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    const text = contentText(message.content);
    if (text.trim() === "" || isOwn(message)) continue;
    length += text.length;
    if (length > REACH) break;
    passages.push({ speaker: speakerOf(message.role, text), text: withoutSummaryTags(text) });
  }
  return passages.reverse();
}

function speakerOf(role: string, text: string): Speaker {
  if (role === "assistant") return "assistant";
  if (role === "toolResult") return "tool";
  return text.includes("\n<summary>\n") ? "summary" : "user";
}

/** The stored text of a summary, without the words around it and its lists of files. */
function withoutSummaryTags(text: string): string {
  const stored = /\n<summary>\n([\s\S]*)\n<\/summary>$/.exec(text)?.[1];
  return stored?.replace(/<((?:read|modified)-files)>[\s\S]*?<\/\1>/g, "") ?? text;
}

interface Conversation {
  readonly text: string;
  readonly focus: string;
}

/** The conversation of a summariser's request, and what it asks to focus on. */
function conversationOf(query: string): Conversation | undefined {
  const start = query.indexOf("<conversation>\n");
  const end = query.lastIndexOf("\n</conversation>");
  if (start < 0 || end < start) return undefined;
  const instructions = query.slice(end + "\n</conversation>".length);
  const focus = /\bfocus[^:\n]*:\s*([\s\S]+)$/i.exec(instructions)?.[1] ?? "";
  return { text: query.slice(start + "<conversation>\n".length, end), focus };
}

const SPEAKERS: { readonly [title: string]: Speaker } = {
  User: "user",
  Assistant: "assistant",
  "Tool result": "tool",
};

/** The parts of a serialised conversation; thinking and tool calls are left aside. */
function partsOf(text: string): Passage[] {
  return text
    .slice(-REACH)
    .split(/\n\n(?=\[(?:User|Assistant|Assistant thinking|Assistant tool calls|Tool result)\]: )/)
    .flatMap((part): Passage[] => {
      const [, title, body = ""] = /^\[([^\]]+)\]: ([\s\S]*)$/.exec(part) ?? [];
      const speaker = SPEAKERS[title ?? ""];
      if (speaker === undefined) return [];
      return [{ speaker: speakerOf(roleOf(speaker), body), text: withoutSummaryTags(body) }];
    });
}

function roleOf(speaker: Speaker): string {
  return speaker === "tool" ? "toolResult" : speaker;
}
