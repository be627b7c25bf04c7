import { addFinalizer, hasFinalizer, removeFinalizer } from "@homeostat/core";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { combineDisposables } from "../common/combine-disposables.ts";
import { controlQueue, type WorkResult, processQueue } from "../common/work.ts";
import { podClaims } from "./bound.ts";

const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";

/** Builds the controller that keeps claims, by a finalizer, until no pod on a node uses them. */
export function claimProtection(parts: ControlParts): ControlLoop {
  const name = "persistentvolumeclaim-protection-controller";
  return { name, when: "leading", run: (signal) => protectClaims(parts, name, signal) };
}

/** Builds the controller that keeps volumes, by a finalizer, until they are no longer bound. */
export function volumeProtection(parts: ControlParts): ControlLoop {
  const name = "persistentvolume-protection-controller";
  return { name, when: "leading", run: (signal) => protectVolumes(parts, name, signal) };
}

async function protectClaims(
  { client, cache, clock, log }: ControlParts,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const queue = controlQueue(name, clock);
  using claims = cache.informer(PersistentVolumeClaim);
  using pods = cache.informer(Pod).index("claim", podClaims);
  using _ = combineDisposables(
    claims.subscribe(({ key }) => queue.add(key)),
    pods.subscribe(({ object }) => {
      for (const key of podClaims(object)) queue.add(key);
    }),
  );
  await Promise.all([claims.ready(signal), pods.ready(signal)]).catch(() => undefined);
  const isUsed = (pod: Pod, key: string): boolean => (pod.spec?.nodeName ?? "") !== "" && podClaims(pod).includes(key);
  const work = async (key: string, stop: AbortSignal): Promise<WorkResult> => {
    const claim = claims.get(key);
    if (claim === undefined) return;
    const options = { fieldManager, signal: stop };
    if (claim.metadata.deletionTimestamp === undefined) {
      if (hasFinalizer(claim, claimFinalizer)) return;
      await client.update(PersistentVolumeClaim, addFinalizer(claim, claimFinalizer), options);
      return;
    }
    if (!hasFinalizer(claim, claimFinalizer)) return;
    if (pods.by("claim", key).some(({ spec }) => (spec?.nodeName ?? "") !== "")) return;
    // The cache may not have a new pod yet. A claim in use must not be deleted, so pods are listed from the API
    // server.
    const { items } = await client.list(Pod, { namespace: claim.metadata.namespace, signal: stop });
    if (items.some((pod) => isUsed(pod, key))) return "retry";
    await client.update(PersistentVolumeClaim, removeFinalizer(claim, claimFinalizer), options);
  };
  await processQueue({ queue, log }, work, signal);
}

async function protectVolumes(
  { client, cache, clock, log }: ControlParts,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const queue = controlQueue(name, clock);
  using volumes = cache.informer(PersistentVolume);
  using _ = volumes.subscribe(({ key }) => queue.add(key));
  const work = async (key: string, stop: AbortSignal): Promise<WorkResult> => {
    const volume = volumes.get(key);
    if (volume === undefined) return;
    const options = { fieldManager, signal: stop };
    const isBeingDeleted = volume.metadata.deletionTimestamp !== undefined;
    const isHeld = hasFinalizer(volume, volumeFinalizer);
    if (!isBeingDeleted && !isHeld)
      await client.update(PersistentVolume, addFinalizer(volume, volumeFinalizer), options);
    else if (isBeingDeleted && isHeld && volume.status?.phase !== "Bound") {
      await client.update(PersistentVolume, removeFinalizer(volume, volumeFinalizer), options);
    }
  };
  await processQueue({ queue, log }, work, signal);
}
