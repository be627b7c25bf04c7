import { routingKey } from "./http1-client.ts";

/** Ports of a proxy and its upstream. */
export interface ProxyPorts {
  readonly http1: number;
  readonly http2: number;
  readonly upstream: number;
  /** Admin port, for proxies that have one. */
  readonly admin: number;
}

/** Returns the configuration of HAProxy: one thread, one key, reuse of upstream connections. */
export function haproxyConfig({ http1, http2, upstream }: ProxyPorts): string {
  const frontend = (name: string, bind: string): string => `frontend ${name}
  bind ${bind}
  option forwardfor
  http-request add-header via "1.1 haproxy"
  use_backend ${name}-sandbox if { req.hdr(baggage) -m sub routing-key=${routingKey} }
  default_backend ${name}-base
backend ${name}-sandbox
  server s 127.0.0.1:${upstream}${name === "h2" ? " proto h2" : ""}
backend ${name}-base
  server s 127.0.0.1:${upstream}${name === "h2" ? " proto h2" : ""}
`;
  return `global
  nbthread 1
  maxconn 4000
defaults
  mode http
  timeout connect 1s
  timeout client 75s
  timeout server 30s
  http-reuse always
${frontend("h1", `127.0.0.1:${http1}`)}${frontend("h2", `127.0.0.1:${http2} proto h2`)}`;
}

/** Returns the configuration of nginx: one worker, one key, keep-alive to the upstream. */
export function nginxConfig({ http1, http2, upstream }: ProxyPorts, folder: string): string {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  return `daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${folder}/pid;
error_log stderr crit;
events { worker_connections 15000; }
http {
  access_log off;
  ${paths}
  keepalive_requests 10000000;
  keepalive_timeout 75s;
  map $http_baggage $backend { default base; "~routing-key=${routingKey}" sandbox; }
  upstream base { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 10000000; }
  upstream sandbox { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 10000000; }
  # Of their own: nginx would send frames on idle connections of HTTP/1.1.
  upstream grpc-base { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 10000000; }
  upstream grpc-sandbox { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 10000000; }
  server {
    listen 127.0.0.1:${http1};
    location / {
      proxy_pass http://$backend;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_set_header host $host;
      proxy_set_header x-forwarded-for $proxy_add_x_forwarded_for;
    }
  }
  server {
    listen 127.0.0.1:${http2} http2;
    http2_max_concurrent_streams 256;
    location / {
      grpc_pass grpc://grpc-$backend;
      grpc_set_header x-forwarded-for $proxy_add_x_forwarded_for;
    }
  }
}
`;
}

/** Returns the configuration of Envoy: one worker, one key by regular expression, as the renderer of the sandbox operator writes it. */
export function envoyConfig({ http1, http2, upstream, admin }: ProxyPorts): string {
  const address = (port: number): unknown => ({ socket_address: { address: "127.0.0.1", port_value: port } });
  const listener = (name: string, port: number): unknown => ({
    name,
    address: address(port),
    filter_chains: [
      {
        filters: [
          {
            name: "envoy.filters.network.http_connection_manager",
            typed_config: {
              "@type":
                "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
              stat_prefix: name,
              codec_type: name === "h2" ? "HTTP2" : "HTTP1",
              use_remote_address: true,
              via: "1.1 envoy",
              route_config: {
                virtual_hosts: [
                  {
                    name: "all",
                    domains: ["*"],
                    routes: [
                      {
                        match: {
                          prefix: "/",
                          headers: [
                            {
                              name: "baggage",
                              string_match: {
                                safe_regex: {
                                  regex: `(?:.*,)?[ \\t]*routing-key[ \\t]*=[ \\t]*${routingKey}[ \\t]*(?:[,;].*)?`,
                                },
                              },
                            },
                          ],
                        },
                        route: { cluster: `${name}-sandbox`, timeout: "0s" },
                      },
                      { match: { prefix: "/" }, route: { cluster: `${name}-base`, timeout: "0s" } },
                    ],
                  },
                ],
              },
              http_filters: [
                {
                  name: "envoy.filters.http.router",
                  typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
                },
              ],
            },
          },
        ],
      },
    ],
  });
  const cluster = (protocol: string, name: string): unknown => ({
    name: `${protocol}-${name}`,
    type: "STATIC",
    connect_timeout: "1s",
    load_assignment: {
      cluster_name: `${protocol}-${name}`,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(upstream) } }] }],
    },
    ...(protocol === "h2" && {
      typed_extension_protocol_options: {
        "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
          "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
          explicit_http_config: { http2_protocol_options: {} },
        },
      },
    }),
  });
  return JSON.stringify({
    admin: { address: address(admin) },
    static_resources: {
      listeners: [listener("h1", http1), listener("h2", http2)],
      clusters: ["h1", "h2"].flatMap((protocol) => ["base", "sandbox"].map((name) => cluster(protocol, name))),
    },
  });
}

/** Returns the file with the tables of the routing proxy: one Service with a number of keys. */
export function snapshotText({ http1, upstream }: ProxyPorts, keys: number): string {
  const address = `127.0.0.1:${upstream}`;
  const table = {
    namespace: "shop",
    service: "cart",
    version: "1",
    ports: [{ port: 80, listen: http1, baselineTarget: address }],
    entries: Array.from({ length: keys }, (_, index) => ({
      routingKey: `key-${String(index).padStart(8, "0")}`,
      sandbox: `pr-${index}`,
      workload: "cart",
      source: "Sandbox",
      ports: [{ port: 80, targetService: `pr-${index}-cart`, targetPort: 80, addresses: [address] }],
    })),
  };
  return JSON.stringify({ format: 1, settings: {}, tables: [table] });
}
