// Durations of this API: an integer of seconds, or a number with one unit.

import type { ValidationRule } from "@homeostat/schema";

/** Seconds by unit. */
export const secondsByUnit = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

export type DurationUnit = keyof typeof secondsByUnit;

/** Pattern of durations in text form. */
export const durationPattern = "^[0-9]+(s|m|h|d|w)?$";

/** Maximum length of a duration in text form. It keeps the number of seconds far below 2^53 for every unit. */
export const durationLengthMax = 10;

export const durationProblem =
  "must be a number of seconds, or a number with one of the units s, m, h, d, w: 3600, 90m, 2d";

/**
 * Returns the seconds of a duration; undefined if it is not a valid duration.
 *
 * @example
 * durationSeconds("2d"); // 172800
 */
export function durationSeconds(duration: number | string): number | undefined {
  if (typeof duration === "number") return Number.isSafeInteger(duration) && duration >= 0 ? duration : undefined;
  if (duration.length > durationLengthMax) return undefined;
  const [, digits, unit = "s"] = /^([0-9]+)([smhdw])?$/.exec(duration) ?? [];
  return digits === undefined || !isUnit(unit) ? undefined : Number(digits) * secondsByUnit[unit];
}

/** Returns seconds in the largest unit that divides them: `2d`, `90m`, `45s`. */
export function formatSeconds(seconds: number): string {
  const units = Object.entries(secondsByUnit).toReversed();
  const [unit, size] = units.find(([, each]) => seconds !== 0 && seconds % each === 0) ?? ["s", 1];
  return `${seconds / size}${unit}`;
}

/** Returns a CEL rule that requires a duration of at least `seconds`, or 0 where `zero` is allowed. */
export function atLeastRule({ seconds, zero }: { readonly seconds: number; readonly zero: boolean }): ValidationRule {
  const value = secondsInCel("self");
  return {
    rule: zero ? `${value} == 0 || ${value} >= ${seconds}` : `${value} >= ${seconds}`,
    message: `must be at least ${formatSeconds(seconds)}${zero ? ", or 0 for no expiry where the operator allows it" : ""}`,
    reason: "FieldValueInvalid",
  };
}

/**
 * Returns a CEL expression for the seconds of an int-or-string.
 *
 * Text that is not a duration gives 2^53: the pattern of the field already reports it, and a failed conversion would hide that
 * behind an evaluation error.
 */
function secondsInCel(self: string): string {
  const number = `int(${self}.substring(0, ${self}.size() - 1))`;
  const byUnit = Object.entries(secondsByUnit).reduceRight(
    (otherwise, [unit, size]) => `${self}.endsWith('${unit}') ? ${number} * ${size} : ${otherwise}`,
    `int(${self})`,
  );
  return `(type(${self}) == int ? int(${self}) : ${self}.matches('^[0-9]{1,9}[smhdw]?$') ? (${byUnit}) : ${2 ** 53})`;
}

function isUnit(text: string): text is DurationUnit {
  return Object.hasOwn(secondsByUnit, text);
}
