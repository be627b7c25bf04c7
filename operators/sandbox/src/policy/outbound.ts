// Services that a machine may call through its tunnel.

import { systemNamespace } from "../api/identity.ts";
import { matchesServicePattern, type ServicePort } from "../api/service-pattern.ts";
import type { EffectivePolicy } from "./effective-policy.ts";

/** The part of a LocalWorkload that decides about outgoing calls. */
export interface OutboundSpec {
  readonly enabled: boolean;
  readonly allow?: readonly string[] | undefined;
}

/** Reports whether both the LocalWorkload and the policies of its namespace allow calls of a Service. */
export function isOutboundAllowed(
  target: ServicePort,
  { outbound, policy }: { readonly outbound: OutboundSpec; readonly policy: EffectivePolicy },
): boolean {
  if (!outbound.enabled || target.namespace === systemNamespace) return false;
  const home = policy.namespace;
  const isListed = (patterns: readonly string[] | undefined): boolean =>
    patterns === undefined
      ? target.namespace === home
      : patterns.some((pattern) => matchesServicePattern(pattern, target, home));
  return isListed(outbound.allow) && isListed(policy.outboundAllow);
}
