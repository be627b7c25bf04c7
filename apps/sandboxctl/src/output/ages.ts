import { tryParseTime } from "@homeostat/core";
import { durationText } from "../command/duration.ts";

/** Returns the time since a moment as text, such as `3h20m`. */
export function ageOf(time: string | undefined, now: number): string {
  const at = time === undefined ? undefined : tryParseTime(time);
  return at === undefined ? "" : durationText(now - at);
}

/** Returns the time until a moment as text, such as `in 2d`. */
export function untilText(time: string | undefined, now: number): string {
  const at = time === undefined ? undefined : tryParseTime(time);
  if (at === undefined) return "never";
  return at <= now ? "expired" : `in ${durationText(at - now)}`;
}
