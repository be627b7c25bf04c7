// Builders of StatefulSets and their pods for the tests of their controller.

import { asStored, type Stored } from "@homeostat/core";
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { podNameLabel, revisionLabel, type StoredStateful } from "../controllers/statefulset/ordinals.ts";

/** Current time in these tests, in milliseconds since the epoch. */
export const now: number = Date.UTC(2026, 0, 1, 12);

export function stateful(spec: Partial<StatefulSetSpec> = {}, status?: StatefulSetStatus): StoredStateful {
  return asStored<StatefulSet>({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "default", uid: "set", resourceVersion: "1", generation: 1 },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "db", image: "x" }] } },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  });
}

/** Options of {@link statefulMember}. */
export interface MemberOptions {
  readonly phase?: "Pending" | "Running" | "Failed";
  readonly isReady?: boolean;
  readonly revision?: string;
  readonly isBeingDeleted?: boolean;
}

export function statefulMember(ordinal: number, options: MemberOptions = {}): Stored<Pod> {
  const { phase = "Running", isReady = phase === "Running", revision = "", isBeingDeleted = false } = options;
  const name = `db-${ordinal}`;
  return asStored<Pod>({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      resourceVersion: "1",
      labels: { app: "db", [podNameLabel]: name, [revisionLabel]: revision },
      ...(isBeingDeleted ? { deletionTimestamp: "2026-01-01T12:00:30Z" } : {}),
    },
    spec: { containers: [{ name: "db", image: "x" }] },
    status: {
      phase,
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2026-01-01T11:00:00Z" }],
    },
  });
}
