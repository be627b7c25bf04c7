import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";

/** What there is to say about a pod. */
export function podState({ metadata, status }: Pick<Pod, "metadata" | "status">): string {
  if (metadata.deletionTimestamp !== undefined) return "stops";
  const containers = status?.containerStatuses ?? [];
  const waiting = containers.find(({ state }) => state?.waiting !== undefined)?.state?.waiting?.reason;
  if (waiting !== undefined && waiting !== "ContainerCreating" && waiting !== "PodInitializing") return waiting;
  switch (status?.phase) {
    case "Running":
      if (containers.some(({ state }) => state?.terminated !== undefined)) return "ends";
      return containers.every(({ ready }) => ready) ? "runs" : "starts";
    case "Succeeded":
      return "is done";
    case "Failed":
      return "has failed";
    default:
      return "is made";
  }
}

/** What there is to say about a Job. */
export function jobState({ status }: Pick<Job, "status">): string {
  const over = status?.conditions?.find(
    ({ type, status: is }) => is === "True" && (type === "Complete" || type === "Failed"),
  );
  if (over === undefined) return "is made";
  return over.type === "Complete" ? "is complete" : `has failed${over.reason === undefined ? "" : `: ${over.reason}`}`;
}

/** What there is to say about what keeps a number of pods. */
export function replicasState({ spec, status }: ReplicasView): string {
  const wanted = spec?.replicas ?? 1;
  const ready = status?.readyReplicas ?? 0;
  return ready === 0 && wanted > 0 ? "is made" : `has ${ready} of ${wanted} ready`;
}

interface ReplicasView {
  readonly spec?: { readonly replicas?: number | undefined } | undefined;
  readonly status?: { readonly readyReplicas?: number | undefined } | undefined;
}

/** A line about an object: its kind, its name, what is said of it. */
export function objectLine(kind: string, name: string, state: string): string {
  return `${kind.padEnd(13)} ${name.padEnd(34)} ${state}`;
}
