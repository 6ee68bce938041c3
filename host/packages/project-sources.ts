import { join, relative } from "node:path";
import { realPath } from "../storage/session-dir.ts";
import type { Source } from "./source.ts";
import { readObject, writeObject } from "./state-file.ts";
import { decideTrust, keepTrust, projectSources, projectTrust } from "./trust.ts";
import type { PackageWork } from "./work.ts";

/** Adds a source to the settings of the project; files and grants stay with the user (§5.6). */
export function addProjectSource(source: Source, work: PackageWork): Promise<void> {
  const root = realPath(work.cwd);
  const text = source.kind === "path" ? shortPath(root, source.path) : source.text;
  return changeSources(work, (sources) => (sources.includes(text) ? sources : [...sources, text]));
}

/** Takes the sources out of the settings of the project for which `isGone`. */
export function removeProjectSources(
  isGone: (source: string) => boolean,
  work: PackageWork,
): Promise<void> {
  return changeSources(work, (sources) => sources.filter((source) => !isGone(source)));
}

/** Switches an id off, or on again, in the settings of the project. */
export async function switchInProject(id: string, isOn: boolean, work: PackageWork): Promise<void> {
  await changeSettings(work, (settings) => {
    const { "extensions.disabled": before } = settings;
    const others = Array.isArray(before) ? before.filter((one) => one !== id) : [];
    return { ...settings, "extensions.disabled": isOn ? others : [...others, id] };
  });
}

function shortPath(root: string, path: string): string {
  const below = relative(root, path);
  return below.startsWith("..") || below.startsWith("/") ? path : `./${below}`;
}

function changeSources(
  work: PackageWork,
  change: (sources: readonly string[]) => readonly string[],
): Promise<void> {
  const root = realPath(work.cwd);
  return changeSettings(work, (settings) => ({
    ...settings,
    extensions: change(projectSources(root)),
  }));
}

/** A project that was trusted, or brought nothing before, is trusted with what coppice wrote. */
async function changeSettings(
  work: PackageWork,
  change: (settings: Readonly<Record<string, unknown>>) => object,
): Promise<void> {
  const { places, cwd, env } = work;
  const before = projectTrust({ places, cwd });
  const path = join(before.root, ".coppice", "settings.json");
  writeObject(path, change(readObject(path) ?? {}), env);
  if (before.state === "nothing") await decideTrust({ places, cwd }, "version", env);
  else if (before.isTrusted) await keepTrust({ places, cwd }, env);
}
