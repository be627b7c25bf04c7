// Reads the workloads of the baseline and the Services of their namespaces from the cache.

import type { DeepReadonly, KubeObject } from "@homeostat/core";
import { type Baseline, readBaseline, workloadRefOf } from "../build/baseline.ts";
import type { ClaimModes } from "../build/volumes.ts";
import { type Context, type Target } from "./kinds.ts";
import { Rollout } from "./rollout.ts";

/** Returns the workload that an entry names; undefined if it does not exist or has no pod template. */
export async function findBaseline(runtime: Context, target: Target): Promise<Baseline | undefined> {
  const { kind, namespace, name } = target;
  const key = { namespace, name };
  if (kind !== "Rollout") {
    const object = (kind === "Deployment" ? runtime.watched.deployments : runtime.watched.statefulSets).get(key);
    return object === undefined ? undefined : readBaseline({ kind, object });
  }
  // Rollouts are not watched: most clusters do not have the CRD, and a watch on a missing kind would prevent the controller from starting.
  const rollout = await runtime.client.get(Rollout, key, { signal: runtime.signal });
  if (rollout === undefined) return undefined;
  return readBaseline({ kind, object: rollout, referenced: referencedBy(runtime, rollout, namespace) });
}

function referencedBy(
  { watched }: Context,
  rollout: DeepReadonly<KubeObject>,
  namespace: string,
): DeepReadonly<KubeObject> | undefined {
  const reference = workloadRefOf(rollout);
  if (reference === undefined) return undefined;
  const key = { namespace, name: reference.name };
  if (reference.kind === "Deployment") return watched.deployments.get(key);
  return reference.kind === "StatefulSet" ? watched.statefulSets.get(key) : undefined;
}

/** Returns the access modes of the claims that a baseline mounts. */
export function claimModes({ watched }: Context, { namespace, template }: Baseline): ClaimModes {
  const names = (template.spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
  return new Map(
    names.flatMap((name) => {
      const modes = watched.claims.get({ namespace, name })?.spec?.accessModes;
      return modes === undefined ? [] : [[name, modes] as const];
    }),
  );
}
