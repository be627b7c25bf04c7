import type { Test } from "../build/objects.ts";
import { commandProblems } from "./commands.ts";
import { nameProblems } from "./names.ts";
import type { TestProblem } from "./problem.ts";
import { thresholdProblems } from "./thresholds.ts";
import { volumeProblems } from "./mounts.ts";

const replicasMax = 500;

/**
 * Everything that keeps a test from being run, all at once; empty when it can be.
 *
 * The webhook refuses such a test. The reconciler asks again before it makes anything, as the webhook may be off.
 */
export function testProblems(test: Test): TestProblem[] {
  return [
    ...nameProblems(test),
    ...commandProblems(test),
    ...replicasProblems(test),
    ...volumeProblems(test),
    ...telemetryProblems(test),
    ...thresholdProblems(test),
  ];
}

function* replicasProblems({ spec: { worker } }: Test): Iterable<TestProblem> {
  if (Number.isInteger(worker.replicas) && worker.replicas >= 1 && worker.replicas <= replicasMax) return;
  yield { rule: "R1", path: "spec.worker.replicas", message: `must be a whole number from 1 to ${replicasMax}` };
}

function* telemetryProblems({ spec: { observability } }: Test): Iterable<TestProblem> {
  const telemetry = observability?.openTelemetry;
  if (telemetry?.enabled !== true || (telemetry.endpoint ?? "").trim() !== "") return;
  yield {
    rule: "O1",
    path: "spec.observability.openTelemetry.endpoint",
    message: "observability.openTelemetry.endpoint is required when OpenTelemetry is enabled",
  };
}
