// Preview hosts: the addresses under which the gateway offers endpoints of sandboxes and groups.

import { previewHost } from "../api/names.ts";
import { compareAge, compareText, type KeyClaim } from "./keys.ts";

/** An endpoint of a sandbox or a group. */
export interface EndpointView {
  readonly name: string;
  /** URL of a Service: `http://frontend.shop.svc:8080`. */
  readonly target: string;
  /** Host name that the user chose; undefined for the generated one. */
  readonly host: string | undefined;
  readonly auth: "Token" | "Forward" | "None";
  readonly path: string;
}

/** A sandbox or a group with endpoints. */
export interface EndpointOwner extends KeyClaim {
  /** Key that the object owns; undefined without one. */
  readonly routingKey: string | undefined;
  readonly endpoints: readonly EndpointView[];
}

/** The Service that a preview host leads to. */
export interface EndpointTarget {
  readonly scheme: "http" | "https" | "grpc";
  readonly service: string;
  readonly namespace: string;
  /** Undefined for the first port of the Service. */
  readonly port: number | undefined;
}

/** A preview host. Requests to it get the routing key of its owner. */
export interface PreviewHost {
  readonly host: string;
  readonly routingKey: string;
  readonly endpoint: string;
  readonly owner: KeyClaim;
  readonly target: EndpointTarget;
  readonly auth: EndpointView["auth"];
  readonly path: string;
}

/** Reasons for which an endpoint has no host. */
export type HostProblem = "NoPreviewDomain" | "NoRoutingKey" | "InvalidTarget" | "OutsideOfDomain" | "HostTaken";

/** An endpoint without a host. */
export interface UnservedEndpoint {
  readonly owner: KeyClaim;
  readonly endpoint: string;
  readonly problem: HostProblem;
}

/** All preview hosts. */
export interface HostTable {
  /** Hosts, sorted by name. */
  readonly hosts: readonly PreviewHost[];
  readonly unserved: readonly UnservedEndpoint[];
}

/** Compiles the hosts of all endpoints. Two endpoints with the same host: the older object keeps it. */
export function compileHosts(owners: Iterable<EndpointOwner>, domain: string): HostTable {
  const hosts = new Map<string, PreviewHost>();
  const unserved: UnservedEndpoint[] = [];
  for (const owner of [...owners].sort(compareAge)) {
    for (const endpoint of owner.endpoints) {
      const found = hostOf(owner, endpoint, domain);
      const problem = typeof found === "string" ? found : hosts.has(found.host) ? "HostTaken" : undefined;
      if (problem !== undefined) unserved.push({ owner: claimOf(owner), endpoint: endpoint.name, problem });
      else if (typeof found !== "string") hosts.set(found.host, found);
    }
  }
  return { hosts: [...hosts.values()].sort((a, b) => compareText(a.host, b.host)), unserved };
}

function hostOf(owner: EndpointOwner, endpoint: EndpointView, domain: string): PreviewHost | HostProblem {
  const { routingKey } = owner;
  if (domain === "") return "NoPreviewDomain";
  if (routingKey === undefined) return "NoRoutingKey";
  const target = parseTarget(endpoint.target);
  if (target === undefined) return "InvalidTarget";
  const host = endpoint.host?.toLowerCase() ?? previewHost({ endpoint: endpoint.name, routingKey, domain });
  if (!host.endsWith(`.${domain.toLowerCase()}`)) return "OutsideOfDomain";
  const { name, auth, path } = endpoint;
  return { host, routingKey, endpoint: name, owner: claimOf(owner), target, auth, path };
}

/** Parses the target of an endpoint; undefined if it is not the URL of a Service. */
export function parseTarget(target: string): EndpointTarget | undefined {
  const match = /^(http|https|grpc):\/\/([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc(?::([0-9]{1,5}))?$/.exec(target);
  const [, scheme, service = "", namespace = "", port] = match ?? [];
  if (scheme !== "http" && scheme !== "https" && scheme !== "grpc") return undefined;
  return { scheme, service, namespace, port: port === undefined ? undefined : Number(port) };
}

function claimOf({ kind, namespace, name, uid, createdAt }: KeyClaim): KeyClaim {
  return { kind, namespace, name, uid, createdAt };
}
