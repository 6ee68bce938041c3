// One measurement in a process of its own: node measure.mjs <module> <coppice|peer|raw> <file>; prints JSON.
import { pathToFileURL } from "node:url";

const [modulePath, kind, file] = process.argv.slice(2);
const { openSession, rawLimit, SessionManager } = await import(pathToFileURL(modulePath).href);
const result = {};
if (kind === "raw") {
  console.log(JSON.stringify({ open: rawLimit(file).milliseconds }));
  process.exit();
}
let session;
let tree;

await timed("open", async () => {
  session =
    kind === "coppice" ? await openSession(file, { mode: "read" }) : SessionManager.open(file);
});
result.rssAfterOpen = process.memoryUsage.rss();
await timed("getBranch", () => session.getBranch());
await timed("getBranchWarm", () => session.getBranch());
await timed("context", () => session.buildSessionContext());
await timed("contextWarm", () => session.buildSessionContext());
await timed("getTree", () => {
  tree = session.getTree();
});
await timed("treeWalk", () => {
  const waiting = [...tree];
  let count = 0;
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    count++;
    for (const child of node.children) waiting.push(child);
  }
  result.nodes = count;
});
result.rss = process.memoryUsage.rss();
session.close?.();
console.log(JSON.stringify(result));

async function timed(name, work) {
  const start = performance.now();
  await work();
  result[name] = performance.now() - start;
}
