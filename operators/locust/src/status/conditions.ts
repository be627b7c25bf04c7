// Messages of all conditions, except for pod health (decide/health.ts) and live statistics (live/). Most of them are those of
// the Go operator.

import type { ConditionTexts } from "homeostat";
import type { LocustTest, Reason } from "../api/locust-test.ts";

export const conditions = {
  Ready: {
    creating: { status: false, reason: "ResourcesCreating", message: "Creating resources" },
    recreating: { status: false, reason: "ResourcesCreating", message: "Recreating externally deleted resources" },
    created: { status: true, reason: "ResourcesCreated", message: "All resources created" },
    testFailed: { status: false, reason: "ResourcesFailed", message: "Test failed" },
    failed: (message: string) => ({ status: false, reason: "ResourcesFailed", message }),
  },
  WorkersConnected: {
    waiting: { status: false, reason: "WaitingForWorkers", message: "Waiting for workers to connect" },
    counted: (connected: number, expected: number) => ({
      status: connected >= expected,
      reason: connected >= expected ? "AllWorkersConnected" : "WorkersMissing",
      message: `${connected}/${expected} workers connected`,
    }),
  },
  TestCompleted: {
    notStarted: { status: false, reason: "TestInProgress", message: "Test has not started" },
    running: { status: false, reason: "TestInProgress", message: "Test is running" },
    succeeded: { status: true, reason: "TestSucceeded", message: "Test completed successfully" },
    failed: (reason: Reason<"TestCompleted">, cause: string | undefined) => ({
      status: true,
      reason,
      message: cause === undefined ? "Test failed" : `Test failed: ${cause}`,
    }),
  },
  PodsHealthy: {
    starting: { status: true, reason: "PodsStarting", message: "Waiting for pods to start" },
    healthy: { status: true, reason: "PodsHealthy", message: "All pods are healthy" },
  },
  SpecDrifted: {
    ignored: {
      status: true,
      reason: "SpecChangeIgnored",
      message: "Spec changes after creation are ignored. Delete and recreate the CR to apply changes.",
    },
  },
  LiveStats: {
    disabled: { status: false, reason: "Disabled", message: "Live statistics are disabled" },
    waiting: { status: false, reason: "WaitingForMaster", message: "Waiting for the master to start" },
  },
} as const satisfies ConditionTexts<LocustTest>;
