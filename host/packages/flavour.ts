import type { HostKey, PackageManifest } from "../manifest.ts";
import type { ImportedModule } from "./module-names.ts";

/** Whose differences an entry expects (extensions spec §3.6). */
export type Flavour = HostKey;

export interface EntryFlavour {
  /** Relative to the package. */
  readonly path: string;
  readonly flavour: Flavour;
  readonly reason: string;
}

/** Decides the flavour of an entry by its manifest and by what it imports, types included. */
export function flavourOf(
  path: string,
  { resourceKey }: Pick<PackageManifest, "resourceKey">,
  imports: readonly ImportedModule[],
): EntryFlavour {
  if (resourceKey === "coppice" || resourceKey === "omp") {
    return { path, flavour: resourceKey, reason: `named under ${resourceKey} in package.json` };
  }
  const named = (scope: RegExp) => imports.find(({ source }) => scope.test(source))?.source;
  const omp = named(/^@oh-my-pi\//);
  const pi = named(/^@(?:mariozechner|earendil-works)\/pi-/);
  if (omp !== undefined && pi === undefined) {
    return { path, flavour: "omp", reason: `imports ${omp}` };
  }
  if (resourceKey === "pi")
    return { path, flavour: "pi", reason: "named under pi in package.json" };
  if (pi !== undefined) return { path, flavour: "pi", reason: `imports ${pi}` };
  return { path, flavour: "coppice", reason: "nothing says otherwise" };
}
