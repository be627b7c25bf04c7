// How requests for a Service reach the proxy.

import type { DeepReadonly } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import type { CachedSandboxPolicy } from "../api/sandbox-policy.ts";
import { type Interception, interceptionModes } from "../api/spec-common.ts";

/** Returns the mode that the annotation of a Service sets, else the first policy of the namespace that sets one, else Auto. */
export function modeOf(
  { metadata: { annotations: notes } }: DeepReadonly<Service>,
  policies: readonly CachedSandboxPolicy[],
): Interception | "Auto" {
  const asked = interceptionModes.find((mode) => mode === notes?.[annotations.interception]);
  if (asked !== undefined) return asked;
  const [first] = policies
    .filter(({ spec }) => spec.interception !== undefined)
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return interceptionModes.find((mode) => mode === first?.spec.interception) ?? "Auto";
}

/** Input of {@link resolveAuto}. */
export interface AutoInput {
  /** True if a mesh accepts routes in the namespace of the Service; undefined while that is unknown. */
  readonly acceptsRoutes: boolean | undefined;
  /** The mode of the published table of the Service. */
  readonly published: Interception | undefined;
}

/**
 * Returns the mode that Auto stands for. While the state of the mesh is unknown, as after a restart, a Service that a mesh serves stays with it:
 * otherwise every restart would remove its routes for a moment.
 */
export function resolveAuto({ acceptsRoutes, published }: AutoInput): Interception {
  const isMesh = acceptsRoutes ?? published === "Mesh";
  return isMesh ? "Mesh" : "None";
}
