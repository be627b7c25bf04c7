// Where a machine may connect to: pods behind Services that its LocalWorkload and the policies allow, and nothing else.

import { BlockList, isIP } from "node:net";
import type { DeepReadonly } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import {
  isOutboundAllowedBy,
  type LocalWorkload,
  type SandboxPolicy,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import type { StreamErrorCode } from "@homeostat/tunnel";

/** A Service that a machine asks for. */
export interface Destination {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
}

/** A refusal, with its code for the client and its reason. */
export interface Refusal {
  readonly code: StreamErrorCode;
  readonly why: string;
}

/** Objects that decide about a destination. */
export interface OutboundWorld {
  readonly workload: DeepReadonly<LocalWorkload>;
  readonly policies: readonly DeepReadonly<SandboxPolicy>[];
  service(this: void, key: { readonly namespace: string; readonly name: string }): DeepReadonly<Service> | undefined;
  slices(this: void, service: string): readonly DeepReadonly<EndpointSlice>[];
  /** Reports whether an address is that of a node, which pods in the network of their node share. */
  isNode(this: void, address: string): boolean;
  /** Namespace of this program. */
  readonly ownNamespace: string;
}

// Loopback, unspecified, link-local with the metadata services of clouds, and multicast. One list for each family: a list with the range of IPv4-mapped
// addresses matches all IPv4 addresses.
const forbidden = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [net, prefix, family] of [
  ["0.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["240.0.0.0", 4, "ipv4"],
  ["::", 127, "ipv6"],
  ["::ffff:0:0", 96, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
  ["fd00:ec2::", 32, "ipv6"],
] as const)
  forbidden[family].addSubnet(net, prefix, family);

/** Parses `host:port` of a stream: `svc`, `svc.ns`, `svc.ns.svc` or a full name. A name without a namespace is of the namespace of the machine. */
export function parseDestination(text: string, home: string): Destination | Refusal {
  const colon = text.lastIndexOf(":");
  const host = text
    .slice(0, colon)
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const port = Number(text.slice(colon + 1));
  if (colon <= 0 || !/^[0-9]{1,5}$/.test(text.slice(colon + 1)) || port < 1 || port > 65_535)
    return { code: "protocol", why: "the destination is not host:port with a port from 1 to 65535" };
  // An address in any notation that a resolver takes: 127.1, 0x7f000001, 2130706433.
  if (isIP(host) !== 0 || /^[0-9.]+$/.test(host) || /^0x[0-9a-f.x]+$/.test(host) || host.includes(":"))
    return { code: "denied", why: "IP addresses are not allowed; use the name of a Service" };
  const [service = "", namespace = home, kind = "svc", ...rest] = host.split(".");
  const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
  if (!label.test(service) || !label.test(namespace))
    return { code: "denied", why: "the name is not that of a Service" };
  // The domain of the cluster is not known here; nothing is resolved by DNS, so any domain after svc means this cluster.
  if (kind !== "svc" || rest.some((each) => !label.test(each)))
    return { code: "denied", why: "the name is not that of a Service of this cluster" };
  return { service, namespace, port };
}

/** Returns the addresses of a destination, or why it is refused. */
export function resolveDestination(
  { service: name, namespace, port }: Destination,
  { workload, policies, service: find, slices, isNode, ownNamespace }: OutboundWorld,
): { readonly addresses: readonly { readonly host: string; readonly port: number }[] } | Refusal {
  const home = workload.metadata.namespace ?? "";
  const target = { service: name, namespace, port };
  const isSystem = (each: string | undefined): boolean => each === systemNamespace || each === ownNamespace;
  if (isSystem(namespace) || (namespace === "default" && name === "kubernetes"))
    return { code: "denied", why: "Services of the cluster itself are not allowed" };
  if (!isOutboundAllowedBy(target, { workload, home, policies }))
    return { code: "denied", why: "the LocalWorkload or the policies of its namespace do not allow it" };
  const service = find({ namespace, name });
  if (service === undefined) return { code: "dns", why: "the Service does not exist" };
  if (service.spec?.type === "ExternalName")
    return { code: "denied", why: "the Service leads to a name outside of the cluster" };
  const found = service.spec?.ports?.find((each) => each.port === port && (each.protocol ?? "TCP") === "TCP");
  if (found === undefined) return { code: "refused", why: "the Service has no TCP port of this number" };
  const apiServer = new Set(
    slices("default/kubernetes").flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)),
  );
  const addresses = slices(`${namespace}/${name}`).flatMap(({ addressType, ports, endpoints }) => {
    const number = ports?.find((each) => (each.name ?? "") === (found.name ?? ""))?.port;
    if (number === undefined || addressType === "FQDN") return [];
    return (
      (endpoints ?? [])
        // Only pods: a Service without a selector may list any address.
        .filter(
          ({ conditions, targetRef }) =>
            conditions?.ready !== false && targetRef?.kind === "Pod" && !isSystem(targetRef.namespace),
        )
        .flatMap(({ addresses: hosts }) => hosts.map((host) => ({ host, port: number })))
    );
  });
  const allowed = addresses.filter(({ host }) => isAllowedAddress(host) && !apiServer.has(host) && !isNode(host));
  if (allowed.length > 0) return { addresses: allowed };
  return addresses.length > 0
    ? { code: "denied", why: "the endpoints of the Service have addresses of nodes, or are not for pods" }
    : { code: "refused", why: "the Service has no ready pods" };
}

function isAllowedAddress(host: string): boolean {
  if (isIP(host) === 0) return false;
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  return !forbidden[family].check(host, family);
}
