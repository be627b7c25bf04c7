// Resolves the interception mode of a Service: the way in which its requests reach the proxy.

import type { DeepReadonly } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import type { CachedSandboxPolicy } from "../api/sandbox-policy.ts";
import { type Interception, interceptionModes } from "../api/spec-common.ts";

/** Returns the mode from the annotation of a Service, otherwise from the first policy of the namespace that sets one, otherwise Auto. */
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
  /** False if no mesh can accept routes: none is installed, or the configuration excludes it. Undefined while that is unknown. */
  readonly mayAcceptRoutes: boolean | undefined;
  /** True if all ready pods behind the Service have a sidecar; undefined while that is unknown. */
  readonly hasSidecars: boolean | undefined;
  /** True if the Service names all its target ports, so no request bypasses a sidecar. */
  readonly namesPorts: boolean;
  /** False if the Service cannot be taken over, for example because it is headless. */
  readonly isEligible: boolean;
  /** The mode of the published table of the Service. */
  readonly published: Interception | undefined;
}

/**
 * Returns the mode that Auto stands for: the mesh if it accepts routes, else sidecars if all pods have one, else a takeover. If none of them is
 * possible, the mode is None, because a sandbox must not fail for a mode that no user requested.
 *
 * While a fact is unknown, as after a restart, a Service keeps its mode: otherwise every restart would change it for a moment. A Service without a
 * table waits for the verdict of the mesh, because a takeover might have to be undone.
 */
export function resolveAuto(input: AutoInput): Interception {
  const { acceptsRoutes, mayAcceptRoutes, hasSidecars, namesPorts, isEligible, published } = input;
  if (acceptsRoutes ?? (published === "Mesh" && mayAcceptRoutes !== false)) return "Mesh";
  if (acceptsRoutes === undefined && mayAcceptRoutes !== false) return published ?? "None";
  const isSidecar = hasSidecars ?? published === "Sidecar";
  if (isSidecar && namesPorts) return "Sidecar";
  return isEligible ? "Takeover" : "None";
}
