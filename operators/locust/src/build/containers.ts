import type { DeepReadonly } from "homeostat";
import { restrictedContainerContext } from "@homeostat/core";
import type { Container, EnvVar, ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import { computeRequirements } from "@homeostat/operator";
import type { Test } from "../api/locust-test.ts";
import { nodeName, ports, type Role } from "../api/names.ts";
import type { Settings } from "../settings/settings.ts";
import { masterArguments, usesOpenTelemetry, workerArguments } from "./command-line.ts";
import { type EffectiveArguments, effectiveArguments } from "../api/effective-arguments.ts";
import { variableSourcesFor, variablesFor } from "./environment.ts";
import { type BuildInput, nameOf } from "./objects.ts";
import { defaultContainerSecurity } from "./security.ts";
import { mountsFor } from "./volumes.ts";

/** The container of Locust, which always has arguments and variables. */
export type LocustContainer = DeepReadonly<Container> & {
  readonly args: readonly string[];
  readonly env: readonly DeepReadonly<EnvVar>[];
};

/** Builds the Locust container of a role. It uses the entry point of the image. */
export function locustContainer(input: BuildInput, role: Role): LocustContainer {
  const { test } = input;
  const { spec } = test;
  const args = role === "master" ? masterArguments(test) : workerArguments(test);
  const open = role === "master" ? [ports.master, ports.masterBind, ports.web] : [ports.worker];
  const envFrom = variableSourcesFor(spec);
  const volumeMounts = mountsFor(test, role);
  const resources = locustResources(input, role);
  const securityContext = spec.security?.containerSecurityContext ?? defaultContainerSecurity(input.settings);
  return {
    name: nodeName(nameOf(test), role),
    image: spec.image,
    imagePullPolicy: spec.imagePullPolicy,
    args,
    ports: open.map((containerPort) => ({ containerPort })),
    env: variablesFor(input, { role, args }),
    ...(envFrom.length > 0 && { envFrom }),
    ...(resources !== undefined && { resources }),
    ...(volumeMounts.length > 0 && { volumeMounts }),
    ...(securityContext !== undefined && { securityContext }),
  };
}

export const exporterName = "locust-metrics-exporter";

/** Reports whether the master has the exporter: not with OpenTelemetry, and not without the web API that it reads. */
export function hasExporter(spec: Test["spec"], effective: EffectiveArguments): boolean {
  return !usesOpenTelemetry(spec) && !effective.headless;
}

/** Builds the exporter as a native sidecar: it ends with the main container, so the Job can complete. */
export function exporterContainer({ exporter }: Settings, locust: LocustContainer): DeepReadonly<Container> {
  const { tls, webPort, webBasePath } = effectiveArguments(locust);
  const resources = computeRequirements(exporter.resources);
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
    securityContext: { ...restrictedContainerContext, readOnlyRootFilesystem: true },
  };
}

/** Returns the resources of the test, or the operator's defaults if it sets none. The two are never merged. */
function locustResources({ test, settings }: BuildInput, role: Role): DeepReadonly<ResourceRequirements> | undefined {
  const own = test.spec[role].resources;
  const isSet = Object.keys(own?.requests ?? {}).length > 0 || Object.keys(own?.limits ?? {}).length > 0;
  return isSet ? own : computeRequirements(settings.resources[role]);
}
