import { type DeepReadonly, findCondition, formatTime, keyOf, type Random, type Stored } from "@homeostat/core";
import { Node, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import {
  type CacheReader,
  type Controller,
  defineController,
  type Informer,
  type Subscription,
  watched,
} from "@homeostat/runtime";
import type { WorkloadParts } from "../controllers/pods/parts.ts";
import { isTerminal } from "../controllers/pods/pod-state.ts";
import { blockedMessage, load, misfit, type NodeState, unschedulableMessage } from "./fit.ts";
import type { AssignedPods } from "./node-usage.ts";
import { UnschedulablePods } from "./unschedulable-pods.ts";
import { claimNames, selectedNodeAnnotation, volumeState } from "./volumes.ts";

/** Name of the scheduler in pod specs and events. */
export const schedulerName = "default-scheduler";
const fieldManager = "kube-scheduler";

/** Dependencies of the scheduler. */
export interface SchedulerParts extends WorkloadParts {
  /** The pods on nodes, kept up to date by {@link followAssigned}. */
  readonly assigned: AssignedPods;
  /** Binds a pod to a node: `POST pods/NAME/binding`. */
  readonly bind: (binding: PodBinding, signal: AbortSignal) => Promise<void>;
}

/** A pod and its node. */
export interface PodBinding {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
}

type StoredPod = Stored<Pod>;

/**
 * Builds the scheduler, which binds pods to nodes one at a time. A pod that fits on no node gets a condition with the
 * reasons, and is retried when nodes, pods or claims change.
 *
 * It evaluates taints, node selectors, required node affinity, host ports, resource requests and volume claims, and
 * prefers the least loaded node. It does not support preferences, topology spread, pod affinity or preemption.
 */
export function schedulerController({ clock, random, bind, assigned }: SchedulerParts): Controller {
  const unschedulable = new UnschedulablePods();
  const podsToRetry = (cache: CacheReader): readonly string[] =>
    unschedulable.firsts((key) => {
      const pod = cache.get(Pod, key);
      return pod !== undefined && isWaiting(pod) && !assigned.has(pod.metadata.uid);
    });
  return defineController({
    name: schedulerName,
    for: Pod,
    fieldManager,
    when: ({ object }) => isWaiting(object),
    watches: {
      nodes: watched(Node, { map: (_, cache) => podsToRetry(cache) }),
      pods: watched(Pod, {
        indexes: { claim: claimKeys },
        // A pod that leaves a node frees resources. A pod that was just bound lets the next one of its group be tried.
        when: ({ type, object, old }) =>
          isAssigned(object) && (type === "delete" || isTerminal(object) || (old !== undefined && !isAssigned(old))),
        map: (_, cache) => podsToRetry(cache),
      }),
      claims: watched(PersistentVolumeClaim, {
        map: (claim, cache) => cache.by(Pod, "claim", keyOf(claim)).filter(isWaiting).map(keyOf),
      }),
      classes: watched(StorageClass),
    },
    access: [
      { type: Pod, verbs: ["create"], subresource: "binding" },
      { type: Pod, verbs: ["patch"], subresource: "status" },
      { type: PersistentVolumeClaim, verbs: ["patch"] },
    ],
    async reconcile({
      object: pod,
      key,
      name,
      namespace,
      watched: { nodes, pods, claims, classes },
      client,
      signal,
      event,
    }) {
      const { uid } = pod.metadata;
      if (!isWaiting(pod) || assigned.has(uid)) return;
      const states = nodes.list().map((node): NodeState => ({ node, usage: assigned.usageOf(node.metadata.name) }));
      const volumes = volumeState(pod, {
        claim: (claim) => claims.get({ name: claim, namespace }),
        storageClass: (storageClass) => classes.get(storageClass),
      });
      const misfits = states.map((state) => misfit(pod, state));
      const fitting = states.filter((_, index) => misfits[index] === undefined);
      const best = volumes.type === "blocked" ? undefined : bestOf(fitting, random);
      if (best === undefined) {
        const message =
          volumes.type === "blocked"
            ? blockedMessage(states.length, volumes.message)
            : unschedulableMessage(misfits.filter((one) => one !== undefined));
        // A pod with a volume problem is retried when one of its claims changes.
        if (volumes.type !== "blocked") unschedulable.add(key, pod);
        const condition = unschedulableCondition(pod, { message, now: clock.now() });
        if (condition === undefined) return;
        event({ type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message });
        const strategic = { status: { conditions: [condition] } };
        await client.patch(Pod, { name, namespace }, { strategic }, { subresource: "status", signal, fieldManager });
        return;
      }
      const node = best.node.metadata.name ?? "";
      if (volumes.type === "waiting") {
        for (const { metadata } of volumes.claims) {
          if (metadata.annotations?.[selectedNodeAnnotation] === node) continue;
          const merge = { metadata: { annotations: { [selectedNodeAnnotation]: node } } };
          await client.patch(
            PersistentVolumeClaim,
            { name: metadata.name ?? "", namespace },
            { merge },
            { signal, fieldManager },
          );
        }
        // Scheduling continues when the claims are bound.
        return;
      }
      await bind({ namespace, name, uid, node }, signal);
      unschedulable.delete(key);
      // Assume the pod until the cache shows the binding, as kube-scheduler's cache does (`AssumePod`); otherwise the
      // next pod would be scheduled onto the same resources. If the cache shows it already, the pod is counted, or
      // terminal.
      const current = pods.get(key);
      if (current?.metadata.uid === uid && !isAssigned(current)) assigned.set(uid, node, pod);
      event({ reason: "Scheduled", action: "Binding", note: `Successfully assigned ${namespace}/${name} to ${node}` });
    },
  });
}

/** Returns the least loaded node; a random one of several. */
function bestOf(states: readonly NodeState[], random: Random): NodeState | undefined {
  const loads = states.map(load);
  const least = Math.min(...loads);
  const best = states.filter((_, index) => loads[index] === least);
  return best.length === 0 ? undefined : best[random.int(best.length)];
}

/** Reports whether a pod waits for this scheduler. */
function isWaiting({ metadata, spec, status }: StoredPod): boolean {
  return (
    (spec.nodeName ?? "") === "" &&
    (spec.schedulerName ?? schedulerName) === schedulerName &&
    metadata.deletionTimestamp === undefined &&
    (spec.schedulingGates ?? []).length === 0 &&
    status?.phase !== "Succeeded" &&
    status?.phase !== "Failed"
  );
}

function isAssigned({ spec }: DeepReadonly<Pod>): boolean {
  return (spec.nodeName ?? "") !== "";
}

/** Returns the keys of the claims of a pod. */
function claimKeys(pod: StoredPod): readonly string[] {
  return claimNames(pod).map((name) => `${pod.metadata.namespace ?? ""}/${name}`);
}

/** Counts the pods of an informer on their nodes, until the returned subscription is disposed of. */
export function followAssigned(pods: Informer<Pod>, assigned: AssignedPods): Subscription {
  return pods.subscribe(({ type, object, old }) => {
    const { uid } = object.metadata;
    if (old !== undefined && old.metadata.uid !== uid) assigned.delete(old.metadata.uid);
    if (type === "delete" || isTerminal(object)) assigned.delete(uid);
    else if (isAssigned(object)) assigned.set(uid, object.spec.nodeName ?? "", object);
  });
}

/** Returns the condition of a pod that fits nowhere; undefined when the pod has it already. */
function unschedulableCondition(
  pod: StoredPod,
  { message, now }: { readonly message: string; readonly now: number },
): DeepReadonly<Record<string, unknown>> | undefined {
  const before = findCondition(pod.status?.conditions, "PodScheduled");
  const { generation = 0 } = pod.metadata;
  if (before?.status === "False" && before.reason === "Unschedulable" && before.message === message) return undefined;
  const since = before?.status === "False" ? before.lastTransitionTime : undefined;
  return {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    lastProbeTime: null,
    lastTransitionTime: since ?? formatTime(now),
    observedGeneration: generation,
  };
}
