import type { Outcome, Reason, Stop, ThresholdResult } from "../api/locust-test.ts";
import { describeBroken } from "./thresholds.ts";

export interface VerdictInput {
  /** End of the master Job; undefined if it has not ended, as after a stop. */
  readonly job: "Complete" | "Failed" | undefined;
  readonly masterExitCode?: number | undefined;
  readonly stop?: Pick<Stop, "trigger" | "reason"> | undefined;
  readonly hasThresholds: boolean;
  /** The evaluated thresholds; undefined without statistics. */
  readonly thresholds?: readonly ThresholdResult[] | undefined;
  readonly failedRequests?: number | undefined;
}

export interface Verdict {
  readonly phase: "Succeeded" | "Failed";
  readonly reason: Reason<"TestCompleted">;
  readonly outcome: Outcome;
  /** Cause of the failure; undefined if it must be derived from the Job. */
  readonly cause?: string | undefined;
}

/** Decides how a test ended; undefined while it has not. A stop takes precedence over the Job, the Job over thresholds. */
export function verdictOf(input: VerdictInput): Verdict | undefined {
  const { job, stop, thresholds = [], hasThresholds } = input;
  const broken = thresholds.filter(({ passed }) => !passed).map(describeBroken);
  if (stop !== undefined) return stopped(stop, broken);
  if (job === undefined) return undefined;
  if (job === "Failed") {
    const isByRequests = input.masterExitCode === 1 && !hasThresholds && (input.failedRequests ?? 0) > 0;
    return { phase: "Failed", reason: "TestFailed", outcome: isByRequests ? "Failed" : "Error" };
  }
  if (hasThresholds && input.thresholds === undefined) {
    const cause = "no statistics were received from Locust, so the thresholds could not be evaluated";
    return { phase: "Failed", reason: "ResultUnavailable", outcome: "Unknown", cause };
  }
  if (hasThresholds && broken.length > 0) {
    return { phase: "Failed", reason: "ThresholdsFailed", outcome: "Failed", cause: listed(broken) };
  }
  return { phase: "Succeeded", reason: "TestSucceeded", outcome: "Passed" };
}

function stopped({ trigger, reason }: Pick<Stop, "trigger" | "reason">, broken: readonly string[]): Verdict {
  switch (trigger) {
    case "Annotation":
      return { phase: "Failed", reason: "TestAborted", outcome: "Aborted", cause: `stopped on request: ${reason}` };
    case "Threshold": {
      const cause = broken.length === 0 ? reason : listed(broken);
      return { phase: "Failed", reason: "ThresholdsFailed", outcome: "Failed", cause };
    }
    case "Deadline":
      return { phase: "Failed", reason: "DeadlineExceeded", outcome: "Error", cause: reason };
  }
}

const listedMax = 5;

function listed(broken: readonly string[]): string {
  const more = broken.length > listedMax ? `; and ${broken.length - listedMax} more` : "";
  return `${broken.slice(0, listedMax).join("; ")}${more}`;
}
