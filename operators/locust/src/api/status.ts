// The status of a v2 test, without its conditions.

import { s } from "homeostat";
import { metrics } from "./spec.ts";

const phase = s.enum("Pending", "Running", "Succeeded", "Failed");
const outcome = s.enum("Passed", "Failed", "Aborted", "Error", "Unknown");
const milliseconds = s.number().optional().describe("In milliseconds.");

const workers = s.object({
  ready: s.int(),
  spawning: s.int(),
  running: s.int(),
  missing: s.int(),
  maxCpuPercent: s
    .number()
    .optional()
    .describe("CPU usage of the busiest worker in percent. Above 90, the results are unreliable."),
});

const progress = s.object({
  state: s.string().describe("State reported by Locust, or WaitingForWorkers."),
  currentUsers: s.int().optional(),
  peakUsers: s.int().optional().describe("Highest number of users observed."),
  targetUsers: s.int().optional(),
  duration: s.string().optional().describe("Time since the load started, such as 2m30s."),
  totalDuration: s.string().optional().describe("Configured run time."),
  percent: s.int().optional().describe("Elapsed share of the run time, from 0 to 100."),
  requestsPerSecond: s.number().optional(),
  failuresPerSecond: s.number().optional(),
  failPercent: s.number().optional().describe("Percentage of failed requests."),
  p50: milliseconds,
  p95: milliseconds,
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
  limit: s.string().describe("Configured limits, such as `min 10, max 500`."),
  actual: s.number().optional().describe("Measured value; absent if there was nothing to evaluate."),
  passed: s.bool(),
  message: s.string().optional().describe("Explanation, for example that no such request was made."),
});

const result = s.object({
  outcome,
  totalRequests: s.int64().optional().describe("All requests, including failed ones."),
  failedRequests: s.int64().optional(),
  failRatio: s.number().optional(),
  averageResponseTime: milliseconds,
  medianResponseTime: milliseconds,
  minResponseTime: milliseconds,
  maxResponseTime: milliseconds,
  p95ResponseTime: milliseconds,
  p99ResponseTime: milliseconds,
  requestsPerSecond: s.number().optional(),
  topErrors: s.list(topError).atomic().max(5).optional(),
  peakUsers: s.int().optional(),
  masterExitCode: s.int().optional(),
  final: s.bool().optional().describe("True if these are Locust's final statistics."),
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
  trigger: s.enum("Annotation", "Threshold", "Deadline"),
  swarmStopped: s.bool().optional().describe("True once Locust has stopped its users."),
});

const broken = s.object({
  threshold: s.string().describe("Description of the threshold, such as `failRatio of Aggregated, max 0.1`."),
  since: s.time().describe("Time at which it started to fail."),
});

export const v2Status = {
  phase: phase.optional(),
  observedGeneration: s.int64().optional().describe("Generation observed at the last status write."),
  expectedWorkers: s.int().optional(),
  connectedWorkers: s.int().optional(),
  startTime: s.time().optional().describe("Start time of the run."),
  completionTime: s.time().optional().describe("End time of the run."),
  startedGeneration: s.int64().optional().describe("Generation from which the objects of the run were created."),
  masterJobUID: s.string().optional(),
  workerJobUID: s.string().optional(),
  run: s.int().optional().describe("Number of the run, starting at 1."),
  workers: workers.optional().describe("Number of workers by state."),
  progress: progress.optional().describe("Progress of the run."),
  result: result.optional().describe("Result of the run."),
  history: s.list(pastRun).atomic().max(5).optional().describe("Earlier runs, newest first."),
  lastRerunToken: s
    .string()
    .optional()
    .describe("Last value of the annotation locust.io/rerun that the operator handled."),
  jobsSince: s.time().optional().describe("Time from which Jobs may exist for a run that is not yet Running."),
  jobsKeptSeconds: s.int().optional().describe("Minimum time in seconds that these Jobs exist after they finish."),
  broken: s.list(broken).atomic().optional().describe("Thresholds with holdSeconds that currently fail."),
  stop: stop.optional().describe("Request to stop the run."),
  ignoredStop: s
    .string()
    .optional()
    .describe("Value of the annotation locust.io/stop from before this run; it is ignored."),
  webUIURL: s.string().optional().describe("URL of the web UI inside the cluster."),
};
