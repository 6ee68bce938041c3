export { compileCached } from "./cache.ts";
export { type CompiledPackage, compilePackage } from "./compile.ts";
export { stackMapper } from "./stack.ts";
