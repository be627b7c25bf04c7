import type { DeepReadonly } from "@homeostat/core";
import type { Container, EnvVar } from "@homeostat/kubernetes/core/v1";
import { type EffectiveArguments, effectiveArguments } from "./effective-arguments.ts";
import { isTraced } from "./command-line.ts";
import type { OperatorConfig } from "../settings/settings.ts";
import { resourcesOf } from "./resources.ts";
import type { Test } from "./objects.ts";

/** The name of the container that turns Locust's numbers into metrics. */
export const exporterName = "locust-metrics-exporter";

/** Whether a master's numbers are exported: not where they are sent by OpenTelemetry, nor where nobody can be asked. */
export function isExported(spec: Test["spec"], effective: EffectiveArguments): boolean {
  return !isTraced(spec) && !effective.headless;
}

/**
 * The exporter beside the master: a native sidecar, which ends with the main container, so that the Job can complete.
 *
 * It reads the master's web interface, wherever that is in effect.
 */
export function exporterContainer(
  { exporter }: OperatorConfig,
  locust: { args: readonly string[]; env: readonly DeepReadonly<EnvVar>[] },
): DeepReadonly<Container> {
  const { tls, webPort, webBasePath } = effectiveArguments(locust);
  const resources = resourcesOf(exporter.resources);
  return {
    name: exporterName,
    image: exporter.image,
    imagePullPolicy: exporter.pullPolicy,
    restartPolicy: "Always",
    ports: [{ containerPort: exporter.port }],
    env: [
      { name: "LOCUST_EXPORTER_URI", value: `${tls ? "https" : "http"}://localhost:${webPort}${webBasePath}` },
      { name: "LOCUST_EXPORTER_WEB_LISTEN_ADDRESS", value: `:${exporter.port}` },
    ],
    ...(resources !== undefined && { resources }),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
  };
}
