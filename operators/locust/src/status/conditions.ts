// What the conditions of a test say. Every text that a person reads in them stands here, but for those about pods (../health).

import type { ConditionType, Reason } from "../api/conditions.ts";

/** What a condition is to be. */
export interface ConditionWish<C extends ConditionType = ConditionType> {
  readonly status: boolean;
  readonly reason: Reason<C>;
  readonly message: string;
}

/** What some conditions are to be; one that is `undefined` is to go. */
export type ConditionWishes = { readonly [C in ConditionType]?: ConditionWish<C> | undefined };

/** The conditions there are, by type. */
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
  },
  SpecDrifted: {
    ignored: {
      status: true,
      reason: "SpecChangeIgnored",
      message: "Spec changes after creation are ignored. Delete and recreate the CR to apply changes.",
    },
  },
} as const satisfies {
  readonly [C in ConditionType]?: {
    readonly [name: string]: ConditionWish<C> | ((...given: never[]) => ConditionWish<C>);
  };
};
