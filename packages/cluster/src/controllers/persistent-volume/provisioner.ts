import { AlreadyExistsError, isEqual, keyOf } from "@homeostat/core";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { type ControlLoop, type ControlParts } from "../common/parts.ts";
import { combineDisposables } from "../common/combine-disposables.ts";
import { controlQueue, type WorkResult, processQueue } from "../common/work.ts";
import { podClaims } from "./bound.ts";
import {
  expansionAnnotation,
  expansionOf,
  fileSystemPending,
  isPending,
  isResizing,
  podThatMounted,
  resized,
  resizeFailed,
  resizing,
} from "./expansion.ts";
import { provisionedVolume, needsVolume, volumeName, requestedSize } from "./provisioned-volume.ts";
import { annotation, type Claim, type Volume } from "./volumes.ts";

/**
 * Builds a provisioner that creates, expands and deletes volumes of its storage classes as an external CSI
 * provisioner does. The volumes are API objects only; no storage is behind them.
 */
export function simulatedProvisioner(parts: ControlParts, provisioner: string): ControlLoop {
  return { name: "simulated-provisioner", when: "leading", run: (signal) => run(parts, provisioner, signal) };
}

const claimPrefix = "claim:";
const volumePrefix = "volume:";

async function run(parts: ControlParts, provisioner: string, signal: AbortSignal): Promise<void> {
  const { cache, clock, log, client, events } = parts;
  const queue = controlQueue("simulated-provisioner", clock);
  using claims = cache.informer(PersistentVolumeClaim);
  using volumes = cache.informer(PersistentVolume);
  using classes = cache.informer(StorageClass);
  using pods = cache.informer(Pod).index("claim", podClaims);
  using _ = combineDisposables(
    pods.subscribe(({ object }) => {
      // A held volume grows when another pod mounts it.
      for (const key of podClaims(object)) {
        const claim = claims.get(key);
        if (claim !== undefined && isPending(claim)) queue.add(claimPrefix + key);
      }
    }),
    claims.subscribe(({ key }) => queue.add(claimPrefix + key)),
    volumes.subscribe(({ key }) => queue.add(volumePrefix + key)),
  );
  await Promise.all([claims, volumes, classes, pods].map((informer) => informer.ready(signal))).catch(() => undefined);

  const provision = async (claim: Claim, stop: AbortSignal): Promise<void> => {
    const storageClass = classes.get(claim.spec?.storageClassName ?? "-");
    if (storageClass === undefined) return;
    const { namespace, name } = claim.metadata;
    const startMessage = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
    events.record(provisioner, claim, { type: "Normal", reason: "Provisioning", message: startMessage });
    const volume = provisionedVolume(claim, storageClass);
    try {
      await client.create(PersistentVolume, volume, { fieldManager: "csi-provisioner", signal: stop });
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
    }
    const message = `Successfully provisioned volume ${volume.metadata.name}`;
    events.record(provisioner, claim, { type: "Normal", reason: "ProvisioningSucceeded", message });
  };

  /** Uids of the pods that used a claim when its file system was marked as pending, by claim. */
  const mountedBefore = new Map<string, ReadonlySet<string>>();
  const resizer = `external-resizer ${provisioner}`;
  const options = (stop: AbortSignal): { fieldManager: string; signal: AbortSignal } => ({
    fieldManager: "csi-resizer",
    signal: stop,
  });
  const writeStatus = async (claim: Claim, status: Claim["status"], stop: AbortSignal): Promise<Claim> =>
    status === undefined || isEqual(status, claim.status)
      ? claim
      : client.update(PersistentVolumeClaim, { ...claim, status }, { ...options(stop), subresource: "status" });

  const expand = async (claim: Claim, stop: AbortSignal): Promise<WorkResult> => {
    const key = keyOf(claim);
    const volume = volumes.get(claim.spec?.volumeName ?? "-");
    const size = volume === undefined ? undefined : requestedSize(claim, volume);
    if (volume === undefined || size === undefined) {
      mountedBefore.delete(key);
      return;
    }
    const expansion = expansionOf(claim, classes.get(claim.spec?.storageClassName ?? "-"));
    if (expansion === undefined) {
      const message = `unknown value of ${expansionAnnotation} or of the storage class parameter "expansion": use online, offline, error or "error: MESSAGE"`;
      events.record(resizer, claim, { type: "Warning", reason: "InvalidSimulation", message });
      return;
    }
    const isHeld = isPending(claim) && isEqual(claim.status?.allocatedResources?.["storage"], size);
    if (isHeld && expansion.type !== "online") {
      const users = pods.by("claim", key);
      const pod = podThatMounted(claim, users, mountedBefore.get(key));
      if (pod === undefined) return;
      const message = `MountVolume.NodeExpandVolume succeeded for volume "${volume.metadata.name}" ${pod.spec?.nodeName}`;
      for (const about of [pod, claim]) {
        events.record("kubelet", about, { type: "Normal", reason: "FileSystemResizeSuccessful", message });
      }
      await writeStatus(claim, resized(claim, size), stop);
      return;
    }
    let latest = claim;
    if (!isHeld && !isResizing(claim, size)) {
      latest = await writeStatus(claim, resizing(claim, size, clock.now()), stop);
      const message = `External resizer is resizing volume ${volume.metadata.name}`;
      events.record(resizer, latest, { type: "Normal", reason: "Resizing", message });
    }
    if (expansion.type === "error") {
      const message = `resize volume "${volume.metadata.name}" by resizer "${provisioner}" failed: ${expansion.message}`;
      events.record(resizer, latest, { type: "Warning", reason: "VolumeResizeFailed", message });
      const failed = resizeFailed(latest, expansion.message, clock.now());
      // Times of a repeated failure are not written, so that a retry causes no write.
      if (!hasSameMessages(failed, latest.status)) await writeStatus(latest, failed, stop);
      return "retry";
    }
    const capacity = { ...volume.spec?.capacity, storage: size };
    if (!isEqual(capacity, volume.spec?.capacity)) {
      await client.update(PersistentVolume, { ...volume, spec: { ...volume.spec, capacity } }, options(stop));
    }
    if (expansion.type === "offline") {
      mountedBefore.set(key, new Set(pods.by("claim", key).map(({ metadata }) => metadata.uid)));
      await writeStatus(latest, fileSystemPending(latest, clock.now()), stop);
      const message = "Require file system resize of volume on node";
      events.record(resizer, latest, { type: "Normal", reason: "FileSystemResizeRequired", message });
      return;
    }
    await writeStatus(latest, resized(latest, size), stop);
    events.record(resizer, latest, {
      type: "Normal",
      reason: "VolumeResizeSuccessful",
      message: "Resize volume succeeded",
    });
  };

  const work = async (key: string, stop: AbortSignal): Promise<WorkResult> => {
    if (key.startsWith(volumePrefix)) {
      const volume: Volume | undefined = volumes.get(key.slice(volumePrefix.length));
      if (volume === undefined || !isToDelete(volume, provisioner)) return;
      const { name = "", uid } = volume.metadata;
      await client.delete(PersistentVolume, { name }, { preconditions: { uid }, signal: stop });
      return;
    }
    const claim = claims.get(key.slice(claimPrefix.length));
    if (claim === undefined || claim.metadata.annotations?.[annotation.provisioner] !== provisioner) return;
    const existing = volumes.get(volumeName(claim.metadata.uid));
    if (needsVolume(claim, existing === undefined ? [] : [existing])) await provision(claim, stop);
    else return expand(claim, stop);
  };
  await processQueue({ queue, log }, work, signal);
}

/** Reports whether two statuses have the same conditions, apart from their times. */
function hasSameMessages(a: Claim["status"], b: Claim["status"]): boolean {
  const texts = (status: Claim["status"]): unknown =>
    (status?.conditions ?? []).map(({ type, status: value, message }) => [type, value, message]);
  return isEqual(texts(a), texts(b));
}

/** Reports whether a volume of this provisioner is released and its policy is Delete. */
function isToDelete({ metadata, spec, status }: Volume, provisioner: string): boolean {
  return (
    metadata.annotations?.[annotation.provisionedBy] === provisioner &&
    metadata.deletionTimestamp === undefined &&
    status?.phase === "Released" &&
    spec?.persistentVolumeReclaimPolicy === "Delete"
  );
}
