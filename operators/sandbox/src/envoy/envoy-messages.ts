// The messages of Envoy's API that rendered resources consist of. Field numbers of a released API never change.

import type { Field, Messages } from "./protobuf.ts";

const message = (name: string): { readonly message: string } => ({ message: name });
const list = (number: number, type: Field[1]): Field => [number, type, "list"];

const apiVersion = { enum: { AUTO: 0, V2: 1, V3: 2 } } as const;

/** Messages by their full names; parts of resources have short ones. */
export const envoyMessages: Messages = {
  "envoy.config.listener.v3.Listener": {
    name: [1, "string"],
    address: [2, message("Address")],
    filter_chains: list(3, message("FilterChain")),
  },
  FilterChain: { filters: list(3, message("Filter")) },
  Filter: { name: [1, "string"], typed_config: [4, "any"] },
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager": {
    stat_prefix: [2, "string"],
    rds: [3, message("Rds")],
    http_filters: list(5, message("Filter")),
    http_protocol_options: [8, message("Http1ProtocolOptions")],
    http2_protocol_options: [9, message("Http2ProtocolOptions")],
    use_remote_address: [14, "boolValue"],
    upgrade_configs: list(23, message("UpgradeConfig")),
  },
  Rds: { config_source: [1, message("ConfigSource")], route_config_name: [2, "string"] },
  ConfigSource: { ads: [3, message("Empty")], resource_api_version: [6, apiVersion] },
  Http1ProtocolOptions: { enable_trailers: [5, "bool"], allow_custom_methods: [10, "bool"] },
  Http2ProtocolOptions: { allow_connect: [5, "bool"] },
  UpgradeConfig: { upgrade_type: [1, "string"] },
  "envoy.extensions.filters.http.router.v3.Router": {},

  "envoy.config.route.v3.RouteConfiguration": {
    name: [1, "string"],
    virtual_hosts: list(2, message("VirtualHost")),
  },
  VirtualHost: { name: [1, "string"], domains: list(2, "string"), routes: list(3, message("Route")) },
  Route: {
    match: [1, message("RouteMatch")],
    route: [2, message("RouteAction")],
    request_headers_to_add: list(9, message("HeaderValueOption")),
    name: [14, "string"],
  },
  RouteMatch: {
    prefix: [1, "string"],
    path: [2, "string"],
    headers: list(6, message("HeaderMatcher")),
    path_separated_prefix: [14, "string"],
  },
  HeaderMatcher: {
    name: [1, "string"],
    invert_match: [8, "bool"],
    string_match: [13, message("StringMatcher")],
    treat_missing_header_as_empty: [14, "bool"],
  },
  StringMatcher: { exact: [1, "string"], prefix: [2, "string"], safe_regex: [5, message("RegexMatcher")] },
  RegexMatcher: { regex: [2, "string"] },
  RouteAction: {
    cluster: [1, "string"],
    weighted_clusters: [3, message("WeightedCluster")],
    timeout: [8, "duration"],
  },
  WeightedCluster: { clusters: list(1, message("ClusterWeight")) },
  ClusterWeight: {
    name: [1, "string"],
    weight: [2, "uint32Value"],
    request_headers_to_add: list(4, message("HeaderValueOption")),
  },
  HeaderValueOption: {
    header: [1, message("HeaderValue")],
    append_action: [3, { enum: { OVERWRITE_IF_EXISTS_OR_ADD: 2 } }],
  },
  HeaderValue: { key: [1, "string"], value: [2, "string"] },

  "envoy.config.cluster.v3.Cluster": {
    name: [1, "string"],
    type: [2, { enum: { STATIC: 0, STRICT_DNS: 1, EDS: 3 } }],
    eds_cluster_config: [3, message("EdsClusterConfig")],
    connect_timeout: [4, "duration"],
    lb_policy: [6, { enum: { ROUND_ROBIN: 0, LEAST_REQUEST: 1 } }],
    circuit_breakers: [10, message("CircuitBreakers")],
    outlier_detection: [19, message("OutlierDetection")],
    load_assignment: [33, message("envoy.config.endpoint.v3.ClusterLoadAssignment")],
    typed_extension_protocol_options: [36, "any", "map"],
  },
  EdsClusterConfig: { eds_config: [1, message("ConfigSource")], service_name: [2, "string"] },
  CircuitBreakers: { thresholds: list(1, message("Thresholds")) },
  Thresholds: {
    max_connections: [2, "uint32Value"],
    max_pending_requests: [3, "uint32Value"],
    max_requests: [4, "uint32Value"],
  },
  OutlierDetection: {
    base_ejection_time: [3, "duration"],
    max_ejection_percent: [4, "uint32Value"],
    enforcing_consecutive_5xx: [5, "uint32Value"],
    enforcing_success_rate: [6, "uint32Value"],
    split_external_local_origin_errors: [12, "bool"],
    consecutive_local_origin_failure: [13, "uint32Value"],
    max_ejection_time: [21, "duration"],
  },
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
    explicit_http_config: [3, message("ExplicitHttpConfig")],
    use_downstream_protocol_config: [4, message("UseDownstreamHttpConfig")],
  },
  ExplicitHttpConfig: { http2_protocol_options: [2, message("Http2ProtocolOptions")] },
  UseDownstreamHttpConfig: {
    http_protocol_options: [1, message("Http1ProtocolOptions")],
    http2_protocol_options: [2, message("Http2ProtocolOptions")],
  },

  "envoy.config.endpoint.v3.ClusterLoadAssignment": {
    cluster_name: [1, "string"],
    endpoints: list(2, message("LocalityLbEndpoints")),
  },
  LocalityLbEndpoints: { lb_endpoints: list(2, message("LbEndpoint")) },
  LbEndpoint: { endpoint: [1, message("Endpoint")] },
  Endpoint: { address: [1, message("Address")] },
  Address: { socket_address: [1, message("SocketAddress")] },
  SocketAddress: { address: [2, "string"], port_value: [3, "uint32"] },
  Empty: {},
};
