export type FlagValue = boolean | string;

/** A flag of the command line (extensions spec §2.3). */
export interface FlagOptions {
  readonly description?: string;
  readonly type: "boolean" | "string";
  readonly default?: FlagValue;
}
