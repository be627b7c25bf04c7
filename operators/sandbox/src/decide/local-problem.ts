// Reasons why a LocalWorkload cannot be used: its sandbox, service or ports.

import type { CachedLocalWorkload } from "../api/local-workload.ts";
import { localPortFor } from "../build/local-objects.ts";
import type { ServiceView } from "../build/service-view.ts";

/** Current state of the objects that a LocalWorkload refers to. */
export interface LocalTargets {
  readonly hasSandbox: boolean;
  /** True if the name of its service is an entry of the sandbox with the mode Local, or a Service. */
  readonly hasService: boolean;
  /** Container ports of the workload, and ports that its Services route to; undefined if they are not known. */
  readonly containerPorts: ReadonlySet<number> | undefined;
  /** Services that it replaces; empty while they are not known. */
  readonly services: readonly Pick<ServiceView, "name" | "ports">[];
}

/** A reason why a LocalWorkload cannot be used. */
export interface LocalTargetProblem {
  readonly reason: "SandboxMissing" | "ServiceUnknown" | "PortUnknown";
  readonly message: string;
}

/** Decides whether all objects that a LocalWorkload refers to exist. */
export function decideLocalProblem(
  { spec }: Pick<CachedLocalWorkload, "spec">,
  { hasSandbox, hasService, containerPorts, services }: LocalTargets,
): LocalTargetProblem | undefined {
  const { sandboxRef, service } = spec;
  if (!hasSandbox) {
    const message = `Sandbox ${sandboxRef.name} does not exist; create it, or delete this LocalWorkload`;
    return { reason: "SandboxMissing", message };
  }
  if (!hasService) {
    const message = `${service.name} is neither an entry of the sandbox with the mode Local nor a Service; add the entry, or create another LocalWorkload`;
    return { reason: "ServiceUnknown", message };
  }
  const unknown = service.ports.filter(({ containerPort }) => containerPorts?.has(containerPort) === false);
  if (unknown.length === 0) return unreachedProblem(service.ports, services);
  const ports = unknown.map(portText).join(", ");
  const known = [...(containerPorts ?? [])].toSorted((a, b) => a - b).join(", ");
  const message = `The baseline has no container port for ${ports}; its ports are ${known}`;
  return { reason: "PortUnknown", message };
}

type LocalPort = CachedLocalWorkload["spec"]["service"]["ports"][number];

/**
 * Returns the problem of a LocalWorkload that would never receive a request, because no Service targets one of its ports. Usually the port names
 * differ.
 */
function unreachedProblem(
  own: readonly LocalPort[],
  services: LocalTargets["services"],
): LocalTargetProblem | undefined {
  const leading = services.flatMap(({ name, ports }) =>
    ports.filter(({ protocol = "TCP" }) => protocol === "TCP").map((port) => ({ service: name, port })),
  );
  if (leading.length === 0 || leading.some(({ port }) => localPortFor(port, own) !== undefined)) return undefined;
  const targets = leading.map(({ service, port }) => `${port.targetPort ?? port.port} (Service ${service})`).join(", ");
  const [first] = leading;
  const target = first?.port.targetPort ?? first?.port.port;
  const advice = typeof target === "string" ? `name the port ${target}` : `set containerPort to ${target ?? 0}`;
  return {
    reason: "PortUnknown",
    message: `No Service targets the ports ${own.map(portText).join(", ")}: the target ports are ${targets}; ${advice} in spec.service.ports`,
  };
}

function portText({ name, containerPort }: LocalPort): string {
  return `${name} (${containerPort})`;
}
