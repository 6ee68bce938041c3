// Opens a session for writing in a process of its own and tells what came of it as one line of JSON.
// Then it does what lines on stdin say: `append <text>`, `close`. It ends when stdin does.
import { createInterface } from "node:readline";
import { createJiti } from "jiti";

const [path, ...flags] = process.argv.slice(2);
const jiti = createJiti(import.meta.url);
const { openSession } = await jiti.import("../../../host/storage/sessions.ts");
const lines = createInterface({ input: process.stdin });
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

function attempt(action) {
  try {
    return { ok: action() ?? null };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

if (flags.includes("wait")) {
  say("ready");
  await new Promise((resolve) => lines.once("line", resolve));
}
const opened = await openSession(path, { create: true }).then(
  (session) => ({ session }),
  (error) => ({ code: error.code, message: error.message, details: error.details }),
);
say(opened.session ? { ok: "open" } : opened);
lines.on("line", (line) => {
  const [command, text] = line.split(" ");
  if (command === "append") {
    const message = { role: "user", content: text, timestamp: 1 };
    say(attempt(() => opened.session.appendMessage(message)));
  }
  if (command === "close") say(attempt(() => opened.session.close()));
});
lines.on("close", () => process.exit(0));
