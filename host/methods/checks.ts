import { coreError } from "../../core/index.ts";
import { hostError } from "../errors.ts";
import { misfit, type Shape } from "../shape.ts";

/** Raises INVALID_ARGUMENT if the second argument of a member does not fit. */
export function checkShape(member: string, shape: Shape, value: unknown): void {
  const reason = misfit(shape, value, "argument 2");
  if (reason !== undefined) throw coreError("INVALID_ARGUMENT", { argument: member, reason });
}

/** The lines of a widget; `undefined` takes it away. Raises NOT_SUPPORTED, INVALID_ARGUMENT. */
export function widgetLines(lines: unknown): readonly string[] | undefined {
  if (typeof lines === "function") {
    throw hostError("NOT_SUPPORTED", { member: "ctx.ui.setWidget with a factory" });
  }
  if (lines === undefined || lines === null) return undefined;
  checkShape("ctx.ui.setWidget", ["string"], lines);
  return lines as readonly string[];
}
