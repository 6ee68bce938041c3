import type { Anthropic } from "@anthropic-ai/sdk";
import type { Model } from "coppice/ai";

const PUBLIC_URL = "https://api.anthropic.com";

/** The variables of the process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where calls go, and with which credentials. */
export interface Access {
  readonly key: { readonly apiKey: string } | { readonly authToken: string };
  readonly baseUrl: string;
  /** How often a call that failed is tried again; absent: as the SDK does. */
  readonly retries?: number | undefined;
}

/** `undefined` without credentials. A key comes before a token. */
export function accessOf(env: Variables): Access | undefined {
  const apiKey = env.ANTHROPIC_API_KEY?.trim();
  const authToken = env.ANTHROPIC_AUTH_TOKEN?.trim();
  const baseUrl = env.ANTHROPIC_BASE_URL?.trim() || PUBLIC_URL;
  if (apiKey) return { key: { apiKey }, baseUrl };
  return authToken ? { key: { authToken }, baseUrl } : undefined;
}

/** What may stand in no message. */
export function secretsOf(env: Variables): string[] {
  return [env.ANTHROPIC_API_KEY, env.ANTHROPIC_AUTH_TOKEN].flatMap((one) => {
    const secret = one?.trim();
    return secret ? [secret] : [];
  });
}

/** The SDK is loaded here, by the first call. */
export async function clientFor(access: Access, model?: Model): Promise<Anthropic> {
  const { Anthropic: Client } = await import("@anthropic-ai/sdk");
  return new Client({
    ...access.key,
    baseURL: model?.baseUrl ?? access.baseUrl,
    // Nothing may be written to the terminal behind the screen's back.
    logLevel: "off",
    ...(access.retries !== undefined && { maxRetries: access.retries }),
  });
}
