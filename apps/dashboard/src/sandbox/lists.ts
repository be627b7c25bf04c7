// Lists of the pages about sandbox environments, from objects of the API.

import type { Stored } from "@homeostat/core";
import { localPortOf, LocalWorkload, Sandbox, type SandboxPolicy } from "@homeostat/sandbox-operator";
import type { PolicyRow, SandboxRow, TunnelRow } from "../api/sandbox-types.ts";
import type { Health } from "../api/types.ts";
import { objectHealth } from "../health/object-health.ts";
import { refOf } from "./kind-refs.ts";

/** Returns the rows of the list of Sandboxes, sorted by namespace and name. */
export function sandboxRows(sandboxes: readonly Stored<Sandbox>[]): SandboxRow[] {
  return sandboxes
    .map((sandbox): SandboxRow => {
      const { metadata, spec, status } = sandbox;
      return {
        ...refOf(Sandbox, metadata),
        ...sandboxHealth(sandbox),
        uid: metadata.uid,
        owner: status.createdBy ?? "",
        labels: { ...metadata.labels, ...spec.labels },
        routingKey: status.routingKey ?? "",
        expiresAt: status.expiresAt ?? "",
        services: status.summary?.services ?? "",
        drift: status.summary?.drift ?? "",
      };
    })
    .toSorted(byName);
}

/** Returns the state of a Sandbox. A suspended one has the phase Pending, but waits for nothing. */
export function sandboxHealth(sandbox: Stored<Sandbox>): Health {
  const health = objectHealth(sandbox, Sandbox);
  const isSuspended = sandbox.spec.suspend && sandbox.metadata.deletionTimestamp === undefined;
  return isSuspended ? { ...health, state: "finished", word: "Suspended" } : health;
}

/** Returns the rows of the list of tunnels, sorted by namespace and name. */
export function tunnelRows(workloads: readonly Stored<LocalWorkload>[]): TunnelRow[] {
  return workloads
    .map((workload): TunnelRow => {
      const { metadata, spec, status } = workload;
      const { connection } = status;
      const isConnected = status.phase === "Connected";
      return {
        ...refOf(LocalWorkload, metadata),
        ...objectHealth(workload, LocalWorkload),
        uid: metadata.uid,
        sandbox: spec.sandboxRef.name,
        service: spec.service.name,
        ports: spec.service.ports.map(
          (port) => `${port.name}: ${port.containerPort} to ${port.localHost}:${localPortOf(port)}`,
        ),
        machine: connection?.host ?? connection?.machine ?? "",
        user: connection?.user ?? status.createdBy ?? "",
        isConnected,
        since: (isConnected ? connection?.connectedAt : connection?.disconnectedAt) ?? "",
        roundTripMs: isConnected ? connection?.rttMillis : undefined,
        localPorts: connection?.localMessage ?? connection?.localTarget ?? "",
      };
    })
    .toSorted(byName);
}

/** Returns the effective policy of each namespace with a SandboxPolicy. All policies of a namespace have the same one in their status. */
export function policyRows(policies: readonly Stored<SandboxPolicy>[]): PolicyRow[] {
  const byNamespace = new Map<string, Stored<SandboxPolicy>[]>();
  for (const policy of policies) {
    const namespace = policy.metadata.namespace ?? "";
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), policy]);
  }
  return [...byNamespace]
    .map(([namespace, group]): PolicyRow => {
      const newest = group.find(({ status }) => status.effective !== undefined)?.status.effective;
      const { policies: _, ...limits } = newest ?? { policies: [] };
      return {
        namespace,
        policies: group.map(({ metadata }) => metadata.name).toSorted(),
        limits: Object.entries(limits).map(([name, value]) => ({ name, value: String(value) })),
      };
    })
    .toSorted((one, other) => one.namespace.localeCompare(other.namespace));
}

function byName(
  one: { readonly namespace?: string | undefined; readonly name: string },
  other: { readonly namespace?: string | undefined; readonly name: string },
): number {
  return (one.namespace ?? "").localeCompare(other.namespace ?? "") || one.name.localeCompare(other.name);
}
