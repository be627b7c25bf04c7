import type { DeepReadonly } from "@homeostat/core";
import type { Pod, Service, ServicePort } from "@homeostat/kubernetes/core/v1";
import type { Endpoint, EndpointPort } from "@homeostat/kubernetes/discovery/v1";
import { isReady, isTerminal } from "../pods/pod-state.ts";

/** IP families of an EndpointSlice. */
export type AddressType = "IPv4" | "IPv6";

type AnyPod = DeepReadonly<Pod>;
type AnyService = DeepReadonly<Service>;

/** Endpoints that have the same ports. A slice has one list of ports for all of its endpoints. */
export interface EndpointGroup {
  readonly ports: readonly DeepReadonly<EndpointPort>[];
  readonly endpoints: readonly DeepReadonly<Endpoint>[];
}

/** The desired endpoints of a Service. */
export interface DesiredEndpoints {
  readonly groups: readonly EndpointGroup[];
  /** Pods that are skipped because the cache has no Node for them yet. */
  readonly skipped: readonly { readonly pod: string; readonly node: string }[];
}

/** Returns the IP families of a Service. */
export function addressTypes({ spec }: AnyService): readonly AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === "IPv4" || family === "IPv6");
  if (families.length > 0) return [...new Set(families)];
  return [isIPv6(spec?.clusterIP ?? "") ? "IPv6" : "IPv4"];
}

/** Reports whether a pod can be an endpoint: it has an address and is not terminal. */
export function hasEndpoint(pod: AnyPod): boolean {
  if (isTerminal(pod)) return false;
  return (pod.status?.podIP ?? "") !== "" || (pod.status?.podIPs ?? []).length > 0;
}

/** Returns the labels of a node; undefined when the node does not exist. */
export type NodeLabels = (name: string) => Readonly<Record<string, string>> | undefined;

/**
 * Returns the desired endpoints of a Service in one IP family. Pods are grouped by ports, because a named target port
 * can be a different number in each pod.
 */
export function desiredEndpoints(
  service: AnyService,
  pods: readonly AnyPod[],
  { type, labelsOf }: { readonly type: AddressType; readonly labelsOf: NodeLabels },
): DesiredEndpoints {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: DeepReadonly<Endpoint>[] }>();
  const skipped: { pod: string; node: string }[] = [];
  for (const pod of pods) {
    if (!hasEndpoint(pod)) continue;
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const node = pod.spec?.nodeName ?? "";
    const labels = labelsOf(node);
    if (labels === undefined && service.spec?.publishNotReadyAddresses !== true) {
      skipped.push({ pod: pod.metadata.name ?? "", node });
      continue;
    }
    const endpoint = endpointOf(service, pod, { type, zone: labels?.["topology.kubernetes.io/zone"] });
    if (endpoint.addresses.length > 0) group.endpoints.push(endpoint);
  }
  return { groups: [...groups.values()], skipped };
}

/** Returns a key that is equal for the same ports in any order. */
export function portsKey(ports: readonly DeepReadonly<EndpointPort>[]): string {
  const words = ports.map(({ name, port, protocol, appProtocol }) =>
    JSON.stringify([name ?? null, port ?? null, protocol ?? null, appProtocol ?? null]),
  );
  return words.sort().join();
}

/** Returns a key that identifies an endpoint independently of its conditions. */
export function endpointKey({ addresses, hostname, targetRef }: DeepReadonly<Endpoint>): string {
  const { namespace, name, uid } = targetRef ?? {};
  return JSON.stringify([[...addresses].sort(), hostname ?? "", namespace ?? "", name ?? "", uid ?? ""]);
}

function endpointOf(
  service: AnyService,
  pod: AnyPod,
  { type, zone }: { readonly type: AddressType; readonly zone: string | undefined },
): DeepReadonly<Endpoint> {
  const { namespace = "", name = "", uid = "", deletionTimestamp } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const isNamed = hostname !== undefined && hostname !== "" && subdomain === service.metadata.name;
  const addresses = (pod.status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => isIPv6(ip) === (type === "IPv6"));
  return {
    addresses,
    conditions: { ready, serving, terminating },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName === undefined || nodeName === "" ? {} : { nodeName }),
    ...(zone === undefined || zone === "" ? {} : { zone }),
    ...(isNamed ? { hostname } : {}),
  };
}

function portsOf({ spec }: AnyService, pod: AnyPod): readonly EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPort(servicePort, pod);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** Resolves the target port of a Service in a pod; undefined when no container has a port of that name and protocol. */
function targetPort(
  { targetPort: target = 0, protocol = "TCP" }: DeepReadonly<ServicePort>,
  { spec }: AnyPod,
): number | undefined {
  if (typeof target === "number") return target;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    const found = ports.find((port) => port.name === target && (port.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

function isIPv6(address: string): boolean {
  return address.includes(":");
}
