import type { IndexRow } from "coppice/core";
import { rowText } from "coppice/tui";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classicLayout, classicLevels } from "../../../extensions/tree-selector/classic.ts";
import { NONE, treeOrder } from "../../../extensions/tree-selector/order.ts";
import {
  depths,
  isFoldable,
  listedNodes,
  rowOfNode,
  visibleTree,
} from "../../../extensions/tree-selector/visible.ts";

function row(id: string, parentId: string | null, time = 1): IndexRow {
  return { id, parentId, type: "message", role: "user", time, hasText: true };
}

/** A tree of `parents.length` entries: the parent of entry i is an earlier one, or none. */
function randomRows(parents: readonly number[], times: readonly number[]): IndexRow[] {
  return parents.map((parent, i) => {
    const above = i === 0 ? -1 : (parent % (i + 1)) - 1;
    return row(`e${i}`, above < 0 ? null : `e${above}`, times[i] ?? 0);
  });
}

const trees = fc.array(fc.nat(), { minLength: 1, maxLength: 40 }).chain((parents) =>
  fc.record({
    parents: fc.constant(parents),
    times: fc.array(fc.integer({ min: 0, max: 5 }), {
      minLength: parents.length,
      maxLength: parents.length,
    }),
    leaf: fc.nat(parents.length),
    admitted: fc.array(fc.boolean(), { minLength: parents.length, maxLength: parents.length }),
    folded: fc.array(fc.nat(parents.length - 1), { maxLength: 5 }),
  }),
);

/** The visible tree by definition: recursive, quadratic, on nested objects. */
interface Naive {
  readonly id: string;
  readonly children: Naive[];
  readonly ancestors: readonly Naive[];
}

function naiveOrder(rows: readonly IndexRow[], leafId: string | null): string[] {
  const path = new Set<string>();
  for (let at = rows.find(({ id }) => id === leafId); at; ) {
    path.add(at.id);
    const { parentId } = at;
    at = rows.find(({ id }) => id === parentId);
  }
  const visit = (parentId: string | null): string[] => {
    const children = rows.filter((child) => child.parentId === parentId);
    let last = Number.NEGATIVE_INFINITY;
    const keys = new Map(
      children.map((child) => {
        last = child.time === 0 ? last : child.time;
        return [child.id, last];
      }),
    );
    const key = (child: IndexRow) => keys.get(child.id) ?? 0;
    if (parentId !== null) children.sort((a, b) => (key(a) < key(b) ? -1 : +(key(a) > key(b))));
    children.sort((a, b) => Number(path.has(b.id)) - Number(path.has(a.id)));
    return children.flatMap((child) => [child.id, ...visit(child.id)]);
  };
  return visit(null);
}

function naiveTree(rows: readonly IndexRow[], order: readonly string[], admits: Set<string>) {
  const nodes = new Map<string, Naive>();
  const roots: Naive[] = [];
  const byId = new Map(rows.map((found) => [found.id, found]));
  const visibleParent = (id: string): Naive | undefined => {
    const parentId = byId.get(id)?.parentId ?? null;
    if (parentId === null) return undefined;
    return nodes.get(parentId) ?? visibleParent(parentId);
  };
  for (const id of order.filter((found) => admits.has(found))) {
    const parent = visibleParent(id);
    const node = { id, children: [], ancestors: parent ? [...parent.ancestors, parent] : [] };
    nodes.set(id, node);
    (parent?.children ?? roots).push(node);
  }
  return { nodes: [...nodes.values()], roots };
}

/** Levels by the words of the specification (session tree §13.2). */
function naiveLevels(roots: readonly Naive[], node: Naive): string {
  const siblings = (of: Naive) => of.ancestors.at(-1)?.children ?? roots;
  const isForked = (of: Naive) => siblings(of).length > 1;
  const isLast = (of: Naive) => siblings(of).at(-1) === of;
  const hidden = roots.length > 1 ? 1 : 0;
  const indent = (of: Naive): number => {
    const parent = of.ancestors.at(-1);
    if (!parent) return hidden;
    return indent(parent) + Number(isForked(of) || isForked(parent));
  };
  const isDrawn = (of: Naive) => of.ancestors.length > 0 && isForked(of);
  const levels = new Array<string>(indent(node) - hidden).fill("   ");
  for (const above of node.ancestors.filter(isDrawn)) {
    if (!isLast(above)) levels[indent(above) - hidden - 1] = "│  ";
  }
  if (isDrawn(node)) {
    const line = isLast(node) ? "└" : "├";
    levels[levels.length - 1] = `${line}${node.children.length > 0 ? "⊟" : "─"} `;
  }
  return levels.join("");
}

describe("any tree, with any filter and folds", () => {
  test("is ordered, attached and drawn as the definition says", () => {
    fc.assert(
      fc.property(trees, ({ parents, times, leaf, admitted }) => {
        const rows = randomRows(parents, times);
        const leafId = rows[leaf]?.id ?? null;
        const order = treeOrder(rows, leafId);
        const ids = Array.from(order.order, (place) => rows[place]?.id ?? "");
        expect(ids).toEqual(naiveOrder(rows, leafId));
        const admits = new Set(rows.filter((_, i) => admitted[i]).map(({ id }) => id));
        const flags = Uint8Array.from(ids, (id) => Number(admits.has(id)));
        const tree = visibleTree(order, flags);
        const naive = naiveTree(rows, ids, admits);
        const idOf = (node: number) => ids[tree.position[node] ?? NONE];
        expect(Array.from({ length: tree.length }, (_, node) => idOf(node))).toEqual(
          naive.nodes.map(({ id }) => id),
        );
        const layout = classicLayout(tree);
        naive.nodes.forEach((node, i) => {
          expect(idOf(tree.parent[i] ?? NONE)).toBe(node.ancestors.at(-1)?.id);
          expect(tree.children[i]).toBe(node.children.length);
          expect(depths(tree)[i]).toBe(node.ancestors.length);
          expect(classicLevels(layout, i, false, 100).join("")).toBe(
            naiveLevels(naive.roots, node),
          );
        });
      }),
      { verbose: true, numRuns: 300 },
    );
  });

  test("lists a fold's row and none of its descendants", () => {
    fc.assert(
      fc.property(trees, ({ parents, times, admitted, folded }) => {
        const rows = randomRows(parents, times);
        const order = treeOrder(rows, null);
        const tree = visibleTree(order, Uint8Array.from(admitted, Number));
        const folds = new Set(folded.filter((n) => n < tree.length && isFoldable(tree, n)));
        const listed = listedNodes(tree, (node) => folds.has(node));
        const isHidden = (node: number): boolean => {
          const parent = tree.parent[node] ?? NONE;
          return parent !== NONE && (folds.has(parent) || isHidden(parent));
        };
        const all = Array.from({ length: tree.length }, (_, node) => node);
        expect([...listed]).toEqual(all.filter((node) => !isHidden(node)));
        for (const node of all) {
          let shown = node;
          while (isHidden(shown)) shown = tree.parent[shown] ?? NONE;
          expect(listed[rowOfNode(listed, node)]).toBe(shown);
        }
      }),
      { verbose: true },
    );
  });

  test("has the innermost levels where not all can be seen", () => {
    const rows = Array.from({ length: 60 }, (_, i) => [
      row(`s${i}`, i === 0 ? null : `s${i - 1}`),
      row(`t${i}`, i === 0 ? null : `s${i - 1}`),
    ]).flat();
    const tree = visibleTree(treeOrder(rows, "s59"), new Uint8Array(120).fill(1));
    const layout = classicLayout(tree);
    for (let node = 0; node < tree.length; node++) {
      const all = classicLevels(layout, node, false, 1000);
      const some = classicLevels(layout, node, false, 31);
      expect(some).toEqual(all.slice(-31));
      expect(rowText({ levels: some }, 90)).toBe(rowText({ levels: all }, 90));
    }
  });
});

describe("a very large tree", () => {
  const chain = Array.from({ length: 50_000 }, (_, i) =>
    row(`e${i}`, i ? `e${i - 1}` : null, i + 1),
  );
  const wide = Array.from({ length: 200_001 }, (_, i) =>
    row(`e${i}`, i ? "e0" : null, 300_000 - i),
  );
  const comb = Array.from({ length: 20_000 }, (_, i) => [
    row(`s${i}`, i ? `s${i - 1}` : null, i + 1),
    row(`t${i}`, i ? `s${i - 1}` : null, i + 1),
  ]).flat();

  test.each([
    ["a chain of 50 000", chain, "e49999"],
    ["a parent with 200 000 children", wide, "e7"],
    ["a comb of 20 000 levels", comb, "s19999"],
  ])("%s is laid out without recursion, not in quadratic time", (_, rows, leafId) => {
    const order = treeOrder(rows, leafId);
    const tree = visibleTree(order, new Uint8Array(rows.length).fill(1));
    const layout = classicLayout(tree);
    const listed = listedNodes(tree, () => false);
    const middle = (rows.length >> 1) - 20;
    for (let at = middle; at < middle + 40; at++) classicLevels(layout, at, false, 41);
    expect(listed.length).toBe(rows.length);
    expect(order.active[order.leaf]).toBe(1);
  });
});
