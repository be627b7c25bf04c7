// The serving certificate of the route server, issued by the operator: the route server itself may write no objects.

import { issuedCertificate, type IssuedCertificateNames } from "@homeostat/operator";
import type { ServiceTools, Service } from "@homeostat/runtime";
import { routeServerCaConfigMap, routeServerSecret } from "../api/identity.ts";
import { routeServerName } from "../api/names.ts";
import type { TrustBundle } from "../observe/trust-bundle.ts";

/** The objects of the certificate, in the namespace of the operator. */
export const routeServerObjects: IssuedCertificateNames = {
  secret: routeServerSecret,
  configMap: routeServerCaConfigMap,
};

/** Kubelets update the CA that proxies have mounted within two minutes; the operator copies it to other namespaces before that. */
const propagationMs = 15 * 60_000;

/** Returns the service that issues and renews the certificate, and reports the CA to the controller that copies it. */
export function routeServerCertificate({
  namespace,
  trust,
}: {
  readonly namespace: string;
  readonly trust: TrustBundle;
}): (tools: ServiceTools) => Service {
  const host = `${routeServerName}.${namespace}`;
  return issuedCertificate({
    ...routeServerObjects,
    namespace,
    policy: {
      hosts: [`${host}.svc`, `${host}.svc.cluster.local`, host],
      commonName: routeServerName,
      propagationMs,
    },
    onBundle: (bundle) => trust.set(bundle),
  });
}
