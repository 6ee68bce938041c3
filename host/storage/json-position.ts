/** Where a text stops being JSON. */
export interface JsonProblem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly reason: string;
}

type State = "value" | "first value" | "key" | "first key" | "colon" | "next";

const TOKEN =
  /[{}[\]:,]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
const BLANKS = /[ \t\r\n]*/y;

/** The first place where a text is no JSON; `undefined` if it is. */
export function jsonProblem(text: string): JsonProblem | undefined {
  const open: string[] = [];
  let state: State = "value";
  for (let at = 0; ; ) {
    at = skip(BLANKS, text, at);
    if (at === text.length) return isWhole(state, open) ? undefined : place(text, at, TOO_SHORT);
    const end = skip(TOKEN, text, at);
    const next: State | undefined = end > at ? after(state, text.slice(at, end), open) : undefined;
    if (!next) return place(text, at, expected(state, open));
    state = next;
    at = end;
  }
}

const TOO_SHORT = "the text ends too early";

function isWhole(state: State, open: readonly string[]): boolean {
  return state === "next" && open.length === 0;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The state after a token; `undefined` if it may not stand there. Keeps the open brackets. */
function after(state: State, token: string, open: string[]): State | undefined {
  if (state === "colon") return token === ":" ? "value" : undefined;
  if (state === "next") return afterValue(token, open);
  const closing = state === "first key" ? "}" : state === "first value" ? "]" : undefined;
  if (token === closing) return close(token, open);
  if (state === "key" || state === "first key") return token[0] === '"' ? "colon" : undefined;
  return begin(token, open);
}

function begin(token: string, open: string[]): State | undefined {
  if (token === "{" || token === "[") {
    open.push(token);
    return token === "{" ? "first key" : "first value";
  }
  return "}]:,".includes(token) ? undefined : "next";
}

function afterValue(token: string, open: string[]): State | undefined {
  if (token === "}" || token === "]") return close(token, open);
  const top = open.at(-1);
  if (token !== "," || !top) return undefined;
  return top === "{" ? "key" : "value";
}

function close(token: string, open: string[]): State | undefined {
  if (open.at(-1) !== (token === "}" ? "{" : "[")) return undefined;
  open.pop();
  return "next";
}

function expected(state: State, open: readonly string[]): string {
  if (state === "key" || state === "first key") return 'a key in "quotes" was expected';
  if (state === "colon") return 'a ":" was expected';
  if (state !== "next") return "a value was expected";
  const top = open.at(-1);
  if (!top) return "nothing may follow the closing bracket";
  return `a "," or "${top === "{" ? "}" : "]"}" was expected`;
}

function place(text: string, at: number, reason: string): JsonProblem {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason };
}
