// Services that a machine may call through its tunnel.

import type { CachedLocalWorkload } from "../api/local-workload.ts";
import { labels, systemNamespace } from "../api/identity.ts";
import type { CachedSandboxPolicy } from "../api/sandbox-policy.ts";
import { matchesServicePattern, type ServicePort } from "../api/service-pattern.ts";
import { combinePolicies, type EffectivePolicy } from "./effective-policy.ts";

/** The fields of a LocalWorkload that determine its outgoing calls. */
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

/** Reports whether the LocalWorkload and the policies of its namespace allow calls of a Service, from the objects themselves. */
export function isOutboundAllowedBy(
  target: ServicePort,
  {
    workload,
    home,
    policies,
  }: {
    readonly workload: CachedLocalWorkload;
    readonly home: string;
    readonly policies: readonly CachedSandboxPolicy[];
  },
): boolean {
  return isOutboundAllowed(target, { outbound: workload.spec.outbound, policy: policyOf(home, policies) });
}

/**
 * Reports whether the policies of a namespace allow LocalWorkloads. The tunnel server does not read namespaces: a namespace without a policy was checked by
 * the operator, which reports it in the LocalWorkload.
 */
export function isLocalAllowed(namespace: string, policies: readonly CachedSandboxPolicy[]): boolean {
  const { allowLocal, unusable } = policyOf(namespace, policies);
  return allowLocal && unusable === undefined;
}

function policyOf(name: string, policies: readonly CachedSandboxPolicy[]): EffectivePolicy {
  return combinePolicies({ name, labels: { [labels.enabled]: "true" }, policies });
}
