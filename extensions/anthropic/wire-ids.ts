/**
 * Ids of tool calls as the API takes them: of few characters and unique in a request. Sessions hold
 * ids of other providers, and one id may come again in a later reply.
 */
export class WireIds {
  readonly #used = new Set<string>();
  /** The calls that wait for a result, by stored id, oldest first. */
  readonly #open = new Map<string, string[]>();

  ofCall(id: string): string {
    const plain = String(id).replace(/[^a-zA-Z0-9_-]/g, "_") || "call";
    let wire = plain;
    for (let number = 2; this.#used.has(wire); number++) wire = `${plain}_${number}`;
    this.#used.add(wire);
    this.#open.set(id, [...(this.#open.get(id) ?? []), wire]);
    return wire;
  }

  /** The result belongs to the call that came before it (session tree §11.3). */
  ofResult(id: string): string {
    return this.#open.get(id)?.shift() ?? id;
  }
}
