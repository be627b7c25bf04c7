// The texts of all events.

import type { EventNote } from "homeostat";
import type { ObjectTitle } from "../decide/missing.ts";

export const events = {
  created: (kind: string, name: string) => ({ reason: "Created", note: `Created ${kind} ${name}` }),
  testStarted: { reason: "TestStarted", note: "Load test execution started" },
  testCompleted: { reason: "TestCompleted", note: "Load test completed successfully" },
  testFailed: (cause: string | undefined) => ({
    type: "Warning",
    reason: "TestFailed",
    note: `Load test execution failed${cause === undefined ? "" : `: ${cause}`}`,
  }),
  podFailure: (message: string) => ({ type: "Warning", reason: "PodFailure", note: message }),
  resourceDeleted: (title: ObjectTitle, name: string) => ({
    type: "Warning",
    reason: "ResourceDeleted",
    note: `${title} ${name} was deleted externally, will attempt recreation`,
  }),
  deleting: { reason: "Deleting", note: "LocustTest and owned resources being cleaned up" },
  createFailed: (message: string) => ({ type: "Warning", reason: "CreateFailed", note: message }),
  testRecovered: { reason: "TestRecovered", note: "Pods are healthy again" },
  stopRequested: (reason: string) => ({ reason: "StopRequested", note: `Stopping the load test: ${reason}` }),
  thresholdFailed: (text: string) => ({ type: "Warning", reason: "ThresholdFailed", note: text }),
  testStopped: ({ totalRequests, failedRequests = 0 }: { totalRequests?: number; failedRequests?: number }) => ({
    reason: "TestStopped",
    note:
      totalRequests === undefined
        ? "Load test stopped before its statistics could be read"
        : `Load test stopped after ${totalRequests} requests, of which ${failedRequests} failed`,
  }),
  rerunStarted: (run: number) => ({ reason: "RerunStarted", note: `Started run ${run} of the load test` }),
  rerunRefused: {
    type: "Warning",
    reason: "RerunRefused",
    note: "Rerun request ignored: the load test has not finished",
  },
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;
