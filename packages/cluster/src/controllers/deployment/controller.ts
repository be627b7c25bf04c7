import { keyOf, labelSelectorFrom } from "@homeostat/core";
import { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { type CacheReader, type Controller, defineController, watched } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import { claim } from "../pods/claim.ts";
import { controllerIndex, controllerKey, controllerOf, orphansOf } from "../pods/ownership.ts";
import type { WorkloadParts } from "../pods/parts.ts";
import type { StoredPod } from "../pods/pod-state.ts";
import { Rollout } from "./rollout.ts";
import type { StoredSet } from "./strategy.ts";

/** Replaces the pods of each Deployment when its template changes, by a ReplicaSet for each template. */
export function deploymentController({ clock }: WorkloadParts): Controller {
  return defineController({
    name: "deployment",
    for: Deployment,
    fieldManager,
    concurrency: 5,
    watches: {
      sets: watched(ReplicaSet, { indexes: { controller: controllerIndex }, map: deploymentsOf }),
      // Only that they are gone matters, and only where old pods go before new ones come.
      pods: watched(Pod, {
        indexes: { controller: controllerIndex },
        when: ({ type, object }) => type === "delete" || isOver(object),
        map: recreatingOf,
      }),
    },
    access: [{ type: ReplicaSet, verbs: ["create", "update", "patch", "delete"] }],
    async reconcile({ object: deployment, namespace, name, watched: { sets, pods }, client, signal, event }) {
      const { uid } = deployment.metadata;
      const candidates = [...sets.by("controller", uid), ...sets.by("controller", orphansOf(namespace))];
      const owned = await claim(candidates, {
        type: ReplicaSet,
        owner: { type: Deployment, object: deployment },
        selector: labelSelectorFrom(deployment.spec?.selector),
        client,
        signal,
        readOwner: () => client.get(Deployment, { name, namespace }, { signal }),
      });
      const write = { signal, fieldManager };
      const rollout = new Rollout({
        now: clock.now(),
        event,
        podsOf: (set) => pods.by("controller", set.metadata.uid),
        readSet: (set) => client.get(ReplicaSet, { name: set, namespace }, { signal }),
        createSet: (set) => client.create(ReplicaSet, set, write),
        updateSet: (set) => client.update(ReplicaSet, set, write),
        deleteSet: async (set) =>
          void (await client.delete(ReplicaSet, { name: set.metadata.name, namespace }, { signal })),
        updateDeployment: (changed) => client.update(Deployment, changed, write),
        writeStatus: (changed) => client.update(Deployment, changed, { ...write, subresource: "status" }),
      });
      return rollout.perform(
        deployment,
        owned.map((set) => sets.get(keyOf(set)) ?? set),
      );
    },
  });
}

/** The Deployments that a ReplicaSet matters to: its controller, or those that may adopt it. */
function deploymentsOf(set: StoredSet, cache: CacheReader): readonly string[] {
  if (controllerOf(set) !== undefined) {
    const key = controllerKey(Deployment, set);
    return key === undefined ? [] : [key];
  }
  const labels = set.metadata.labels ?? {};
  const deployments = cache.list(Deployment, { namespace: set.metadata.namespace ?? "" });
  return deployments.filter(({ spec }) => labelSelectorFrom(spec?.selector).matches(labels)).map(keyOf);
}

/** The Deployment of a pod, when it waits for old pods to go. */
function recreatingOf(pod: StoredPod, cache: CacheReader): readonly string[] {
  const set = controllerKey(ReplicaSet, pod);
  const owner = set === undefined ? undefined : cache.get(ReplicaSet, set);
  const key = owner && controllerKey(Deployment, owner);
  if (key === undefined) return [];
  return cache.get(Deployment, key)?.spec?.strategy?.type === "Recreate" ? [key] : [];
}

function isOver({ status }: StoredPod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
