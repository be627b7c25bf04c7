import type { Disks, VolumeFiles } from "./disks.ts";
import type { ConfigReader } from "./pod-config.ts";
import type { ContainerView, PodView } from "./pod-view.ts";

/** Dependencies of {@link mountedVolumes}. */
export interface VolumeSources {
  readonly config: ConfigReader;
  readonly disks: Disks;
  /** Files of the `emptyDir` volumes of the pod, by volume name. */
  readonly scratch: Map<string, VolumeFiles>;
}

/** Returns the writable volumes of a container by mount path: persistent volumes of bound claims, and `emptyDir`. */
export function mountedVolumes(
  pod: PodView,
  container: ContainerView,
  { config, disks, scratch }: VolumeSources,
): ReadonlyMap<string, VolumeFiles> {
  const { namespace = "", name: podName = "" } = pod.metadata;
  const mounted = new Map<string, VolumeFiles>();
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = pod.spec?.volumes?.find((one) => one.name === name);
    if (volume?.emptyDir !== undefined) {
      const files = scratch.get(name) ?? new Map<string, string>();
      scratch.set(name, files);
      mounted.set(mountPath, files);
      continue;
    }
    const claim =
      volume?.ephemeral === undefined ? volume?.persistentVolumeClaim?.claimName : `${podName}-${volume.name}`;
    const disk = claim === undefined ? undefined : config.volumeOfClaim?.(namespace, claim);
    if (disk !== undefined) mounted.set(mountPath, disks.filesOf(disk));
  }
  return mounted;
}
