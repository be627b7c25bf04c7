import { ArgumentError } from "../errors/argument-error.ts";

/** What a JavaScript Date holds to either side of 1970: about 270,000 years. */
const msMax = 8.64e15;

/** The milliseconds, unless they are no instant at all. Throws {@link ArgumentError}. */
export function checkedMs(ms: number): number {
  if (Math.abs(ms) <= msMax) return ms;
  throw new ArgumentError({ argument: "ms", problem: `is ${ms}, which is no time. Pass milliseconds since 1970.` });
}
