import type { DeepReadonly } from "@homeostat/core";
import { Deployment, type ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { controllerReference } from "../pods/ownership.ts";
import { templateHash } from "../template-hash/template-hash.ts";
import { currentAnnotations, hashLabel, sizeAnnotations } from "./replica-sets.ts";
import { currentSize } from "./scale.ts";
import { type StoredDeployment, type StoredSet, totalSize } from "./strategy.ts";

/** Longest name of a ReplicaSet without the dash (253 - 1). */
const nameMax = 252;

/**
 * Builds the ReplicaSet for the template of a Deployment. The name is derived from the template, so a retried create
 * collides instead of creating a second ReplicaSet.
 */
export function newReplicaSet(
  deployment: StoredDeployment,
  { old, revision }: { readonly old: readonly StoredSet[]; readonly revision: number },
): DeepReadonly<ReplicaSet> {
  const { metadata, spec, status } = deployment;
  const template = spec?.template ?? {};
  const hash = templateHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const { matchLabels, ...selector } = spec?.selector ?? {};
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${metadata.name.slice(0, nameMax - hash.length)}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
      annotations: { ...currentAnnotations(deployment, undefined, revision), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference({ type: Deployment, object: deployment })],
    },
    spec: {
      replicas: currentSize(deployment, { size: 0, total: totalSize(old) }),
      ...(spec?.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
