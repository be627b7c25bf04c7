// The bootstrap configuration of an Envoy that gets its routes from rendered resources.

import { envoyFiles } from "./envoy.ts";

/**
 * Maximum number of instructions of a regular expression. Envoy's default of 100 is too small for expressions that contain a routing key; Istio and
 * Envoy Gateway raise it for the same reason.
 */
const regexInstructionsMax = 32_768;

/** Source of the resources of an Envoy: files in a folder, or an aggregated discovery service. */
export type EnvoySource =
  | { readonly folder: string }
  | { readonly discovery: { readonly address: string; readonly port: number } };

/** Input of the bootstrap configuration. */
export interface EnvoyBootstrapInput {
  /** Name of this Envoy, unique among the clients of the discovery service. */
  readonly nodeId: string;
  readonly source: EnvoySource;
  /** Port of the administration interface on the loopback address. */
  readonly adminPort: number;
}

/** Returns the content of the file that Envoy is started with, as JSON. */
export function envoyBootstrap({ nodeId, source, adminPort }: EnvoyBootstrapInput): Readonly<Record<string, unknown>> {
  const layer = { name: "sandbox", static_layer: { "re2.max_program_size.error_level": regexInstructionsMax } };
  return {
    node: { id: nodeId, cluster: "sandbox-operator" },
    admin: { address: socketAddress("127.0.0.1", adminPort) },
    layered_runtime: { layers: [layer] },
    dynamic_resources: "folder" in source ? fileResources(source.folder) : discoveryResources,
    ...("discovery" in source && { static_resources: { clusters: [discoveryCluster(source.discovery)] } }),
  };
}

function fileResources(folder: string): object {
  const config = (file: string): object => ({
    path_config_source: { path: `${folder}/${file}` },
    resource_api_version: "V3",
  });
  return { lds_config: config(envoyFiles.listeners), cds_config: config(envoyFiles.clusters) };
}

const discoveryName = "discovery";
const fromDiscovery = { ads: {}, resource_api_version: "V3" };

const discoveryResources = {
  lds_config: fromDiscovery,
  cds_config: fromDiscovery,
  ads_config: {
    api_type: "GRPC",
    transport_api_version: "V3",
    grpc_services: [{ envoy_grpc: { cluster_name: discoveryName } }],
  },
};

function discoveryCluster({ address, port }: { readonly address: string; readonly port: number }): object {
  return {
    name: discoveryName,
    type: "STRICT_DNS",
    connect_timeout: "1s",
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        explicit_http_config: { http2_protocol_options: { connection_keepalive: { interval: "30s", timeout: "5s" } } },
      },
    },
    load_assignment: {
      cluster_name: discoveryName,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress(address, port) } }] }],
    },
  };
}

function socketAddress(address: string, port: number): object {
  return { socket_address: { address, port_value: port } };
}
