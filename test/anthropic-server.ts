import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { brokenRule } from "./anthropic-rules.ts";
import { type ScriptedStream, writeStream } from "./anthropic-stream.ts";
import { type WireBody, wireText } from "./anthropic-wire.ts";

/** What a request is answered with: a stream, or an error instead of it. */
export interface Reply extends ScriptedStream {
  /** Not tried again by the client unless `retry` is set. */
  readonly error?: {
    readonly status: number;
    readonly type: string;
    readonly message: string;
    readonly retry?: boolean;
  };
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Parsed JSON; `{}` without a body. */
  readonly body: WireBody;
  /** Resolves when the exchange is over: true if the client went before the end. */
  readonly closed: Promise<boolean>;
}

export interface AnthropicServer {
  readonly url: string;
  /** Every request but those for models, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Queues replies; where none is queued, `fallback` answers. A string is one text block. */
  reply(...replies: readonly (Reply | string)[]): void;
  /** Resolves with the request of the given number, counted from 0, as soon as it has come. */
  request(index: number): Promise<RecordedRequest>;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly port?: number;
  /** Entries of `GET /v1/models`. */
  readonly models?: readonly object[];
  /** Default: repeats the user's last text; a request for a summary gets a fixed one. */
  fallback?(body: WireBody): Reply;
  /** Awaited before each part that is written, for a person to watch. */
  pace?(): Promise<unknown>;
}

/**
 * A local server that speaks the Messages API with streaming, and `GET /v1/models`. It refuses what
 * the real one refuses: a request without key is 401, one that breaks a rule is 400.
 */
export async function startAnthropicServer(options: ServerOptions = {}): Promise<AnthropicServer> {
  const queue: (Reply | string)[] = [];
  const requests: RecordedRequest[] = [];
  let waiting: (() => void)[] = [];

  function note(request: RecordedRequest): void {
    requests.push(request);
    for (const resume of waiting) resume();
    waiting = [];
  }

  function nextReply(body: WireBody): Reply {
    const reply = queue.shift() ?? (options.fallback ?? echo)(body);
    return typeof reply === "string" ? { steps: [{ text: reply }] } : reply;
  }

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await record(message, response);
    const isModels = request.path.startsWith("/v1/models");
    if (!isModels) note(request);
    const refusal = refusalOf(request);
    if (refusal) return fail(response, refusal);
    if (isModels) return listModels(response, options.models ?? []);
    const reply = nextReply(request.body);
    if (reply.error) return fail(response, reply.error);
    await writeStream(response, request.body.model, reply, options.pace);
  }

  const server = createServer((message, response) => {
    answer(message, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    reply: (...replies) => void queue.push(...replies),
    async request(index) {
      let request = requests[index];
      while (!request) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        request = requests[index];
      }
      return request;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A step that holds a reply until `release` is called. */
export function gate(): { readonly hold: Promise<void>; release(): void } {
  let release: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { hold, release: () => release() };
}

async function record(
  message: IncomingMessage,
  response: ServerResponse,
): Promise<RecordedRequest> {
  const closed = new Promise<boolean>((resolve) => {
    response.once("close", () => resolve(!response.writableFinished));
  });
  let text = "";
  for await (const chunk of message.setEncoding("utf8")) text += chunk;
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    headers: message.headers,
    body: text === "" ? {} : JSON.parse(text),
    closed,
  };
}

function refusalOf({ headers, path, body }: RecordedRequest): Reply["error"] {
  if (!headers["x-api-key"] && !headers.authorization) {
    return { status: 401, type: "authentication_error", message: "invalid x-api-key" };
  }
  if (/^\/v1\/models(\?|$)/.test(path)) return undefined;
  if (path !== "/v1/messages") {
    return { status: 404, type: "not_found_error", message: `no ${path}` };
  }
  const rule = brokenRule(body);
  return rule === undefined
    ? undefined
    : { status: 400, type: "invalid_request_error", message: rule };
}

function fail(response: ServerResponse, error: NonNullable<Reply["error"]>): void {
  response.writeHead(error.status, {
    "content-type": "application/json",
    "x-should-retry": String(error.retry ?? false),
    "retry-after-ms": "1",
  });
  const { type, message } = error;
  response.end(JSON.stringify({ type: "error", error: { type, message } }));
}

function listModels(response: ServerResponse, models: readonly object[]): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ data: models, has_more: false, first_id: null, last_id: null }));
}

function echo({ messages }: WireBody): Reply {
  const text = wireText(messages.at(-1));
  return text.includes("<conversation>")
    ? { steps: [{ text: "## Goal\nWhat the branch was about.\n\n## Next Steps\n1. Go on." }] }
    : { steps: [{ text: `You said: ${text}` }] };
}

/** `npx jiti test/anthropic-server.ts [port] [milliseconds between parts]` serves for manual use. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [port = 8123, milliseconds = 20] = process.argv.slice(2).map(Number);
  const pace = () => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const { url } = await startAnthropicServer({ port, pace });
  console.log(`ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=local`);
}
