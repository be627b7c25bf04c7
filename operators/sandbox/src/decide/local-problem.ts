// Reasons for which a LocalWorkload cannot be used: its sandbox, service or ports.

import type { CachedLocalWorkload } from "../api/local-workload.ts";

/** Objects that a LocalWorkload refers to, as they are now. */
export interface LocalTargets {
  readonly hasSandbox: boolean;
  /** True if the name of its service is an entry of the sandbox with the mode Local, or a Service. */
  readonly hasService: boolean;
  /** Container ports of the workload, and ports that its Services lead to; undefined if they are not known. */
  readonly containerPorts: ReadonlySet<number> | undefined;
}

/** A reason for which a LocalWorkload cannot be used. */
export interface LocalTargetProblem {
  readonly reason: "SandboxMissing" | "ServiceUnknown" | "PortUnknown";
  readonly message: string;
}

/** Decides whether a LocalWorkload has everything that it refers to. */
export function decideLocalProblem(
  { spec }: Pick<CachedLocalWorkload, "spec">,
  { hasSandbox, hasService, containerPorts }: LocalTargets,
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
  if (unknown.length === 0) return undefined;
  const ports = unknown.map(({ name, containerPort }) => `${name} (${containerPort})`).join(", ");
  const known = [...(containerPorts ?? [])].toSorted((a, b) => a - b).join(", ");
  const message = `The baseline has no container port for ${ports}; its ports are ${known}`;
  return { reason: "PortUnknown", message };
}
