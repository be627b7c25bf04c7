import { AlreadyExistsError, isEqual } from "@homeostat/core";
import { PersistentVolume, PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { type ControlLoop, type ControlParts } from "../common/parts.ts";
import { combineDisposables } from "../common/combine-disposables.ts";
import { controlQueue, type WorkResult, processQueue } from "../common/work.ts";
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
  using _ = combineDisposables(
    claims.subscribe(({ key }) => queue.add(claimPrefix + key)),
    volumes.subscribe(({ key }) => queue.add(volumePrefix + key)),
  );
  await Promise.all([claims, volumes, classes].map((informer) => informer.ready(signal))).catch(() => undefined);

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

  const expand = async (claim: Claim, stop: AbortSignal): Promise<void> => {
    const volume = volumes.get(claim.spec?.volumeName ?? "-");
    const size = volume === undefined ? undefined : requestedSize(claim, volume);
    if (volume === undefined || size === undefined) return;
    const options = { fieldManager: "csi-resizer", signal: stop };
    const capacity = { ...volume.spec?.capacity, storage: size };
    if (!isEqual(capacity, volume.spec?.capacity)) {
      await client.update(PersistentVolume, { ...volume, spec: { ...volume.spec, capacity } }, options);
    }
    const status = { ...claim.status, capacity: { ...claim.status?.capacity, storage: size } };
    await client.update(PersistentVolumeClaim, { ...claim, status }, { ...options, subresource: "status" });
    const message = "Resize volume succeeded";
    events.record(`external-resizer ${provisioner}`, claim, {
      type: "Normal",
      reason: "VolumeResizeSuccessful",
      message,
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
    else await expand(claim, stop);
  };
  await processQueue({ queue, log }, work, signal);
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
