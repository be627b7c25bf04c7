// The serving certificate of the tunnel server, issued by the operator: the tunnel server itself may write no Secrets.

import { issuedCertificate, type IssuedCertificateNames } from "@homeostat/operator";
import type { Service, ServiceTools } from "@homeostat/runtime";
import { tunnelCaConfigMap, tunnelSecret } from "../api/identity.ts";
import { tunnelName } from "../api/names.ts";
import type { TrustBundle } from "../observe/trust-bundle.ts";

/** The objects of the certificate, in the namespace of the operator. */
export const tunnelObjects: IssuedCertificateNames = { secret: tunnelSecret, configMap: tunnelCaConfigMap };

/** Clients read the pins of the authorities from their LocalWorkload when they connect, so a short time is enough. */
const propagationMs = 5 * 60_000;

/** Returns the service that issues and renews the certificate, and reports the authorities for the status of LocalWorkloads. */
export function tunnelCertificate({
  namespace,
  trust,
}: {
  readonly namespace: string;
  readonly trust: TrustBundle;
}): (tools: ServiceTools) => Service {
  return issuedCertificate({
    ...tunnelObjects,
    namespace,
    // Clients with a pin verify the first name, regardless of the address that they connect to.
    policy: {
      hosts: [tunnelName, `${tunnelName}.${namespace}.svc`, `${tunnelName}.${namespace}`],
      commonName: tunnelName,
      propagationMs,
    },
    onBundle: (bundle) => trust.set(bundle),
  });
}
