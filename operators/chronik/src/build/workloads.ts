// StatefulSets of controllers and ingest nodes, and Deployments of search nodes.

import { createHash } from "node:crypto";
import type { DeepReadonly } from "homeostat";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import { type Component, fieldManager, type StatefulComponent } from "../api/identity.ts";
import { labels, selectorLabels } from "../api/labels.ts";
import { type Color, dataVolume, names } from "../api/names.ts";
import { configHash } from "./config-files.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import { type PodInput, podTemplate } from "./pod-template.ts";
import { byComponent, type ResolvedCluster } from "./resolve.ts";

const revisionHistoryLimit = 5;

/**
 * Builds the StatefulSet of a component.
 *
 * The operator decides which pod restarts when, so the update strategy is OnDelete. Claims are deleted by the operator alone, so
 * that no cascade can delete data. `claimSize` is the size in the claim template of an existing StatefulSet, which is immutable.
 */
export function statefulSet(
  resolved: ResolvedCluster,
  component: StatefulComponent,
  input: PodInput & { readonly replicas: number; readonly claimSize?: string | undefined },
): ChildObject<StatefulSet> {
  const name = names.component(resolved.name, component);
  return {
    metadata: metadataOf(resolved, { name, component, annotations: hashAnnotation(resolved, component, input) }),
    spec: {
      serviceName: name,
      replicas: input.replicas,
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "OnDelete" },
      ...minReady(resolved),
      revisionHistoryLimit,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      selector: { matchLabels: selectorLabels(resolved.name, component) },
      template: podTemplate(resolved, component, input),
      volumeClaimTemplates: [claim(resolved, component, input.claimSize ?? resolved.storage.size)],
    },
  };
}

/** Returns the field `minReadySeconds`. The API server drops zeros, so that a desired object with one would always differ. */
function minReady({ updateStrategy: { minReadySeconds } }: ResolvedCluster): { readonly minReadySeconds?: number } {
  return minReadySeconds > 0 ? { minReadySeconds } : {};
}

/** Builds the claim template. Its labels are a fixed set, because the template is immutable. */
function claim(
  { name, storage }: ResolvedCluster,
  component: StatefulComponent,
  size: string,
): DeepReadonly<PersistentVolumeClaim> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: dataVolume,
      labels: {
        ...selectorLabels(name, component),
        [labels.managedBy]: fieldManager,
        [labels.cluster]: name,
      },
    },
    spec: {
      accessModes: storage.accessModes,
      ...(storage.storageClass !== undefined && { storageClassName: storage.storageClass }),
      resources: { requests: { storage: size } },
    },
  };
}

/** Builds the Deployment of the search nodes, or the one of a color. */
export function searchDeployment(
  resolved: ResolvedCluster,
  input: PodInput & { readonly replicas: number; readonly color?: Color | undefined },
): ChildObject<Deployment> {
  const { updateStrategy } = resolved;
  const { color } = input;
  const name = color === undefined ? names.component(resolved.name, "search") : names.searchColor(resolved.name, color);
  const metadata = metadataOf(resolved, {
    name,
    component: "search",
    annotations: hashAnnotation(resolved, "search", input),
  });
  const colorLabel = color === undefined ? {} : { [labels.color]: color };
  return {
    metadata: { ...metadata, labels: { ...metadata.labels, ...colorLabel } },
    spec: {
      replicas: input.replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      ...minReady(resolved),
      // The API server requires the deadline to be greater than minReadySeconds.
      progressDeadlineSeconds: Math.max(updateStrategy.progressDeadlineSeconds, updateStrategy.minReadySeconds + 1),
      revisionHistoryLimit,
      selector: { matchLabels: { ...selectorLabels(resolved.name, "search"), ...colorLabel } },
      template: podTemplate(resolved, "search", input, color),
    },
  };
}

/** Digests of the components of a cluster. */
export interface ClusterHashes {
  readonly template: Readonly<Record<Component, string>>;
  readonly config: Readonly<Record<Component, string>>;
}

/** Returns the digests of the pod templates and configurations of all components. */
export function clusterHashes(resolved: ResolvedCluster, input: PodInput): ClusterHashes {
  return {
    template: byComponent((component) => templateHash(resolved, component, input)),
    config: byComponent((component) => configHash(resolved, component, input)),
  };
}

/** Returns the digest of the pod template of a component. It is the same for both colors of search nodes. */
export function templateHash(resolved: ResolvedCluster, component: Component, input: PodInput): string {
  const template = JSON.stringify(podTemplate(resolved, component, input));
  return createHash("sha256").update(template).digest("hex").slice(0, 32);
}

/** Returns the annotation by which the operator knows whether a workload has the desired pod template before it writes it. */
function hashAnnotation(resolved: ResolvedCluster, component: Component, input: PodInput): Record<string, string> {
  return { [annotations.templateHash]: templateHash(resolved, component, input) };
}
