/** How much one package may give the compiler, and what it may make of it (sandbox spec §5.2). */
export interface CompileLimits {
  readonly files: number;
  readonly fileBytes: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly timeMs: number;
}

const MIB = 1024 * 1024;

export const COMPILE_LIMITS: CompileLimits = {
  files: 5000,
  fileBytes: 4 * MIB,
  inputBytes: 48 * MIB,
  outputBytes: 12 * MIB,
  timeMs: 30_000,
};
