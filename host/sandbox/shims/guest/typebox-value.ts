import * as Value from "typebox/value";

export * from "typebox/value";
export { Value };
export default Value;
