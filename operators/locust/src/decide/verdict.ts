import type { Outcome, Stop, ThresholdResult } from "../api/locust-test.ts";
import type { Reason } from "../api/conditions.ts";
import { brokenText } from "./thresholds.ts";

/** What is known at the end of a run. */
export interface VerdictInput {
  /** How the master Job ended; undefined when that is not known, as after a stop. */
  readonly job: "Complete" | "Failed" | undefined;
  readonly masterExitCode?: number | undefined;
  /** Whether somebody asked for the end. */
  readonly stop?: Pick<Stop, "trigger" | "reason"> | undefined;
  /** Whether the test has thresholds. */
  readonly hasThresholds: boolean;
  /** How they were judged; undefined when no numbers are known. */
  readonly thresholds?: readonly ThresholdResult[] | undefined;
  /** Undefined when no numbers are known. */
  readonly failedRequests?: number | undefined;
}

/** The end of a test: its phase, the reason of `TestCompleted`, the outcome of the result, and what to say of it. */
export interface Verdict {
  readonly phase: "Succeeded" | "Failed";
  readonly reason: Reason<"TestCompleted">;
  readonly outcome: Outcome;
  /** Why it failed, without `Test failed: `; undefined when only the Job can say. */
  readonly cause?: string | undefined;
}

/** The table of 21.4, from the last row up: undefined while the test is not over. */
export function verdictOf(input: VerdictInput): Verdict | undefined {
  const { job, stop, thresholds = [], hasThresholds } = input;
  const broken = thresholds.filter(({ passed }) => !passed).map(brokenText);
  if (stop !== undefined) return stopped(stop, broken);
  if (job === undefined) return undefined;
  if (job === "Failed") {
    const hasFailures = (input.failedRequests ?? 0) > 0;
    const isByRequests = input.masterExitCode === 1 && !hasThresholds && hasFailures;
    return { phase: "Failed", reason: "TestFailed", outcome: isByRequests ? "Failed" : "Error" };
  }
  if (!hasThresholds) return { phase: "Succeeded", reason: "TestSucceeded", outcome: "Passed" };
  if (input.thresholds === undefined)
    return {
      phase: "Failed",
      reason: "ResultUnavailable",
      outcome: "Unknown",
      cause: "no numbers came from Locust, so the thresholds could not be judged",
    };
  if (broken.length > 0)
    return { phase: "Failed", reason: "ThresholdsFailed", outcome: "Failed", cause: shown(broken) };
  return { phase: "Succeeded", reason: "TestSucceeded", outcome: "Passed" };
}

function stopped({ trigger, reason }: Pick<Stop, "trigger" | "reason">, broken: readonly string[]): Verdict {
  switch (trigger) {
    case "Annotation":
      return { phase: "Failed", reason: "TestAborted", outcome: "Aborted", cause: `stopped on request: ${reason}` };
    case "Threshold":
      return {
        phase: "Failed",
        reason: "ThresholdsFailed",
        outcome: "Failed",
        cause: broken.length === 0 ? reason : shown(broken),
      };
    case "Deadline":
      return { phase: "Failed", reason: "DeadlineExceeded", outcome: "Error", cause: reason };
  }
}

const shownMax = 5;

function shown(broken: readonly string[]): string {
  const more = broken.length > shownMax ? `; and ${broken.length - shownMax} more` : "";
  return `${broken.slice(0, shownMax).join("; ")}${more}`;
}
