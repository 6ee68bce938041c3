export type Glyphs = "unicode" | "ascii";

/** Pairs of a glyph and the sign of one cell that stands for it. */
const PAIRS =
  "●* ◉@ •* │| ├+ ╰\\ └+ ╭/ ─- ▌> ⋔Y ⚑# ✗! ✓v ⚙T ≡= ⇄~ ↰^ ⊞+ ⊟- …. █% ┌+ ┐+ ┘+ ┼+ ┴+ ┬+ ┤+ " +
  "›> ‹< ↑^ ↓v ←< →> ▓# ░. ·- –- —- ▏| ×x −- ⏎< ⇧^ ⌥~";

const ASCII: ReadonlyMap<string, string> = new Map(
  PAIRS.split(" ").map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);

/** A cluster as it is shown: where only ASCII can be shown, glyphs give way (tui spec §4.2). */
export function glyphOf(cluster: string, glyphs: Glyphs): string {
  return glyphs === "ascii" ? (ASCII.get(cluster) ?? cluster) : cluster;
}
