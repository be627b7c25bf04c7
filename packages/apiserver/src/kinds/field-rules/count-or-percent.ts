import type { Field } from "../../validation/field.ts";

const percent = /^[0-9]+%$/;

const percentDetail =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Checks an `IntOrString` that is a number or a percentage. */
export function checkCountOrPercent(count: Field): void {
  if (typeof count.value === "string") {
    if (!percent.test(count.value)) count.invalid(percentDetail);
  } else count.notNegative();
}

/** Reports whether a percentage is above 100. */
export function isAbove100Percent(count: Field): boolean {
  return percent.test(count.text) && Number.parseInt(count.text, 10) > 100;
}

/** Returns the number, or the percentage without its sign. */
export function amountOf(count: Field): number {
  return typeof count.value === "string" ? Number.parseInt(count.value, 10) || 0 : count.number;
}
