import type { ContainerStatus } from "@homeostat/kubernetes/core/v1";
import type { ContainerRecord } from "./container-state.ts";
import { fullImageName, imageId } from "./image-name.ts";
import { containerResources } from "./pod-resources.ts";

/** Builds the status of a container. */
export function containerStatus({
  spec,
  id,
  view,
  lastView,
  isReady,
  isStarted,
  restartCount,
  role,
}: ContainerRecord): ContainerStatus {
  const image = spec.image ?? "";
  const hasRun = id !== "";
  const mounts = (spec.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly === true ? { readOnly, recursiveReadOnly: "Disabled" } : {}),
  }));
  return {
    name: spec.name,
    image: hasRun ? fullImageName(image) : image,
    imageID: hasRun ? imageId(image) : "",
    ...(hasRun ? { containerID: id } : {}),
    state: view,
    lastState: lastView,
    // A completed init container counts as ready.
    ready: role === "init" ? view.terminated?.exitCode === 0 : isReady,
    started: isStarted,
    restartCount,
    ...(hasRun ? containerResources(spec) : {}),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}
