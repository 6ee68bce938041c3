import type { ReadonlySessionManager } from "coppice";
import type { IndexRow } from "coppice/core";
import { NONE } from "./order.ts";
import { rowAt, type TreeData } from "./tree-data.ts";
import { depths, type VisibleTree } from "./visible.ts";

/** Why a file cannot be written, whoever opens it; the verb itself opens it for reading. */
const READ_ONLY: ReadonlySet<string> = new Set(["VERSION_NEWER", "READ_ONLY_FOLDER"]);

/** What `coppice tree --json` prints: a stable contract. */
export function treeJson(session: ReadonlySessionManager, data: TreeData, tree: VisibleTree) {
  const depth = depths(tree);
  return {
    session: {
      id: session.getSessionId(),
      version: session.getFileVersion(),
      cwd: session.getCwd(),
      name: session.getSessionName() ?? null,
      file: session.getSessionFile() ?? null,
      readOnly: session.getDiagnostics().some(({ code }) => READ_ONLY.has(code)),
    },
    leafId: data.view.leafId,
    entryCount: data.rows.length,
    roots: data.rows.filter((row) => row.parentId === null).map((row) => row.id),
    labels: data.rows.filter((row) => row.label !== undefined).map((row) => labelJson(data, row)),
    diagnostics: session.getDiagnostics(),
    nodes: Array.from(tree.position, (position, node) =>
      nodeJson(data, position, depth[node] ?? 0),
    ),
  };
}

function labelJson(data: TreeData, row: IndexRow) {
  return {
    id: row.id,
    text: row.label ?? "",
    timestamp: data.labelTimestamp(row.id) ?? null,
  };
}

function nodeJson(data: TreeData, position: number, depth: number) {
  const row = rowAt(data, position);
  return {
    id: row?.id ?? "",
    parentId: row?.parentId ?? null,
    type: row?.type ?? "",
    ...(row?.role !== undefined && { role: row.role }),
    text: data.texts.shown(position),
    ...(row?.label !== undefined && { label: row.label }),
    depth,
    active: data.order.active[position ?? NONE] === 1,
  };
}
