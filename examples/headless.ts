import { pathToFileURL } from "node:url";
import { messageOf, messageText, type SessionEntry, type SessionTreeNode } from "coppice/core";
import {
  type AgentSession,
  cleanLine,
  createAgentSession,
  loadSettings,
  openSession,
} from "coppice/host";

/**
 * coppice without a screen: opens a session, goes back to its first message, leaves a summary of
 * what it came from, asks something else there, and gives the tree as lines.
 */
export async function askAtTheStart(file: string, question: string): Promise<readonly string[]> {
  const settings = await loadSettings({ cwd: process.cwd() });
  const sessionManager = await openSession(file, { settings });
  const session = await createAgentSession({ sessionManager, settings, model: "offline" });
  try {
    await goToStart(session);
    await session.prompt(question);
    return treeLines(sessionManager.getTree(), sessionManager.getLeafId());
  } finally {
    await session.close();
  }
}

async function goToStart(session: AgentSession): Promise<void> {
  const [first] = session.getUserMessagesForBranching();
  if (first) await session.navigateTree(first.entryId, { summarize: true });
}

/** One line an entry, children under their parent; without recursion, as trees can be deep. */
function treeLines(roots: readonly SessionTreeNode[], leafId: string | null): readonly string[] {
  const lines: string[] = [];
  const waiting = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, depth } = next;
    const mark = node.entry.id === leafId ? "*" : " ";
    lines.push(`${mark} ${"  ".repeat(depth)}${cleanLine(textOf(node.entry))}`);
    const below = node.children.length > 1 ? depth + 1 : depth;
    for (const child of node.children.toReversed()) waiting.push({ node: child, depth: below });
  }
  return lines;
}

function textOf(entry: SessionEntry): string {
  const message = messageOf(entry);
  return message ? `${message.role}: ${messageText(message).slice(0, 60)}` : entry.type;
}

/** `npx jiti examples/headless.ts session.jsonl "What was this about?"` */
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [file = "", question = "What was this about?"] = process.argv.slice(2);
  for (const line of await askAtTheStart(file, question)) console.log(line);
}
