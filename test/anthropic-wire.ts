/** Requests of the Messages API, as far as tests look into them. */
export interface WireBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly WireMessage[];
  readonly stream?: boolean;
  readonly system?: readonly WireBlock[];
  readonly tools?: readonly object[];
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
  readonly output_config?: { readonly effort?: string };
}

export interface WireMessage {
  readonly role: string;
  /** coppice writes blocks; other clients also write a string. */
  readonly content: readonly WireBlock[];
}

export interface WireBlock {
  readonly type: string;
  readonly text?: string;
  readonly [field: string]: unknown;
}

/** All text that a message of a request holds. */
export function wireText(message: WireMessage | undefined): string {
  const content: unknown = message?.content ?? [];
  if (typeof content === "string") return content;
  return (content as readonly WireBlock[]).map(({ text = "" }) => text).join("");
}
