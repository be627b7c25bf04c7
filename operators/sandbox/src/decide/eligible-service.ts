// Rules for Services that cannot be taken over.

import { annotations, forbiddenNamespaces } from "../api/identity.ts";
import type { CachedService } from "../build/service-view.ts";

/** A rule that returns why a Service cannot be taken over. */
type Rule = (service: CachedService) => string | undefined;

const namespaceIsForbidden: Rule = ({ metadata: { namespace = "" } }) =>
  namespace.startsWith("kube-") || forbiddenNamespaces.includes(namespace)
    ? `Services of namespace ${namespace} are never taken over`
    : undefined;

const isExternalName: Rule = ({ spec }) =>
  spec?.type === "ExternalName" ? "The Service is an ExternalName and has no pods" : undefined;

// Clients of a headless Service connect to the addresses of its pods and to their ports.
const isHeadless: Rule = ({ spec }) => (spec?.clusterIP === "None" ? "The Service is headless" : undefined);

const selectsNothing: Rule = ({ spec }) =>
  Object.keys(spec?.selector ?? {}).length === 0 ? "The Service has no selector" : undefined;

// The selector applies to all ports, but the proxy cannot forward UDP or SCTP.
const hasOtherProtocols: Rule = ({ spec }) => {
  const other = spec?.ports?.find(({ protocol = "TCP" }) => protocol !== "TCP");
  return other === undefined ? undefined : `Port ${other.port} has protocol ${other.protocol}; only TCP is forwarded`;
};

const losesClientAddresses: Rule = ({ spec, metadata }) =>
  spec?.externalTrafficPolicy === "Local" && metadata.annotations?.[annotations.allowTakeover] !== "true"
    ? `externalTrafficPolicy is Local, and the baseline would see the proxy instead of its clients. To allow this, annotate the Service with ${annotations.allowTakeover}=true`
    : undefined;

const rules: readonly Rule[] = [
  namespaceIsForbidden,
  isExternalName,
  isHeadless,
  selectsNothing,
  hasOtherProtocols,
  losesClientAddresses,
];

/** Returns why a Service cannot be taken over; undefined if it can. */
export function ineligibility(service: CachedService): string | undefined {
  for (const rule of rules) {
    const problem = rule(service);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
