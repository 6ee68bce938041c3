import { closeSync, openSync, writeSync } from "node:fs";

const WORDS =
  "keep every entry with its parent link so that a branch is only a move of the leaf".split(" ");

/** Writes a session of `count` entries, a fork every `branchEvery` of them; the same bytes each time. */
export function generateSession(path, count, { payload = 400, branchEvery = 50 } = {}) {
  const fd = openSync(path, "w");
  const random = numbers(42);
  const ids = [];
  let time = Date.UTC(2026, 0, 1);
  let text = "";
  const write = (record) => {
    text += `${JSON.stringify(record)}\n`;
    if (text.length < 1 << 22) return;
    writeSync(fd, text);
    text = "";
  };
  const stamp = () => {
    time += 1000;
    return new Date(time).toISOString();
  };
  write({ type: "session", version: 3, id: "bench", timestamp: stamp(), cwd: "/bench" });
  for (let i = 0; i < count; i++) {
    const back = i % branchEvery === branchEvery - 1 ? Math.floor(random() * 20) : 0;
    const parentId = ids[Math.max(0, ids.length - 1 - back)] ?? null;
    const id = i.toString(16).padStart(8, "0");
    write({
      type: "message",
      id,
      parentId,
      timestamp: stamp(),
      message: message(i, time, random, payload),
    });
    ids.push(id);
  }
  writeSync(fd, text);
  closeSync(fd);
}

function message(i, timestamp, random, payload) {
  const content = [{ type: "text", text: words(random, payload) }];
  if (i % 2 === 0) return { role: "user", content, timestamp };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 10, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 30, cost };
  return {
    role: "assistant",
    content,
    api: "bench",
    provider: "bench",
    model: "m",
    usage,
    stopReason: "stop",
    timestamp,
  };
}

function words(random, length) {
  let text = "";
  while (text.length < length) text += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return text;
}

function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}
