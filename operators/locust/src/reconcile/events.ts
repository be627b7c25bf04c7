// The events that tell the story of a test. Every text of them stands here.

import type { EventNote } from "@homeostat/runtime";

/** What a missing object is called in events and in the log. */
export type ObjectTitle = "Master Service" | "Master Job" | "Worker Job";

/** The events there are. */
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
  testStopped: (totals: string) => ({ reason: "TestStopped", note: `Load test stopped ${totals}` }),
  rerunStarted: (run: number) => ({
    reason: "RerunStarted",
    note: `Load test is run again, for the ${ordinal(run)} time`,
  }),
  rerunRefused: {
    type: "Warning",
    reason: "RerunRefused",
    note: "A load test can be run again only when it is over; the request was ignored",
  },
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;

function ordinal(count: number): string {
  const [last, tens] = [count % 10, Math.floor(count / 10) % 10];
  const suffix = tens === 1 ? "th" : last === 1 ? "st" : last === 2 ? "nd" : last === 3 ? "rd" : "th";
  return `${count}${suffix}`;
}
