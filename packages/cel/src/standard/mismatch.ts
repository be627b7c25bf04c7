import { failure, noSuchOverload, type CelFailure } from "../failure.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import type { CelValue } from "../values/value.ts";

/**
 * The failure of an operator that does not fit its operands.
 *
 * It names the operator only when the left operand never takes part in it. Texts, timestamps and durations have member
 * functions, and are therefore asked themselves, without the name.
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
