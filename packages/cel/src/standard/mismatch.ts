import { failure, noSuchOverload, type CelFailure } from "../failure.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import type { CelValue } from "../values/value.ts";

/**
 * Returns the failure of an operator whose operands have the wrong types.
 *
 * As in cel-go, it names the operator only if the left operand does not support it. Strings, timestamps and durations have member
 * functions and dispatch the call themselves, so their failure does not name the operator.
 */
export function operatorMismatch(
  name: string,
  left: CelValue | undefined,
  takesPart: (value: CelValue) => boolean,
): CelFailure {
  if (left === undefined) return noSuchOverload();
  const answersItself = typeof left === "string" || left instanceof CelTimestamp || left instanceof CelDuration;
  return answersItself || takesPart(left) ? noSuchOverload() : failure(`no such overload: ${name}`);
}
