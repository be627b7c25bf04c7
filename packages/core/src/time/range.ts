import { ArgumentError } from "../errors/argument-error.ts";

/** The range of a JavaScript Date before and after 1970: about 270,000 years. */
const msMax = 8.64e15;

/** Returns the milliseconds. Throws {@link ArgumentError} if they are outside the range of a Date. */
export function checkedMs(ms: number): number {
  if (Math.abs(ms) <= msMax) return ms;
  throw new ArgumentError({
    argument: "ms",
    problem: `is ${ms}, which is not a valid time. Pass milliseconds since the epoch.`,
  });
}
