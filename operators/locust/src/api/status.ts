// The fields in which the operator reports about a v2 test.

import { s } from "@homeostat/schema";
import { metrics } from "./spec.ts";

/** Where a test stands. */
export const phases = ["Pending", "Running", "Succeeded", "Failed"] as const;

/** How a test ended. */
export const outcomes = ["Passed", "Failed", "Aborted", "Error", "Unknown"] as const;

/** Who asked for a test to be ended. */
export const stopTriggers = ["Annotation", "Threshold", "Deadline"] as const;

const phase = s.enum(...phases);
const outcome = s.enum(...outcomes);

const workers = s.object({
  ready: s.int(),
  spawning: s.int(),
  running: s.int(),
  missing: s.int(),
  maxCpuPercent: s.number().optional().describe("The load of the busiest worker; above 90 its numbers are doubtful."),
});

const progress = s.object({
  state: s.string().describe("What Locust says it does, or WaitingForWorkers."),
  currentUsers: s.int().optional(),
  peakUsers: s.int().optional().describe("The most users that were seen."),
  targetUsers: s.int().optional(),
  duration: s.string().optional().describe("How long the load has run: 2m30s."),
  totalDuration: s.string().optional().describe("How long it is to run."),
  percent: s.int().optional().describe("How much of that is over, from 0 to 100."),
  requestsPerSecond: s.number().optional(),
  failuresPerSecond: s.number().optional(),
  failPercent: s.number().optional().describe("How many of a hundred requests failed."),
  p50: s.number().optional().describe("Milliseconds."),
  p95: s.number().optional().describe("Milliseconds."),
  lastUpdated: s.time().optional(),
});

const topError = s.object({
  method: s.string(),
  name: s.string(),
  error: s.string(),
  occurrences: s.int64(),
});

const thresholdResult = s.object({
  metric: s.enum(...metrics),
  name: s.string().optional(),
  method: s.string().optional(),
  limit: s.string().describe("What was asked for: max 500, or min 10, max 500."),
  actual: s.number().optional().describe("What was found; absent when there was nothing to judge."),
  passed: s.bool(),
  message: s.string().optional().describe("What else there is to say, such as that there was no such request."),
});

const result = s.object({
  outcome,
  totalRequests: s.int64().optional().describe("All requests, the failed ones included."),
  failedRequests: s.int64().optional(),
  failRatio: s.number().optional(),
  averageResponseTime: s.number().optional().describe("Milliseconds."),
  medianResponseTime: s.number().optional().describe("Milliseconds."),
  minResponseTime: s.number().optional().describe("Milliseconds."),
  maxResponseTime: s.number().optional().describe("Milliseconds."),
  p95ResponseTime: s.number().optional().describe("Milliseconds."),
  p99ResponseTime: s.number().optional().describe("Milliseconds."),
  requestsPerSecond: s.number().optional(),
  topErrors: s.list(topError).atomic().max(5).optional(),
  peakUsers: s.int().optional(),
  masterExitCode: s.int().optional(),
  final: s.bool().optional().describe("Whether the numbers are the last ones that Locust had."),
  thresholds: s.list(thresholdResult).atomic().optional(),
  resultsConfigMap: s.string().optional(),
});

const pastRun = s.object({
  run: s.int(),
  startTime: s.time().optional(),
  completionTime: s.time().optional(),
  phase: phase.optional(),
  outcome: outcome.optional(),
  totalRequests: s.int64().optional(),
  failRatio: s.number().optional(),
  p95ResponseTime: s.number().optional(),
  startedGeneration: s.int64().optional(),
});

const stop = s.object({
  requestedAt: s.time(),
  reason: s.string(),
  trigger: s.enum(...stopTriggers),
  swarmStopped: s.bool().optional().describe("Whether Locust has stopped its users."),
});

const broken = s.object({
  threshold: s.string().describe("Which one: failRatio of Aggregated, max 0.1."),
  since: s.time(),
});

/** The status of a v2 test, without its conditions. */
export const v2Status = {
  phase: phase.optional(),
  observedGeneration: s.int64().optional().describe("The generation seen at the last write of the status."),
  expectedWorkers: s.int().optional(),
  connectedWorkers: s.int().optional(),
  startTime: s.time().optional().describe("When the run began."),
  completionTime: s.time().optional().describe("When it ended."),
  startedGeneration: s.int64().optional().describe("The generation that the objects of the run were made from."),
  masterJobUID: s.string().optional(),
  workerJobUID: s.string().optional(),
  run: s.int().optional().describe("The number of the run, from 1."),
  workers: workers.optional().describe("What the workers do."),
  progress: progress.optional().describe("How far the run is."),
  result: result.optional().describe("What came out of it."),
  history: s.list(pastRun).atomic().max(5).optional().describe("Earlier runs, the newest first."),
  lastRerunToken: s.string().optional().describe("The last value of the annotation that asks for another run."),
  jobsSince: s
    .time()
    .optional()
    .describe("Since when there may be Jobs of a run that does not yet show as Running; absent when there are none."),
  broken: s
    .list(broken)
    .atomic()
    .optional()
    .describe("Thresholds that end the run when they stay broken for long enough, and since when they are."),
  stop: stop.optional().describe("That somebody wants the run to end."),
  ignoredStop: s.string().optional().describe("What the annotation that asks for an end said before this run began."),
  webUIURL: s.string().optional().describe("Where the web interface is found inside the cluster."),
};
