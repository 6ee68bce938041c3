import { existsSync, readFileSync } from "node:fs";

/** The version in the package's own package.json; this file lies one or, compiled, two folders below it. */
export function packageVersion(): string {
  const places = ["../package.json", "../../package.json"].map(
    (path) => new URL(path, import.meta.url),
  );
  const file = places.find((place) => existsSync(place)) as URL;
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
