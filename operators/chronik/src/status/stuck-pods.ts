// Pods that cannot start, in the words of the component that reports it: the scheduler or the kubelet.

import type { ObservedMember } from "../observe/observed.ts";

/** A pod that may be stuck. */
export type StuckPod = Pick<ObservedMember, "podName" | "stuck">;

/** Number of pods that a message names. */
const podsMax = 3;

/** Describes the pods that cannot start: `c-ingest-2 cannot be scheduled: 0/3 nodes are available`. Empty if there are none. */
export function describeStuck(pods: readonly StuckPod[]): string {
  const found = pods.flatMap(({ podName, stuck }) => (stuck === undefined ? [] : [describe(podName, stuck)]));
  const rest = found.length - podsMax;
  return [...found.slice(0, podsMax), ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

function describe(podName: string, { reason, detail }: NonNullable<ObservedMember["stuck"]>): string {
  if (reason === "Unschedulable") return `${podName} cannot be scheduled: ${detail ?? "no node was found"}`;
  return detail === undefined ? `${podName}: ${reason}` : `${podName}: ${reason}: ${detail}`;
}
