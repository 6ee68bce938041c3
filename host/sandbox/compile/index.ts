export { compileCached } from "./cache.ts";
export { type CompiledPackage, type CompileRequest, compilePackage } from "./compile.ts";
export { COMPILE_LIMITS, type CompileLimits } from "./limits.ts";
export type { InputFile } from "./package-files.ts";
export { mapStack, type StackSource } from "./stack.ts";
