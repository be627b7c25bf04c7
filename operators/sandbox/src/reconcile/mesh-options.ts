// Options that the mesh controllers share.

import type { DeepReadonly } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { FollowConfig } from "../observe/config-changes.ts";
import type { MeshFacts } from "../observe/mesh-facts.ts";
import type { OperatorConfig } from "../settings/config.ts";

export interface MeshControllerOptions {
  readonly config: () => OperatorConfig;
  readonly followConfig: FollowConfig;
  readonly facts: () => MeshFacts;
  readonly concurrency: number;
}

/** Interval at which all tables are rendered again, because no event reports newly installed CRDs. */
export const meshResyncMs = 600_000;

/**
 * Retry interval while it is unknown whether a Service uses Istio. The Istio controller determines that once its caches are
 * synced.
 */
export const unknownRetryMs = 1_000;

/** Reports whether a mesh can route requests of a Service. */
export function isServiceSupported(service: DeepReadonly<Service> | undefined): boolean {
  const { clusterIP, selector } = service?.spec ?? {};
  return clusterIP !== "None" && Object.keys(selector ?? {}).length > 0;
}
