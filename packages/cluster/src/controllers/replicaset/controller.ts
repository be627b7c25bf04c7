import { isEqual, keyOf, labelSelectorFrom, type Stored } from "@homeostat/core";
import { ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { type CacheReader, type Controller, defineController, watched } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import { claim } from "../pods/claim.ts";
import { WorkloadRefusedError } from "../pods/errors.ts";
import { controllerIndex, controllerKey, controllerOf, orphansOf } from "../pods/ownership.ts";
import type { WorkloadParts } from "../pods/parts.ts";
import { isActive, isTerminating, msUntilAvailable, type StoredPod } from "../pods/pod-state.ts";
import { createPod, deletePod, messageOf, podOf, type PodWriterParts } from "../pods/pod-writer.ts";
import { slowStart } from "../pods/slow-start.ts";
import { burstReplicas, podsToDelete, replicaSetStatus, replicasOf } from "./decide.ts";

/** The part of the pod cache that this controller reads. */
interface PodReader {
  by(index: "controller", value: string): readonly StoredPod[];
}

/**
 * Builds the ReplicaSet controller, which keeps the desired number of pods of each ReplicaSet and its status.
 *
 * kube-controller-manager remembers its own writes as expectations, because its informer can lag behind them and it would
 * create the same pods twice. That is not needed here: the cache adds the response to each own write at once, so the
 * next reconcile counts the pods that this one created or deleted.
 */
export function replicaSetController({ clock }: WorkloadParts): Controller {
  return defineController({
    name: "replicaset",
    for: ReplicaSet,
    fieldManager,
    concurrency: 5,
    indexes: { controller: controllerIndex },
    watches: {
      pods: watched(Pod, { indexes: { controller: controllerIndex }, map: setsOf }),
    },
    access: [{ type: Pod, verbs: ["create", "delete", "patch"] }],
    async reconcile({ object: set, namespace, watched: { pods }, all, client, signal, event }) {
      const selector = labelSelectorFrom(set.spec?.selector);
      const owner = { type: ReplicaSet, object: set };
      const ownPods = (): readonly StoredPod[] =>
        pods.by("controller", set.metadata.uid).filter((pod) => selector.matches(pod.metadata.labels ?? {}));
      const candidates = [...pods.by("controller", set.metadata.uid), ...pods.by("controller", orphansOf(namespace))];
      const active = await claim(candidates.filter(isActive), {
        type: Pod,
        owner,
        selector,
        client,
        signal,
        readOwner: () => client.get(ReplicaSet, { name: set.metadata.name, namespace }, { signal }),
      });
      const related = relatedPods(set, all.by("controller", controllerOf(set)?.uid ?? ""), pods);
      const failure = await manage(set, active, { related, now: clock.now(), io: { client, signal, event } });

      // Read again: the cache already shows the writes of this reconcile.
      const now = clock.now();
      const after = ownPods();
      const status = replicaSetStatus(set, {
        // After a failure the status counts the pods before the writes; the error causes another reconcile, which
        // counts the ones that succeeded.
        active: failure === undefined ? after.filter(isActive) : active,
        terminating: after.filter(isTerminating),
        failure: failure && { reason: failure.reason, message: failure.message },
        now,
      });
      if (!isEqual(status, set.status)) {
        await client.update(ReplicaSet, { ...set, status }, { subresource: "status", signal, fieldManager });
      }
      if (failure !== undefined) {
        throw new WorkloadRefusedError(
          { owner: `ReplicaSet ${keyOf(set)}`, refusal: failure.message },
          { cause: failure.error },
        );
      }
      const hasMoreToDo = Math.abs(replicasOf(set) - active.length) > burstReplicas;
      return { requeueAfterMs: hasMoreToDo ? 0 : msUntilAvailable(after, set.spec?.minReadySeconds ?? 0, now) };
    },
  });
}

interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
  readonly error: unknown;
}

interface ManageParts {
  readonly related: readonly StoredPod[];
  readonly now: number;
  readonly io: PodWriterParts;
}

/** Creates missing pods or deletes surplus ones (`manageReplicas`). Returns the first failure. */
async function manage(
  set: Stored<ReplicaSet>,
  active: readonly StoredPod[],
  { related, now, io }: ManageParts,
): Promise<Failure | undefined> {
  const missing = Math.min(replicasOf(set) - active.length, burstReplicas);
  if (missing > 0) {
    const pod = podOf(set.spec?.template ?? {}, { type: ReplicaSet, object: set });
    const { failure } = await slowStart(missing, () => createPod(pod, io));
    return failure === undefined ? undefined : { reason: "FailedCreate", message: messageOf(failure), error: failure };
  }
  if (missing === 0) return undefined;
  const surplus = podsToDelete(active, { count: Math.min(-missing, burstReplicas), related, now });
  const results = await Promise.allSettled(surplus.map((pod) => deletePod(pod, io)));
  const failed = results.find((result) => result.status === "rejected");
  if (failed === undefined) return undefined;
  const message = `unable to delete pods: ${messageOf(failed.reason)}`;
  return { reason: "FailedDelete", message, error: failed.reason };
}

/**
 * Returns the pods of all ReplicaSets that have the same controller as the set (usually one Deployment), or only its
 * own.
 */
function relatedPods(
  set: Stored<ReplicaSet>,
  siblings: readonly Stored<ReplicaSet>[],
  pods: PodReader,
): readonly StoredPod[] {
  const sets = controllerOf(set) === undefined ? [set] : siblings;
  return sets.flatMap(({ metadata }) => pods.by("controller", metadata.uid));
}

/** Returns the ReplicaSets that a pod affects: its controller, or for an orphan those whose selector matches. */
function setsOf(pod: StoredPod, cache: CacheReader): readonly string[] {
  if (controllerOf(pod) !== undefined) {
    const key = controllerKey(ReplicaSet, pod);
    return key === undefined ? [] : [key];
  }
  const labels = pod.metadata.labels ?? {};
  const sets = cache.list(ReplicaSet, { namespace: pod.metadata.namespace ?? "" });
  return sets.filter(({ spec }) => labelSelectorFrom(spec?.selector).matches(labels)).map(keyOf);
}
