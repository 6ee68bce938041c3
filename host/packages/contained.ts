import { join } from "node:path";
import type { Extension } from "../extension.ts";
import { type Decided, isWanted } from "./consent.ts";
import { type PackageFacts, pathOf } from "./examine.ts";
import type { Flavour } from "./flavour.ts";
import type { ExtensionPackage } from "./package-facts.ts";
import { isFree, parsePermission } from "./permission.ts";
import { PERMISSIONS } from "./permission-table.ts";
import { shortIdOf } from "./places.ts";

/** Where a package comes from and stands among others. */
export interface PackagePlace
  extends Pick<ExtensionPackage, "source" | "scope" | "key" | "dataFolder"> {
  /** Place in load order. */
  readonly rank: number;
  /** Of an entry, by its path in the package. */
  flavour(path: string): Flavour;
}

/**
 * A package as an extension that runs in the sandbox with what was decided about it; `undefined` if it
 * has no modules to run.
 */
export function containedExtension(
  facts: PackageFacts,
  decided: Decided,
  { rank, flavour, ...place }: PackagePlace,
): Extension | undefined {
  const { manifest, resources, root, isFile, id, version } = facts;
  const { isDeclaring, permissions, optionalPermissions, permissionReasons } = manifest;
  const declared = isDeclaring ? [...permissions, ...optionalPermissions] : undefined;
  const entries = resources.extensions.map((path) => ({
    path: join(root, path),
    flavour: flavour(path),
  }));
  const [first] = entries;
  if (!first) return undefined;
  const held = grantedNames(declared, decided);
  const changing = { held, gestures: gestureNames(declared, decided) };
  const about = { root: pathOf(facts), isFile, entries, declared, reasons: permissionReasons };
  return {
    id,
    shortId: shortIdOf(id),
    version,
    firstParty: false,
    permissions: held,
    entry: first.path,
    manifest,
    rank,
    package: { ...about, ...place, changing },
  };
}

type Declared = ExtensionPackage["declared"];

function gestureNames(declared: Declared, { denied }: Decided): readonly string[] {
  const names = Object.keys(PERMISSIONS).filter((name) => PERMISSIONS[name]?.isGesture);
  return names.filter((name) => !denied.includes(name) && (!declared || declared.includes(name)));
}

/** What a package has at the start: what is free for it, and what the user granted. */
function grantedNames(declared: Declared, { granted, denied }: Decided): Set<string> {
  const free = (declared ?? Object.keys(PERMISSIONS)).filter((text) => {
    const permission = parsePermission(text);
    return permission !== undefined && isFree(permission);
  });
  const held = granted.filter((text) => {
    const permission = parsePermission(text);
    return permission !== undefined && (!declared || isWanted(declared, permission));
  });
  return new Set([...free, ...held].filter((text) => !denied.includes(text)));
}
