// The Service and the EndpointSlice that route to the machine of a LocalWorkload, through the replica of the tunnel server that it is attached to.

import { isIP } from "node:net";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { fieldManager } from "../api/identity.ts";
import type { CachedLocalWorkload } from "../api/local-workload.ts";
import { localServiceName } from "../api/names.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import type { ServiceView, TargetedService } from "./service-view.ts";
import { ownLabels } from "./metadata.ts";

/** A port of the Service of a LocalWorkload. */
export interface LocalServicePort {
  readonly name: string;
  /** Port of the Service of the baseline, which routes use. */
  readonly port: number;
  /** Port of the pods of the tunnel server. */
  readonly listenPort: number;
}

/** A replica of the tunnel server that machines of the LocalWorkload are attached to. */
export interface LocalReplica {
  /** Name of its pod. */
  readonly name: string;
  /** IP address of its pod. */
  readonly address: string;
  /** True while a machine is attached to it; false after the machine has disconnected. */
  readonly isReady: boolean;
}

/** Input of {@link localObjects}. */
export interface LocalObjectsInput {
  readonly workload: CachedLocalWorkload;
  readonly sandbox: CachedSandbox;
  readonly routingKey: string;
  readonly services: readonly TargetedService[];
  /** Listening ports by name of the port of the LocalWorkload. */
  readonly listenPorts: ReadonlyMap<string, number>;
  readonly replicas: readonly LocalReplica[];
  /** Namespace of the tunnel server. */
  readonly systemNamespace: string;
}

/** The objects of a LocalWorkload. */
export interface LocalObjects {
  readonly service: Service & { metadata: { name: string; namespace: string } };
  readonly slice: EndpointSlice & { metadata: { name: string; namespace: string } };
}

/** Label of EndpointSlices: the controller that manages them. Other controllers ignore them. */
export const sliceManagerLabel = "endpointslice.kubernetes.io/managed-by";
/** Label of EndpointSlices: the name of their Service. */
export const sliceServiceLabel = "kubernetes.io/service-name";

/**
 * Returns the Service without a selector, and the EndpointSlice that lists exactly the replicas with an attached machine. A slice without a port is
 * not valid, and neither is a Service: undefined if no Service of the baseline routes to a port of the LocalWorkload.
 *
 * An endpoint is ready while its machine is attached, whether or not the local process listens: the tunnel server then responds with an error that names
 * machine and port. Without a ready endpoint, proxies would send the requests to the baseline, or respond without a reason.
 */
export function localObjects(input: LocalObjectsInput): LocalObjects | undefined {
  const { workload, sandbox, routingKey, services } = input;
  const ports = localServicePorts(input);
  const [first] = services;
  if (first === undefined || ports.length === 0) return undefined;
  const { name: sandboxName = "", uid: sandboxUid = "" } = sandbox.metadata;
  const service = workload.spec.service.name;
  const identity = { name: workload.metadata.name ?? "", service };
  const name = localServiceName({ name: sandboxName, uid: sandboxUid }, identity);
  const { namespace } = first;
  const marks = ownLabels({ sandbox, entry: service, routingKey });
  const ownerReferences = namespace === workload.metadata.namespace ? [ownerOf(workload)] : [];
  return {
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace, labels: marks, ownerReferences },
      spec: {
        type: "ClusterIP",
        ports: ports.map(({ name: portName, port, listenPort }) => ({
          name: portName,
          port,
          targetPort: listenPort,
          protocol: "TCP",
        })),
      },
    },
    slice: {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name,
        namespace,
        labels: { ...marks, [sliceServiceLabel]: name, [sliceManagerLabel]: fieldManager },
        ownerReferences,
      },
      addressType: input.replicas.some(({ address }) => isIP(address) === 6) ? "IPv6" : "IPv4",
      endpoints: endpointsOf(input),
      ports: ports.map(({ name: portName, listenPort }) => ({ name: portName, port: listenPort, protocol: "TCP" })),
    },
  };
}

function endpointsOf({ replicas, systemNamespace }: LocalObjectsInput): NonNullable<EndpointSlice["endpoints"]> {
  // A slice has a single address type: the family of the first replica determines it.
  const family = replicas.some(({ address }) => isIP(address) === 6) ? 6 : 4;
  return replicas
    .filter(({ address }) => isIP(address) === family)
    .map(({ name, address, isReady }) => ({
      addresses: [address],
      conditions: { ready: isReady, serving: isReady, terminating: false },
      targetRef: { kind: "Pod", namespace: systemNamespace, name },
    }));
}

/**
 * Returns the port of a LocalWorkload that a TCP port of a Service routes to; undefined if there is none. A named target port is the port of the same
 * name: the templates of pods, which know its number, are not read for routes.
 */
export function localPortFor<P extends { readonly name: string; readonly containerPort: number }>(
  { port, targetPort = port, protocol = "TCP" }: ServiceView["ports"][number],
  own: readonly P[],
): P | undefined {
  if (protocol !== "TCP") return undefined;
  return own.find(({ name, containerPort }) => targetPort === (typeof targetPort === "number" ? containerPort : name));
}

/** Returns the ports of the Service: those of the Services of the baseline that route to a port of the LocalWorkload. */
function localServicePorts({ workload, services, listenPorts }: LocalObjectsInput): readonly LocalServicePort[] {
  const found = new Map<number, LocalServicePort>();
  for (const { ports } of services) {
    for (const { port, containerPort } of ports) {
      const own = workload.spec.service.ports.find((each) => each.containerPort === containerPort);
      const listenPort = own === undefined ? undefined : listenPorts.get(own.name);
      // Services that map one port number to different container ports cannot share a Service: the first one wins.
      if (listenPort !== undefined && !found.has(port)) found.set(port, { name: `port-${port}`, port, listenPort });
    }
  }
  return [...found.values()].toSorted((a, b) => a.port - b.port);
}

function ownerOf({ metadata, apiVersion, kind }: CachedLocalWorkload) {
  return { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "", controller: true };
}
