import type { DeepReadonly } from "@homeostat/core";
import { type ControllerRevision, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { SomePod } from "../pods/pod-state.ts";
import { podOf } from "../pods/pod-writer.ts";
import { withClaims } from "./claims.ts";
import {
  ordinalOf,
  partsOf,
  podIndexLabel,
  podNameLabel,
  revisionLabel,
  startOf,
  type StoredStateful,
} from "./ordinals.ts";
import { atRevision } from "./revisions.ts";

/** The two revisions of a StatefulSet: the one being replaced and the one being rolled out. */
export interface Revisions {
  readonly current: DeepReadonly<ControllerRevision>;
  readonly update: DeepReadonly<ControllerRevision>;
}

/** Builds the pod of an ordinal, in the revision that the ordinal should have. */
export function statefulPod(set: StoredStateful, ordinal: number, { current, update }: Revisions): DeepReadonly<Pod> {
  const revision = staysCurrent(set, ordinal) ? current : update;
  const at = atRevision(set, revision);
  const { generateName: _, ...metadata } = podOf(at.spec?.template ?? {}, { type: StatefulSet, object: set }).metadata;
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { ...metadata.labels, ...identityOf(name, ordinal), [revisionLabel]: revision.metadata.name ?? "" };
  const { serviceName } = set.spec ?? {};
  return withClaims(set, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, name, generateName: `${set.metadata.name}-`, labels },
    spec: {
      ...(at.spec?.template.spec ?? { containers: [] }),
      hostname: name,
      ...(serviceName === undefined || serviceName === "" ? {} : { subdomain: serviceName }),
    },
  });
}

/** Reports whether a pod has the name, namespace and labels of its ordinal. */
export function hasIdentity(set: StoredStateful, pod: SomePod): boolean {
  const parts = partsOf(pod);
  const { name, namespace, labels } = pod.metadata;
  return (
    parts?.parent === set.metadata.name &&
    name === `${parts.parent}-${parts.ordinal}` &&
    namespace === set.metadata.namespace &&
    labels?.[podNameLabel] === name
  );
}

/** Returns a pod with the labels of its ordinal. */
export function withIdentity(pod: DeepReadonly<Pod>): DeepReadonly<Pod> {
  const labels = { ...pod.metadata.labels, ...identityOf(pod.metadata.name ?? "", ordinalOf(pod)) };
  return { ...pod, metadata: { ...pod.metadata, labels } };
}

function identityOf(name: string, ordinal: number): Record<string, string> {
  return { [podNameLabel]: name, [podIndexLabel]: String(ordinal) };
}

/**
 * Reports whether an ordinal is recreated in the current revision: it is below the partition, or the update has not
 * reached it yet.
 */
function staysCurrent(set: StoredStateful, ordinal: number): boolean {
  const { type = "RollingUpdate", rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (rollingUpdate !== undefined) return ordinal < startOf(set) + (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < startOf(set) + (set.status?.currentReplicas ?? 0);
}
