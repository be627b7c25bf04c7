// Ports of a LocalWorkload: as users write them, or those of the Service.

import { UsageError } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { type Baseline, type LocalWorkloadInput, viewService } from "@homeostat/sandbox-operator";
import { CommandError, exitCodes } from "../command/errors.ts";

/** A port of a LocalWorkload. */
export type WorkloadPort = LocalWorkloadInput["spec"]["service"]["ports"][number];

/** Reads `LOCAL` or `LOCAL:REMOTE`. Throws a {@link UsageError}. */
export function portOf(text: string): WorkloadPort {
  const [, local = "", remote = local] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(text) ?? [];
  const [localPort, containerPort] = [Number(local), Number(remote)];
  const isPort = (port: number): boolean => port >= 1 && port <= 65_535;
  if (local === "" || !isPort(localPort) || !isPort(containerPort))
    throw new UsageError(`--port is ${JSON.stringify(text)}; it must be LOCAL or LOCAL:REMOTE, such as 3000:8080.`);
  return { name: `port-${containerPort}`, localPort, containerPort };
}

/** Returns the ports of a Service as ports of containers. Throws if none is known. */
export function detectPorts(service: Service, { template }: Baseline): readonly WorkloadPort[] {
  const declared = template.spec.containers.flatMap(({ ports = [] }) => ports);
  const { name, namespace, ports } = viewService(service);
  const found = new Map<number, WorkloadPort>();
  for (const { name: portName, port, targetPort = port, protocol = "TCP" } of ports) {
    const containerPort =
      typeof targetPort === "number" ? targetPort : declared.find((each) => each.name === targetPort)?.containerPort;
    if (protocol !== "TCP" || containerPort === undefined) continue;
    // The operator finds a named target port by the name of the port of the LocalWorkload.
    const own = typeof targetPort === "string" ? targetPort : (portName ?? `port-${containerPort}`);
    found.set(containerPort, { name: own, containerPort });
  }
  if (found.size > 0) return [...found.values()];
  throw new CommandError(
    `Service ${namespace}/${name} has no TCP port that a container declares. Name one with --port LOCAL:REMOTE`,
    exitCodes.notFound,
  );
}
