import { Compile, Validator } from "typebox/compile";

export * from "typebox/compile";
export default Compile;
/** The older library's name for the same thing. */
export const TypeCompiler = { Compile };
export { Validator };
