// The preview host that gateways receive: a published endpoint with the port and the ready addresses of its Service.

import { createHash } from "node:crypto";
import { type DeepReadonly, withoutUndefined } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { parsePreviewHost, type PreviewHost } from "@homeostat/routing";
import { parseEndpointTarget, type PublishedEndpoint } from "@homeostat/sandbox-operator";
import { readyAddresses } from "./build-table.ts";

/** Objects that a preview host is built from. */
export interface HostInput {
  readonly endpoint: Omit<PublishedEndpoint, "name">;
  readonly expiresAt?: string | undefined;
  /** Ids of the tokens that the host accepts. */
  readonly tokens?: readonly string[] | undefined;
  service(this: void, key: string): DeepReadonly<Service> | undefined;
  slices(this: void, service: string): readonly DeepReadonly<EndpointSlice>[];
}

/** Protocols of Service ports that speak HTTP/2 without TLS. */
const http2Protocols: ReadonlySet<string> = new Set(["kubernetes.io/h2c", "h2c", "grpc", "http2"]);

/** Builds a preview host. Returns undefined if its Service or the port does not exist, or a field is invalid. */
export function buildHost({ endpoint, expiresAt, tokens, service, slices }: HostInput): PreviewHost | undefined {
  const target = parseEndpointTarget(endpoint.target);
  if (target === undefined) return undefined;
  const key = `${target.namespace}/${target.service}`;
  const found = service(key);
  const port = portOf(found, target);
  if (port === undefined) return undefined;
  const content = {
    host: endpoint.host,
    namespace: target.namespace,
    service: target.service,
    port: port.port,
    protocol: protocolOf(target, port),
    path: endpoint.path,
    auth: endpoint.auth,
    ...withoutUndefined({ routingKey: endpoint.routingKey, defaultKey: endpoint.defaultRoutingKey, tls: endpoint.tls }),
  };
  return parsePreviewHost({
    ...content,
    version: createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16),
    addresses: readyAddresses(port.port, found, slices(key)),
    ...withoutUndefined({ expiresAt, tokens }),
  }).host;
}

/** Returns the protocol of a target. A host with https and without authorities is invalid, and is not served. */
function protocolOf(
  { scheme }: { readonly scheme: string },
  { appProtocol = "" }: ServicePort,
): PreviewHost["protocol"] {
  if (scheme === "https") return "https";
  return scheme === "grpc" || http2Protocols.has(appProtocol) ? "http2" : "http1";
}

type ServicePort = NonNullable<NonNullable<DeepReadonly<Service>["spec"]>["ports"]>[number];

/** Returns the port of a target. Without a number, it is the only port of the Service, or the one that has the name of the scheme. */
function portOf(
  service: DeepReadonly<Service> | undefined,
  { port, scheme }: { readonly port: number | undefined; readonly scheme: string },
): ServicePort | undefined {
  const ports = service?.spec?.ports ?? [];
  if (port !== undefined) return ports.find((each) => each.port === port);
  return ports.length === 1 ? ports[0] : ports.find(({ name }) => name === scheme);
}
