import { asStored, keyOf, labelSelectorFrom } from "@homeostat/core";
import { ControllerRevision, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { type CacheReader, type Controller, defineController, watched } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import { claim } from "../pods/claim.ts";
import { controllerIndex, controllerKey, controllerOf, orphansOf } from "../pods/ownership.ts";
import type { WorkloadParts } from "../pods/parts.ts";
import { msUntilAvailable, type StoredPod } from "../pods/pod-state.ts";
import { partsOf } from "./ordinals.ts";
import { StatefulSetReconcile } from "./reconcile.ts";

/** Builds the StatefulSet controller, which keeps pods with stable names and claims, in order. */
export function statefulSetController({ clock }: WorkloadParts): Controller {
  return defineController({
    name: "statefulset",
    for: StatefulSet,
    fieldManager,
    concurrency: 5,
    watches: {
      pods: watched(Pod, { indexes: { controller: controllerIndex }, map: setsOf }),
      revisions: watched(ControllerRevision, { indexes: { controller: controllerIndex } }),
      claims: watched(PersistentVolumeClaim),
    },
    access: [
      { type: Pod, verbs: ["create", "update", "delete", "patch"] },
      { type: PersistentVolumeClaim, verbs: ["create", "update"] },
      { type: ControllerRevision, verbs: ["get", "create", "update", "patch", "delete"] },
    ],
    async reconcile({ object: set, name, namespace, watched: { pods, revisions, claims }, client, signal, event }) {
      const { uid } = set.metadata;
      const selector = labelSelectorFrom(set.spec?.selector);
      const owner = { type: StatefulSet, object: set };
      const write = { signal, fieldManager };
      const readOwner = (): Promise<StatefulSet | undefined> =>
        client.get(StatefulSet, { name, namespace }, { signal });
      const history = await claim(
        [...revisions.by("controller", uid), ...revisions.by("controller", orphansOf(namespace))],
        { type: ControllerRevision, owner, selector, client, signal, readOwner },
      );
      const own = await claim([...pods.by("controller", uid), ...pods.by("controller", orphansOf(namespace))], {
        type: Pod,
        owner,
        selector,
        isEligible: (pod) => partsOf(pod)?.parent === name,
        client,
        signal,
        readOwner,
      });
      const now = clock.now();
      const run = new StatefulSetReconcile(set, {
        now,
        event,
        claim: (claimName) => claims.get({ name: claimName, namespace }),
        createClaim: (desired) => client.create(PersistentVolumeClaim, desired, write),
        updateClaim: (changed) => client.update(PersistentVolumeClaim, changed, write),
        createPod: (pod) => client.create(Pod, pod, write),
        updatePod: (pod) => client.update(Pod, pod, write),
        deletePod: (pod) => client.delete(Pod, { name: pod.metadata.name, namespace }, { signal }),
        readRevision: (revision) => client.get(ControllerRevision, { name: revision, namespace }, { signal }),
        createRevision: (revision) => client.create(ControllerRevision, revision, write),
        updateRevision: (revision) => client.update(ControllerRevision, revision, write),
        deleteRevision: ({ metadata }) =>
          client.delete(ControllerRevision, { name: metadata.name, namespace }, { signal }),
        writeStatus: (status) => client.update(StatefulSet, { ...set, status }, { ...write, subresource: "status" }),
      });
      const current = own.map((pod) => pods.get(keyOf(pod)) ?? asStored(pod));
      const hasChanged = await run.perform(current, history);
      if (hasChanged) return { requeueAfterMs: 0 };
      return { requeueAfterMs: msUntilAvailable(current, set.spec?.minReadySeconds ?? 0, now) };
    },
  });
}

/** Returns the StatefulSets that a pod affects: its controller, or for an orphan those whose selector matches. */
function setsOf(pod: StoredPod, cache: CacheReader): readonly string[] {
  if (controllerOf(pod) !== undefined) {
    const key = controllerKey(StatefulSet, pod);
    return key === undefined ? [] : [key];
  }
  const labels = pod.metadata.labels ?? {};
  const sets = cache.list(StatefulSet, { namespace: pod.metadata.namespace ?? "" });
  return sets.filter(({ spec }) => labelSelectorFrom(spec?.selector).matches(labels)).map(keyOf);
}
