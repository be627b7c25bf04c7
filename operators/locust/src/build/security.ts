// Security contexts of pods whose test sets none. A test's own context replaces the default; the two are never merged.

import type { DeepReadonly } from "homeostat";
import { restrictedContainerContext, restrictedPodContext, withoutUndefined } from "@homeostat/core";
import type { PodSecurityContext, SecurityContext } from "@homeostat/kubernetes/core/v1";
import type { Settings } from "../settings/settings.ts";

/**
 * Returns the default context of pods.
 *
 * With `runAsNonRoot`, the kubelet rejects an image whose user is a name instead of a number, as in the official Locust image,
 * unless `runAsUser` is set. Therefore `restricted` is a setting and not the default.
 */
export function defaultPodSecurity({ security }: Settings): DeepReadonly<PodSecurityContext> {
  const { runAsNonRoot, seccompProfile } = restrictedPodContext;
  if (!security.restricted) return { seccompProfile };
  return { runAsNonRoot, ...withoutUndefined({ runAsUser: security.restrictedRunAsUser }), seccompProfile };
}

/** Returns the default context of Locust containers; undefined unless pods are restricted. */
export function defaultContainerSecurity({ security }: Settings): DeepReadonly<SecurityContext> | undefined {
  return security.restricted ? restrictedContainerContext : undefined;
}
