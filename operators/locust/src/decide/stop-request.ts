import type { ThresholdResult } from "../api/locust-test.ts";
import { readTime } from "../status/read-time.ts";
import { brokenText } from "./thresholds.ts";
import type { StopWish } from "./stop.ts";

/** Everything that can end a run before its time. */
export interface WishInput {
  /** The value of the annotation `locust.io/stop`. */
  readonly annotation?: string | undefined;
  /** A value of it that was there before this run and is not about it. */
  readonly ignoredAnnotation?: string | undefined;
  /** A threshold with `abortOnFail` that was broken for long enough. */
  readonly broken?: ThresholdResult | undefined;
  readonly startTime?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly now: number;
}

const reasonMax = 256;

/** Who wants the run to end, and why: a user first, then a threshold, then the deadline. Undefined when nobody does. */
export function stopWish(input: WishInput): StopWish | undefined {
  const { annotation = "", ignoredAnnotation, broken, timeoutSeconds } = input;
  const asked = annotation.trim();
  if (asked !== "" && annotation !== ignoredAnnotation)
    return { trigger: "Annotation", reason: asked.slice(0, reasonMax) };
  if (broken !== undefined) return { trigger: "Threshold", reason: brokenText(broken) };
  if (timeoutSeconds !== undefined && deadlineInMs(input) === 0)
    return { trigger: "Deadline", reason: `not over after ${timeoutSeconds} s, which is its timeoutSeconds` };
  return undefined;
}

/** How long until `timeoutSeconds` are over; undefined for a test without them, or that has not started. */
export function deadlineInMs({
  startTime,
  timeoutSeconds,
  now,
}: Pick<WishInput, "startTime" | "timeoutSeconds" | "now">): number | undefined {
  const since = readTime(startTime);
  if (since === undefined || timeoutSeconds === undefined) return undefined;
  return Math.max(0, since + timeoutSeconds * 1_000 - now);
}
