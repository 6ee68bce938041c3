import { byScore, centralScores, matchScores } from "./rank.ts";
import { type Passage, type Sentence, type Speaker, sentencesOf } from "./sentences.ts";

const NOTICE =
  "Extract by the offline model: sentences of the branch as they stand, chosen by their words.";

/** A section takes the sentences of its speakers that its words pick, best first. */
interface Section {
  readonly title: string;
  readonly speakers: readonly Speaker[];
  readonly words?: RegExp;
  readonly count: number;
}

const ANYBODY: readonly Speaker[] = ["user", "assistant", "summary"];

/** In the order in which they choose; each sentence is shown once. */
const SECTIONS: readonly Section[] = [
  {
    title: "## Constraints & Preferences",
    speakers: ["user"],
    words:
      /\b(must|should(?:n't)?|never|always|don't|do not|without|only|prefer|keep|avoid|muss|nicht|nur)\b|必须|不要|不能|只能|禁止|必ず|しないで|ください|반드시|하지 마/iu,
    count: 4,
  },
  {
    title: "## Key Decisions",
    speakers: ANYBODY,
    words:
      /\b(decid\w*|decision|cho[os]e\w*|instead|rather than|agreed?|settled?|entschied\w*|stattdessen)\b|决定|選択|选择|改用|決め|代わりに|결정|대신/iu,
    count: 4,
  },
  {
    title: "### Blocked",
    speakers: ["assistant", "tool"],
    words:
      /\b(error|fail(?:s|ed|ure|ing)?|exception|cannot|can't|blocked|denied|refused|not found|fehler)\b|错误|失败|无法|エラー|失敗|오류|실패/iu,
    count: 3,
  },
  {
    title: "## Next Steps",
    speakers: ANYBODY,
    words:
      /\b(next|todo|to do|remain\w*|still|later|follow[- ]up|plan(?:ned)?|need(?:s)? to|als nächstes|noch)\b|接下来|下一步|还需|待办|次に|今後|다음|남은/iu,
    count: 4,
  },
  { title: "### Done", speakers: ["assistant", "summary"], count: 6 },
];

/** The order in which sections are shown. */
const ORDER = [
  "## Constraints & Preferences",
  "### Done",
  "### Blocked",
  "## Key Decisions",
  "## Next Steps",
];

/**
 * A summary made of sentences of the passages, under the headings of a branch summary. `focus` tells
 * in free words what to look for.
 */
export function extract(passages: readonly Passage[], focus = ""): string {
  const sentences = sentencesOf(passages.map(withoutNotice));
  const scores = focusedScores(sentences, focus);
  const goal = goalOf(sentences);
  const used = new Set(goal ? [goal] : []);
  const picked = new Map<string, Sentence[]>();
  for (const section of SECTIONS) {
    const chosen = pick(section, sentences, scores, used);
    for (const sentence of chosen) used.add(sentence);
    picked.set(section.title, chosen);
  }
  return [
    NOTICE,
    ...(goal ? [`## Goal\n${goal.text}`] : []),
    ...ORDER.flatMap((title) => block(title, picked.get(title) ?? [])),
  ].join("\n\n");
}

/** An earlier extract on the branch is not to be quoted as what somebody said. */
function withoutNotice({ speaker, text }: Passage): Passage {
  return { speaker, text: text.replaceAll(NOTICE, "") };
}

/** People say what they want at the beginning. */
function goalOf(sentences: readonly Sentence[]): Sentence | undefined {
  const wishes = sentences.filter(({ speaker }) => speaker === "user");
  return wishes.find(({ terms }) => terms.length > 2) ?? wishes[0] ?? sentences[0];
}

function focusedScores(sentences: readonly Sentence[], focus: string): number[] {
  const central = centralScores(sentences);
  if (focus.trim() === "") return central;
  const matches = matchScores(sentences, focus);
  const scale = highest(central) * 2;
  const best = highest(matches);
  return central.map((score, index) => score + ((matches[index] ?? 0) / best) * scale);
}

function highest(scores: readonly number[]): number {
  return scores.reduce((best, score) => Math.max(best, score), Number.MIN_VALUE);
}

function pick(
  { speakers, words, count }: Section,
  sentences: readonly Sentence[],
  scores: readonly number[],
  used: ReadonlySet<Sentence>,
): Sentence[] {
  const candidates = sentences.filter(
    (sentence) =>
      speakers.includes(sentence.speaker) &&
      !used.has(sentence) &&
      (words === undefined || words.test(sentence.text)),
  );
  const best = byScore(candidates, scores).slice(0, count);
  return best.sort((a, b) => a.index - b.index);
}

function block(title: string, sentences: readonly Sentence[]): string[] {
  if (sentences.length === 0) return [];
  const progress = title === "### Done" ? "## Progress\n" : "";
  return [`${progress}${title}\n${sentences.map(({ text }) => `- ${text}`).join("\n")}`];
}
