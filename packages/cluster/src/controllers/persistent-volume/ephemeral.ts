import { ApiError, controllerOf, type DeepReadonly, HomeostatError, TransientError } from "@homeostat/core";
import { PersistentVolumeClaim, Pod, type Volume } from "@homeostat/kubernetes/core/v1";
import { combineDisposables } from "../common/combine-disposables.ts";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { controlQueue, processQueue, type WorkResult } from "../common/work.ts";
import type { Claim } from "./volumes.ts";

type AnyPod = DeepReadonly<Pod>;

/** Source of the events, as kube-controller-manager names it. */
const component = "ephemeral_volume";

/** Builds the controller that creates the claims of generic ephemeral volumes. A claim is owned by its pod. */
export function ephemeralVolumes(parts: ControlParts): ControlLoop {
  return { name: "ephemeral-volume-controller", when: "leading", run: (signal) => run(parts, signal) };
}

async function run({ client, cache, clock, log, events }: ControlParts, signal: AbortSignal): Promise<void> {
  const queue = controlQueue("ephemeral_volume", clock);
  using pods = cache.informer(Pod);
  using claims = cache.informer(PersistentVolumeClaim);
  using _ = combineDisposables(
    pods.subscribe(({ type, key, object }) => {
      if (type !== "delete" && hasEphemeralVolume(object)) queue.add(key);
    }),
    claims.subscribe(({ type, object }) => {
      // A deleted claim is created again as long as its pod exists.
      const owner = controllerOf(object);
      if (type === "delete" && owner?.kind === "Pod") queue.add(`${object.metadata.namespace}/${owner.name}`);
    }),
  );
  await Promise.all([pods.ready(signal), claims.ready(signal)]).catch(() => undefined);
  const provide = async (pod: AnyPod, volume: DeepReadonly<Volume>, stop: AbortSignal): Promise<void> => {
    const { namespace = "", name: podName } = pod.metadata;
    const name = `${podName}-${volume.name}`;
    const found = claims.get({ namespace, name });
    if (found !== undefined) {
      const problem = foreignClaim(pod, found);
      if (problem !== undefined) throw new TransientError(problem);
      return;
    }
    try {
      await client.create(PersistentVolumeClaim, claimOf(pod, volume), { fieldManager, signal: stop });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new TransientError(`create PVC ${name}: ${error.serverMessage}`, { cause: error });
    }
  };
  const work = async (key: string, stop: AbortSignal): Promise<WorkResult> => {
    const pod = pods.get(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    for (const volume of pod.spec?.volumes ?? []) {
      if (volume.ephemeral === undefined) continue;
      try {
        await provide(pod, volume, stop);
      } catch (error) {
        if (stop.aborted || !(error instanceof HomeostatError)) throw error;
        const message = `ephemeral volume ${volume.name}: ${error.message}`;
        events.record(component, pod, { type: "Warning", reason: "FailedBinding", message });
        return "retry";
      }
    }
  };
  await processQueue({ queue, log }, work, signal);
}

function hasEphemeralVolume({ spec }: AnyPod): boolean {
  return (spec?.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);
}

/** Returns why a claim is not that of an ephemeral volume of a pod; undefined if it is. */
export function foreignClaim(pod: AnyPod, claim: Claim): string | undefined {
  if (controllerOf(claim)?.uid === pod.metadata.uid) return undefined;
  const claimKey = `${claim.metadata.namespace}/${claim.metadata.name}`;
  const podKey = `${pod.metadata.namespace}/${pod.metadata.name}`;
  return `PVC ${claimKey} was not created for pod ${podKey} (pod is not owner)`;
}

/** Builds the claim of an ephemeral volume from its template. */
export function claimOf({ metadata }: AnyPod, { name: volume, ephemeral }: DeepReadonly<Volume>): Claim {
  const { name = "", namespace = "", uid = "" } = metadata;
  const { metadata: template, spec } = ephemeral?.volumeClaimTemplate ?? { spec: {} };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `${name}-${volume}`,
      namespace,
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }],
      ...(template?.annotations === undefined ? {} : { annotations: template.annotations }),
      ...(template?.labels === undefined ? {} : { labels: template.labels }),
    },
    spec,
  };
}
