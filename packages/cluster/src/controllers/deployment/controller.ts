import { keyOf, labelSelectorFrom } from "@homeostat/core";
import { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { type CacheReader, type Controller, defineController, watched } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import { claim } from "../pods/claim.ts";
import { controllerIndex, controllerKey, controllerOf, orphansOf } from "../pods/ownership.ts";
import type { WorkloadParts } from "../pods/parts.ts";
import { isTerminal, type StoredPod } from "../pods/pod-state.ts";
import { Rollout } from "./rollout.ts";
import type { StoredSet } from "./strategy.ts";

/**
 * Builds the Deployment controller, which keeps one ReplicaSet per pod template and moves pods from the old ones to
 * the current one.
 */
export function deploymentController({ clock }: WorkloadParts): Controller {
  return defineController({
    name: "deployment",
    for: Deployment,
    fieldManager,
    concurrency: 5,
    watches: {
      sets: watched(ReplicaSet, { indexes: { controller: controllerIndex }, map: deploymentsOf }),
      // Only the Recreate strategy waits for pods: it must not create new pods before all old ones are deleted or
      // terminal.
      pods: watched(Pod, {
        indexes: { controller: controllerIndex },
        when: ({ type, object }) => type === "delete" || isTerminal(object),
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

/** Returns the Deployments that a ReplicaSet affects: its controller, or for an orphan those whose selector matches. */
function deploymentsOf(set: StoredSet, cache: CacheReader): readonly string[] {
  if (controllerOf(set) !== undefined) {
    const key = controllerKey(Deployment, set);
    return key === undefined ? [] : [key];
  }
  const labels = set.metadata.labels ?? {};
  const deployments = cache.list(Deployment, { namespace: set.metadata.namespace ?? "" });
  return deployments.filter(({ spec }) => labelSelectorFrom(spec?.selector).matches(labels)).map(keyOf);
}

/** Returns the Deployment of a pod if its strategy is Recreate. */
function recreatingOf(pod: StoredPod, cache: CacheReader): readonly string[] {
  const set = controllerKey(ReplicaSet, pod);
  const owner = set === undefined ? undefined : cache.get(ReplicaSet, set);
  const key = owner && controllerKey(Deployment, owner);
  if (key === undefined) return [];
  return cache.get(Deployment, key)?.spec?.strategy?.type === "Recreate" ? [key] : [];
}
