import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultRoutingSettings, type RouteEntry, type RouteTable } from "@homeostat/routing";
import { envoyFileContents, renderEnvoy } from "./envoy.ts";
import type { EnvoyRoute } from "./envoy-routes.ts";

// The routes themselves are tested with the real Envoy in e2e/src/operators/sandbox/envoy.

const entry: RouteEntry = {
  routingKey: "key-a",
  sandbox: "a",
  workload: "cart",
  source: "Sandbox",
  ports: [{ port: 80, targetService: "a-cart", targetPort: 80, addresses: ["10.0.0.1:8080", "[fd00::1]:8080"] }],
};
const port = { port: 80, appProtocol: "http", listen: 21_000, baselineTarget: "cart--base.shop.svc:80" };
const table: RouteTable = { namespace: "shop", service: "cart", version: "v1", ports: [port], entries: [entry] };
const settings = {
  ...defaultRoutingSettings,
  explicitHeaders: ["x-routing-key"],
  compatHeaders: [],
  keyNames: ["routing-key"],
};

function render(...tables: readonly RouteTable[]) {
  return renderEnvoy({ tables, settings, folder: "/etc/envoy" });
}

/** Returns the routes of the first route configuration. */
function routesOf(output: ReturnType<typeof render>): readonly EnvoyRoute[] {
  const [configuration] = output.routes as readonly {
    readonly virtual_hosts?: readonly { readonly routes: readonly EnvoyRoute[] }[];
  }[];
  return configuration?.virtual_hosts?.[0]?.routes ?? [];
}

describe("rendered resources of Envoy", () => {
  it("route a key in all forms between probes and the baseline", () => {
    const output = render(table);

    assert.deepEqual(
      routesOf(output).map(({ name, match, route }) => [
        name,
        match.headers?.map((header) => header.name).join(),
        route.cluster,
      ]),
      [
        ["probe", "user-agent", "shop/cart:80/baseline"],
        ["a/cart", "x-routing-key", "shop/a-cart:80"],
        ["a/cart", "baggage,x-routing-key", "shop/a-cart:80"],
        ["baseline", undefined, "shop/cart:80/baseline"],
      ],
    );
  });

  it("have known endpoints in a file, and resolve names of others", () => {
    const unknown = { ...entry, routingKey: "key-b", ports: [{ port: 80, targetService: "b-cart", targetPort: 80 }] };
    const empty = {
      ...entry,
      routingKey: "key-c",
      ports: [{ port: 80, targetService: "c-cart", targetPort: 80, addresses: [] }],
    };
    const { clusters, endpoints } = render({ ...table, entries: [entry, unknown, empty] });

    assert.deepEqual(
      clusters.map(({ name, type }) => [name, type]),
      [
        ["shop/a-cart:80", "EDS"],
        ["shop/b-cart:80", "STRICT_DNS"],
        ["shop/c-cart:80", "EDS"],
        ["shop/cart:80/baseline", "STRICT_DNS"],
      ],
    );
    const address = (host: string): object => ({
      endpoint: { address: { socket_address: { address: host, port_value: 8080 } } },
    });
    assert.deepEqual(endpoints, [
      {
        "@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
        cluster_name: "shop/a-cart:80",
        endpoints: [{ lb_endpoints: [address("10.0.0.1"), address("fd00::1")] }],
      },
      {
        "@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
        cluster_name: "shop/c-cart:80",
        endpoints: [{ lb_endpoints: [] }],
      },
    ]);
  });

  it("split by weight and set headers on requests for the workload only", () => {
    const output = render({
      ...table,
      entries: [{ ...entry, percent: 25, additionalHeaders: { "X-Env": "sandbox" } }],
    });

    assert.deepEqual(routesOf(output)[1]?.route, {
      weighted_clusters: {
        clusters: [
          {
            name: "shop/a-cart:80",
            weight: 25,
            request_headers_to_add: [
              { header: { key: "x-env", value: "sandbox" }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" },
            ],
          },
          { name: "shop/cart:80/baseline", weight: 75 },
        ],
      },
      timeout: "0s",
    });
    assert.deepEqual(
      output.limitations.map(({ name }) => name),
      ["PercentNotSticky"],
    );
  });

  it("use HTTP/2 for ports of gRPC, and have no listener for ports that nothing listens on", () => {
    const grpc = { ...table, ports: [{ ...port, appProtocol: "grpc" }] };
    const { listen: _listen, ...silent } = port;

    assert.match(
      JSON.stringify(render(grpc).clusters[0]),
      /"explicit_http_config":\{"http2_protocol_options":\{"allow_connect":true\}\}/,
    );
    assert.deepEqual(render({ ...table, ports: [silent] }).listeners, []);
  });

  it("leave out paths that no request can have", () => {
    const output = render({ ...table, entries: [{ ...entry, match: { paths: [{ exact: "/a?b" }] } }] });

    assert.deepEqual(
      routesOf(output).map(({ name }) => name),
      ["probe", "baseline"],
    );
    assert.deepEqual(
      output.limitations.map(({ name }) => name),
      ["ConditionUnsupported"],
    );
  });

  it("are files with a version, endpoints and clusters first", () => {
    const files = envoyFileContents(render(table));
    const parsed = [...files].map(([name, content]) => {
      const { version_info: version, resources } = JSON.parse(content) as {
        version_info: string;
        resources: unknown[];
      };
      return [name, version.length, resources.length];
    });

    assert.deepEqual(parsed, [
      ["eds.shop.a-cart.80.json", 16, 1],
      ["cds.json", 16, 2],
      ["rds.shop.cart.80.json", 16, 1],
      ["lds.json", 16, 1],
    ]);
    assert.deepEqual(envoyFileContents(render(table)), files);
  });
});
