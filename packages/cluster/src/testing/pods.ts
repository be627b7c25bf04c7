// Builders of pods for the tests of the controllers.

import { asStored, type Stored } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";

/** Options of {@link somePod}. */
export interface SomePodOptions {
  readonly node?: string;
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  /** When it became ready: the end of a time, `12:00:00Z`. */
  readonly ready?: string;
  readonly created?: string;
  readonly restarts?: number;
  readonly cost?: string;
  readonly labels?: Record<string, string>;
  readonly owner?: string;
  readonly isGoing?: boolean;
}

export function somePod(name: string, options: SomePodOptions = {}): Stored<Pod> {
  const { node, phase = "Running", ready, created = "10:00:00Z", restarts = 0, cost, labels = {}, owner } = options;
  return asStored<Pod>({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "1",
      labels,
      creationTimestamp: `2026-01-01T${created}`,
      ...(options.isGoing === true ? { deletionTimestamp: "2026-01-01T12:00:30Z" } : {}),
      ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: owner, controller: true }],
          }),
    },
    spec: { containers: [{ name: "a", image: "x" }], ...(node === undefined ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions:
        ready === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: `2026-01-01T${ready}` }],
      containerStatuses: [{ name: "a", image: "x", imageID: "", ready: false, restartCount: restarts }],
    },
  });
}
