import { source } from "homeostat";
import { keyOf, type KubeObject, type ResourceType } from "@homeostat/core";
import type { ControllerSource } from "@homeostat/runtime";
import type { OperatorConfig } from "../settings/config.ts";

/** Yields the configuration whenever it has changed, until the signal aborts. */
export type FollowConfig = (signal: AbortSignal) => AsyncIterable<OperatorConfig>;

/** Returns the source that reconciles all objects of a kind after a change of the configuration, because their status depends on it. */
export function configChanges<T extends KubeObject>(follow: FollowConfig, type: ResourceType<T>): ControllerSource {
  return source<OperatorConfig>({
    name: "configuration",
    open: follow,
    map: (_config, cache) => cache.list(type).map(keyOf),
  });
}
