import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";

/** Returns the state of a pod in one or two words, or the reason that a container waits for. */
export function podState({ metadata, status }: Pick<Pod, "metadata" | "status">): string {
  if (metadata.deletionTimestamp !== undefined) return "terminating";
  const containers = status?.containerStatuses ?? [];
  const waiting = containers.find(({ state }) => state?.waiting !== undefined)?.state?.waiting?.reason;
  if (waiting !== undefined && waiting !== "ContainerCreating" && waiting !== "PodInitializing") return waiting;
  switch (status?.phase) {
    case "Running":
      if (containers.some(({ state }) => state?.terminated !== undefined)) return "completing";
      return containers.every(({ ready }) => ready) ? "running" : "starting";
    case "Succeeded":
      return "succeeded";
    case "Failed":
      return "failed";
    default:
      return "created";
  }
}

/** Returns the state of a Job: created, complete, or failed with its reason. */
export function jobState({ status }: Pick<Job, "status">): string {
  const finished = status?.conditions?.find(
    ({ type, status: conditionStatus }) => conditionStatus === "True" && (type === "Complete" || type === "Failed"),
  );
  if (finished === undefined) return "created";
  return finished.type === "Complete"
    ? "complete"
    : `failed${finished.reason === undefined ? "" : `: ${finished.reason}`}`;
}

/** Returns the state of a workload with replicas: created, or how many of its pods are ready. */
export function replicasState({ spec, status }: ReplicasView): string {
  const desired = spec?.replicas ?? 1;
  const ready = status?.readyReplicas ?? 0;
  return ready === 0 && desired > 0 ? "created" : `${ready}/${desired} ready`;
}

interface ReplicasView {
  readonly spec?: { readonly replicas?: number | undefined } | undefined;
  readonly status?: { readonly readyReplicas?: number | undefined } | undefined;
}

/** Formats a line about an object in columns: kind, name, state. */
export function objectLine(kind: string, name: string, state: string): string {
  return `${kind.padEnd(14)} ${name.padEnd(34)} ${state}`;
}
