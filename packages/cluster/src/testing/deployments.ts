// Builders of Deployments and ReplicaSets for the tests of their controller.

import { asStored } from "@homeostat/core";
import type { Deployment, DeploymentSpec, DeploymentStatus, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { desiredAnnotation, maxAnnotation, revisionAnnotation } from "../controllers/deployment/replica-sets.ts";
import type { StoredDeployment, StoredSet } from "../controllers/deployment/strategy.ts";

/** Current time in these tests, in milliseconds since the epoch. */
export const now: number = Date.UTC(2026, 0, 1, 12);

export function template(image: string): PodTemplateSpec {
  return { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } };
}

export function deployment(spec: Partial<DeploymentSpec> = {}, status: DeploymentStatus = {}): StoredDeployment {
  return asStored<Deployment>({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", uid: "web", resourceVersion: "1", generation: 1 },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: "web" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      template: template("new"),
      ...spec,
    },
    status,
  });
}

/** Options of {@link set}. */
export interface SetOptions {
  readonly size?: number;
  readonly available?: number;
  readonly image?: string;
  readonly revision?: number;
  readonly desired?: number;
  readonly max?: number;
  readonly created?: string;
}

export function set(name: string, options: SetOptions = {}): StoredSet {
  const { size = 0, available = size, image = name, created = "10:00:00Z" } = options;
  const annotations = Object.entries({
    [revisionAnnotation]: options.revision,
    [desiredAnnotation]: options.desired,
    [maxAnnotation]: options.max,
  }).filter(([, value]) => value !== undefined);
  return asStored<ReplicaSet>({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: `2026-01-01T${created}`,
      annotations: Object.fromEntries(annotations.map(([key, value]) => [key, String(value)])),
    },
    spec: { replicas: size, selector: { matchLabels: { app: "web" } }, template: template(image) },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  });
}
