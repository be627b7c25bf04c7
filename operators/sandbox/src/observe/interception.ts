// How requests for a Service reach the proxy.

import type { DeepReadonly } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import type { CachedSandboxPolicy } from "../api/sandbox-policy.ts";
import { type Interception, interceptionModes } from "../api/spec-common.ts";

/**
 * Returns how requests for a Service are intercepted: by its annotation, else by the first policy of the namespace that sets a mode, else
 * by the setting of the operator, which also stands for Auto.
 */
export function interceptionOf(
  { metadata: { annotations: notes } }: DeepReadonly<Service>,
  policies: readonly CachedSandboxPolicy[],
  fallback: Interception,
): Interception {
  const asked = interceptionModes.find((mode) => mode === notes?.[annotations.interception]);
  if (asked !== undefined) return asked;
  const [first] = policies
    .filter(({ spec }) => spec.interception !== undefined)
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return interceptionModes.find((mode) => mode === first?.spec.interception) ?? fallback;
}
