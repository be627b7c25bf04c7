// Renders route tables as resources of Envoy (xDS v3), and as files that Envoy watches.

import { createHash } from "node:crypto";
import type { RouteTable, RoutingSettings, TablePort } from "@homeostat/routing";
import { type EnvoyRoute, envoyRoutes } from "./envoy-routes.ts";
import { type Limitation, type LimitationName, Limitations } from "./limitation.ts";
import { type Destination, type PlannedKey, planRoutes } from "./route-plan.ts";

/** Limitations of all routes of Envoy. */
export const envoyLimitations: readonly LimitationName[] = [
  "TracestateUnsupported",
  "RepeatedKeyHeaderUnsupported",
  "EncodedKeysUnsupported",
  "BaggageRulesUnsupported",
  "DotSegmentsUnsupported",
  "NodeRequestsRouted",
  "PreviewUnsupported",
];

/** Input of the renderer. */
export interface EnvoyInput {
  readonly tables: readonly RouteTable[];
  readonly settings: RoutingSettings;
  /** Folder in which Envoy finds the files. Without it, Envoy gets all resources from the aggregated discovery service. */
  readonly folder?: string;
  /** Address on which listeners accept connections. Default all addresses. */
  readonly bindAddress?: string;
}

/** A resource of xDS. */
export type EnvoyResource = Readonly<Record<string, unknown>> & { readonly "@type": string; readonly name?: string };

/** Rendered resources. */
export interface EnvoyOutput {
  readonly listeners: readonly EnvoyResource[];
  readonly routes: readonly EnvoyResource[];
  readonly clusters: readonly EnvoyResource[];
  readonly endpoints: readonly EnvoyResource[];
  readonly limitations: readonly Limitation[];
}

const api = "type.googleapis.com/envoy";

/** Renders tables. A port without `listen` has no listener: requests do not reach it through Envoy. */
export function renderEnvoy(input: EnvoyInput): EnvoyOutput {
  const limitations = new Limitations();
  const listeners: EnvoyResource[] = [];
  const routes: EnvoyResource[] = [];
  const clusters = new Map<string, EnvoyResource>();
  const endpoints = new Map<string, EnvoyResource>();
  for (const table of input.tables) {
    for (const port of table.ports) {
      if (port.listen === undefined) continue;
      const keys = planRoutes(table, port.port, limitations);
      const context = {
        settings: input.settings,
        baseline: `${table.namespace}/${table.service}:${port.port}/baseline`,
        clusterOf: (destination: Workload) => clusterName(table, destination),
        limitations,
      };
      const name = `${table.namespace}/${table.service}:${port.port}`;
      listeners.push(listener(name, port.listen, input));
      routes.push(routeConfiguration(name, envoyRoutes(keys, context)));
      clusters.set(context.baseline, dnsCluster(context.baseline, port.baselineTarget, port));
      for (const destination of workloadsOf(keys)) {
        const cluster = clusterName(table, destination);
        const address = `${destination.service}.${table.namespace}.svc:${destination.port}`;
        const isKnown = destination.addresses !== undefined;
        clusters.set(cluster, isKnown ? edsCluster(cluster, port, input) : dnsCluster(cluster, address, port));
        if (isKnown) endpoints.set(cluster, loadAssignment(cluster, destination.addresses));
      }
    }
  }
  const sorted = (resources: ReadonlyMap<string, EnvoyResource>): EnvoyResource[] =>
    [...resources].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
  return {
    listeners,
    routes,
    clusters: sorted(clusters),
    endpoints: sorted(endpoints),
    limitations: limitations.list(),
  };
}

/** Names of the files with all listeners and all clusters, which the bootstrap configuration of Envoy refers to. */
export const envoyFiles = { listeners: "lds.json", clusters: "cds.json" } as const;

/** Returns the name of the file of one resource. Envoy rejects a file that contains several route configurations or endpoint assignments. */
function fileOf(kind: "rds" | "eds", name: string): string {
  // Names consist of a namespace, a Service and a port. None of them contains a dot.
  return `${kind}.${name.replaceAll(/[/:]/g, ".")}.json`;
}

/**
 * Returns the content of the files by name. Replace each file by renaming a temporary one, because Envoy reads a file when it is renamed. Write the
 * files in this order, so that no route refers to a missing cluster, and no cluster or listener to a missing file.
 */
export function envoyFileContents(output: EnvoyOutput): ReadonlyMap<string, string> {
  const { listeners, routes, clusters, endpoints } = output;
  return new Map([
    ...endpoints.map((each) => [fileOf("eds", String(each["cluster_name"])), contentOf([each])] as const),
    [envoyFiles.clusters, contentOf(clusters)],
    ...routes.map((each) => [fileOf("rds", each.name ?? ""), contentOf([each])] as const),
    [envoyFiles.listeners, contentOf(listeners)],
  ]);
}

function contentOf(resources: readonly EnvoyResource[]): string {
  const text = JSON.stringify(resources);
  const version = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `{"version_info":"${version}","resources":${text}}\n`;
}

type Workload = Extract<Destination, { readonly kind: "workload" }>;

function workloadsOf(keys: readonly PlannedKey[]): readonly Workload[] {
  return keys.flatMap(({ routes }) =>
    routes.flatMap(({ destination }) => (destination.kind === "workload" ? [destination] : [])),
  );
}

function clusterName({ namespace }: RouteTable, { service, port }: Workload): string {
  return `${namespace}/${service}:${port}`;
}

function listener(name: string, port: number, { folder, bindAddress = "0.0.0.0" }: EnvoyInput): EnvoyResource {
  const manager = {
    "@type": `${api}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: name,
    // Forwards custom methods, like the routing proxy.
    http_protocol_options: { allow_custom_methods: true, ...http1Options },
    http2_protocol_options: http2Options,
    use_remote_address: true,
    upgrade_configs: [{ upgrade_type: "websocket" }],
    rds: { route_config_name: name, config_source: configSource(folder, fileOf("rds", name)) },
    http_filters: [{ name: "router", typed_config: { "@type": `${api}.extensions.filters.http.router.v3.Router` } }],
  };
  return {
    "@type": `${api}.config.listener.v3.Listener`,
    name,
    address: { socket_address: { address: bindAddress, port_value: port } },
    filter_chains: [{ filters: [{ name: "http", typed_config: manager }] }],
  };
}

function configSource(folder: string | undefined, file: string) {
  const source = folder === undefined ? { ads: {} } : { path_config_source: { path: `${folder}/${file}` } };
  return { ...source, resource_api_version: "V3" };
}

function routeConfiguration(name: string, routes: readonly EnvoyRoute[]): EnvoyResource {
  return {
    "@type": `${api}.config.route.v3.RouteConfiguration`,
    name,
    virtual_hosts: [{ name: "all", domains: ["*"], routes }],
  };
}

/** Envoy drops trailers of HTTP/1.1 by default. */
const http1Options = { enable_trailers: true };

/** Extended CONNECT, with which clients open WebSockets over HTTP/2. Envoy refuses it by default, and does not announce it to clients. */
const http2Options = { allow_connect: true };

/** Fields of all clusters: limits and health rules of the routing proxy. */
function cluster(name: string, port: TablePort) {
  return {
    "@type": `${api}.config.cluster.v3.Cluster`,
    name,
    connect_timeout: "1s",
    lb_policy: "LEAST_REQUEST",
    circuit_breakers: { thresholds: [{ max_pending_requests: 1024, max_requests: 10_000, max_connections: 10_000 }] },
    outlier_detection: {
      split_external_local_origin_errors: true,
      consecutive_local_origin_failure: 5,
      enforcing_consecutive_5xx: 0,
      enforcing_success_rate: 0,
      base_ejection_time: "10s",
      max_ejection_time: "60s",
      max_ejection_percent: 50,
    },
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": `${api}.extensions.upstreams.http.v3.HttpProtocolOptions`,
        ...(isHttp2(port)
          ? { explicit_http_config: { http2_protocol_options: http2Options } }
          : {
              use_downstream_protocol_config: {
                http_protocol_options: http1Options,
                http2_protocol_options: http2Options,
              },
            }),
      },
    },
  };
}

function isHttp2({ appProtocol = "" }: TablePort): boolean {
  return ["kubernetes.io/h2c", "grpc", "http2"].includes(appProtocol);
}

function dnsCluster(name: string, address: string, port: TablePort): EnvoyResource {
  return { ...cluster(name, port), type: "STRICT_DNS", load_assignment: assignmentOf(name, [address]) };
}

function edsCluster(name: string, port: TablePort, { folder }: EnvoyInput): EnvoyResource {
  const eds = { service_name: name, eds_config: configSource(folder, fileOf("eds", name)) };
  return { ...cluster(name, port), type: "EDS", eds_cluster_config: eds };
}

function loadAssignment(name: string, addresses: readonly string[]): EnvoyResource {
  return { "@type": `${api}.config.endpoint.v3.ClusterLoadAssignment`, ...assignmentOf(name, addresses) };
}

function assignmentOf(name: string, addresses: readonly string[]) {
  return { cluster_name: name, endpoints: [{ lb_endpoints: addresses.map(endpointOf) }] };
}

function endpointOf(address: string) {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  return { endpoint: { address: { socket_address: { address: host, port_value: Number(address.slice(colon + 1)) } } } };
}
