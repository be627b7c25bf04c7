// Ports of the containers of a fork.

import type { DeepReadonly } from "homeostat";
import type { ContainerPort, LifecycleHandler, Probe } from "@homeostat/kubernetes/core/v1";
import type { TemplateContainer, TemplateSpec } from "./baseline.ts";

type Port = DeepReadonly<ContainerPort>;

/** Returns a pod spec with the ports of a fork: without host ports, which the pods of the baseline already use, and each number once. */
export function withForkPorts(spec: TemplateSpec): TemplateSpec {
  const { initContainers } = spec;
  return {
    ...spec,
    containers: spec.containers.map(withContainerPorts),
    ...(initContainers !== undefined && { initContainers: initContainers.map(withContainerPorts) }),
  };
}

/**
 * Returns a container that declares each number once, although the baseline may give it several names: server-side apply identifies ports by number
 * and protocol and refuses duplicates. Probes that refer to a dropped name use the number instead.
 */
function withContainerPorts(container: TemplateContainer): TemplateContainer {
  const { ports } = container;
  if (ports === undefined) return container;
  const kept = new Map<string, Port>();
  const omitted = new Map<string, number>();
  for (const each of ports) {
    const { hostPort: _, hostIP: __, ...port } = each;
    const id = `${port.containerPort}/${port.protocol ?? "TCP"}`;
    if (!kept.has(id)) kept.set(id, port);
    else if (port.name !== undefined) omitted.set(port.name, port.containerPort);
  }
  const unique = { ...container, ports: [...kept.values()] };
  return omitted.size === 0 ? unique : withNumbers(unique, omitted);
}

const probes = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
const hooks = ["postStart", "preStop"] as const;

/** Returns a container whose probes and hooks use numbers in place of names of ports. */
function withNumbers(container: TemplateContainer, numbers: ReadonlyMap<string, number>): TemplateContainer {
  const changed: { -readonly [K in keyof TemplateContainer]: TemplateContainer[K] } = { ...container };
  for (const name of probes) {
    const probe = container[name];
    if (probe !== undefined) changed[name] = withNumber(probe, numbers);
  }
  const { lifecycle } = container;
  if (lifecycle === undefined) return changed;
  const changedHooks = { ...lifecycle };
  for (const name of hooks) {
    const hook = lifecycle[name];
    if (hook !== undefined) changedHooks[name] = withNumber(hook, numbers);
  }
  return { ...changed, lifecycle: changedHooks };
}

/** The part of probes and hooks that names a port. */
type PortUser = DeepReadonly<Pick<Probe, "httpGet" | "tcpSocket"> & Pick<LifecycleHandler, "httpGet" | "tcpSocket">>;

function withNumber<T extends PortUser>(user: T, numbers: ReadonlyMap<string, number>): T {
  const number = (port: number | string): number | string =>
    typeof port === "string" ? (numbers.get(port) ?? port) : port;
  const { httpGet, tcpSocket } = user;
  return {
    ...user,
    ...(httpGet !== undefined && { httpGet: { ...httpGet, port: number(httpGet.port) } }),
    ...(tcpSocket !== undefined && { tcpSocket: { ...tcpSocket, port: number(tcpSocket.port) } }),
  };
}
