import type { DeepReadonly } from "@homeostat/core";
import type { Container, Pod } from "@homeostat/kubernetes/core/v1";

/** A pod as it is read from the cache. */
export type PodView = DeepReadonly<Pod>;

/** A container of a pod as it is read from the cache. */
export type ContainerView = DeepReadonly<Container>;

/** What a container is for: one step before the others, a companion of the others, or the work itself. */
export type ContainerRole = "init" | "sidecar" | "app";

/** What a container of `initContainers` is for. */
export function initRole({ restartPolicy }: ContainerView): ContainerRole {
  return restartPolicy === "Always" ? "sidecar" : "init";
}

/** The name that the kubelet uses for a pod in its messages: `web_default(uid)`. */
export function podTitle({ metadata: { name = "", namespace = "", uid = "" } }: PodView): string {
  return `${name}_${namespace}(${uid})`;
}
