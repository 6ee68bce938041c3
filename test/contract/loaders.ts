import type { AgentSessionOptions } from "coppice/host";

/** A way to run extensions. Every case of the suite runs with each of them. */
export interface Loader {
  readonly name: string;
  /** The options that make a session run the extensions of these folders so. */
  options(folders: readonly string[]): Pick<AgentSessionOptions, "trusted">;
}

const inProcess: Loader = {
  name: "in process",
  options: (folders) => ({ trusted: folders }),
};

export const LOADERS: readonly Loader[] = [inProcess];
