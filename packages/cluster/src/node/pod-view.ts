import type { DeepReadonly } from "@homeostat/core";
import type { Container, Pod } from "@homeostat/kubernetes/core/v1";

/** A pod as read from the cache. */
export type PodView = DeepReadonly<Pod>;

/** A container of a pod as read from the cache. */
export type ContainerView = DeepReadonly<Container>;

/**
 * The role of a container: an init container that runs to completion, a sidecar (an init container that keeps
 * running), or an app container.
 */
export type ContainerRole = "init" | "sidecar" | "app";

/** Returns the role of an entry of `initContainers`. */
export function initRole({ restartPolicy }: ContainerView): ContainerRole {
  return restartPolicy === "Always" ? "sidecar" : "init";
}

/** Returns the name of a pod in kubelet messages: `web_default(uid)`. */
export function podTitle({ metadata: { name = "", namespace = "", uid = "" } }: PodView): string {
  return `${name}_${namespace}(${uid})`;
}
