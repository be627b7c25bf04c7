import { type DeepReadonly, findCondition, formatTime, keyOf, type Random, type Stored } from "@homeostat/core";
import { Node, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { type CacheReader, type Controller, defineController, watched } from "@homeostat/runtime";
import type { WorkloadParts } from "../controllers/pods/parts.ts";
import { blockedMessage, load, misfit, type NodeState, unschedulableMessage } from "./fit.ts";
import { selectedNodeAnnotation, volumeState } from "./volumes.ts";

/** The name of the scheduler: in the specs of pods, in events and as a manager of fields. */
export const schedulerName = "default-scheduler";
const fieldManager = "kube-scheduler";

/** What the scheduler is made with. */
export interface SchedulerParts extends WorkloadParts {
  /** Assigns a pod to a node: `POST pods/NAME/binding`. */
  readonly bind: (binding: PodBinding, signal: AbortSignal) => Promise<void>;
}

/** A pod and the node it goes to. */
export interface PodBinding {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
}

type StoredPod = Stored<Pod>;

/**
 * Assigns pods to nodes, one pod after the other. A pod that fits nowhere stays, and says why; it is looked at again when
 * nodes, pods or claims change.
 *
 * It looks at taints, node selectors, required node affinity, host ports, requests and claims. It does not weigh preferences,
 * spread, or take other pods away.
 */
export function schedulerController({ clock, random, bind }: SchedulerParts): Controller {
  /** Pods that are assigned already although the cache does not show it yet, by uid. */
  const assumed = new Map<string, string>();
  return defineController({
    name: schedulerName,
    for: Pod,
    fieldManager,
    when: ({ object }) => isWaiting(object),
    watches: {
      nodes: watched(Node, { map: (_, cache) => waitingPods(cache) }),
      pods: watched(Pod, {
        indexes: { node: ({ spec }) => spec.nodeName, uid: ({ metadata }) => metadata.uid },
        // What frees a node.
        when: ({ type, object }) => (object.spec.nodeName ?? "") !== "" && (type === "delete" || isOver(object)),
        map: (_, cache) => waitingPods(cache),
      }),
      claims: watched(PersistentVolumeClaim, { map: (_, cache) => waitingPods(cache) }),
      classes: watched(StorageClass),
    },
    access: [
      { type: Pod, verbs: ["create"], subresource: "binding" },
      { type: Pod, verbs: ["patch"], subresource: "status" },
      { type: PersistentVolumeClaim, verbs: ["patch"] },
    ],
    async reconcile({
      object: pod,
      name,
      namespace,
      watched: { nodes, pods, claims, classes },
      client,
      signal,
      event,
    }) {
      const { uid } = pod.metadata;
      if (!isWaiting(pod) || assumed.has(uid)) return;
      for (const known of assumed.keys()) {
        const [one] = pods.by("uid", known);
        if (one === undefined || (one.spec.nodeName ?? "") !== "") assumed.delete(known);
      }
      const states = nodes.list().map((node): NodeState => {
        const there = pods.by("node", node.metadata.name).filter((one) => !isOver(one));
        const coming = [...assumed].filter(([, target]) => target === node.metadata.name);
        return { node, pods: [...there, ...coming.flatMap(([one]) => pods.by("uid", one))] };
      });
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
        const condition = unschedulable(pod, { message, now: clock.now() });
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
        // It goes on when the claims are bound.
        return;
      }
      await bind({ namespace, name, uid, node }, signal);
      assumed.set(uid, node);
      event({ reason: "Scheduled", action: "Binding", note: `Successfully assigned ${namespace}/${name} to ${node}` });
    },
  });
}

/** The node that has most room left; of several, any. */
function bestOf(states: readonly NodeState[], random: Random): NodeState | undefined {
  const loads = states.map(load);
  const least = Math.min(...loads);
  const best = states.filter((_, index) => loads[index] === least);
  return best.length === 0 ? undefined : best[random.int(best.length)];
}

/** Whether a pod waits for this scheduler. */
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

function waitingPods(cache: CacheReader): readonly string[] {
  return cache.list(Pod).filter(isWaiting).map(keyOf);
}

function isOver({ status }: StoredPod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** The condition that tells why a pod waits; undefined when it says so already. */
function unschedulable(
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
