import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultRoutingSettings, type RouteEntry, type RouteTable } from "@homeostat/routing";
import { evaluateGrpcRoutes } from "../testing/gateway-evaluator.ts";
import { meshRequest } from "../testing/mesh-request.ts";
import { type GatewayInput, renderGatewayApi } from "./gateway-api.ts";
import type { GrpcRoute, HttpRoute, RouteRule, HttpMatch } from "./gateway-types.ts";

function anEntry(name: string, fields: Partial<RouteEntry> = {}): RouteEntry {
  const ports = [{ port: 80, targetService: `${name}-cart`, targetPort: 80 }];
  return { routingKey: `key-${name}`, sandbox: name, workload: "cart", source: "Explicit", ports, ...fields };
}

function aTable(entries: readonly RouteEntry[]): RouteTable {
  const ports = [{ port: 80, baselineTarget: "cart.shop.svc:80" }];
  return { namespace: "shop", service: "cart", version: "0123456789abcdef", interception: "Mesh", ports, entries };
}

function render(entries: readonly RouteEntry[], options: Partial<GatewayInput> = {}) {
  return renderGatewayApi({
    table: aTable(entries),
    settings: defaultRoutingSettings,
    isServiceSupported: true,
    isRegexSupported: true,
    userRoutes: { http: [], grpc: [] },
    ...options,
  });
}

function aUserRoute(rules: readonly RouteRule<HttpMatch>[], spec: object = {}): HttpRoute {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "mine", namespace: "shop", creationTimestamp: "2025-01-01T00:00:00Z" },
    spec: { parentRefs: [{ group: "", kind: "Service", name: "cart" }], rules, ...spec },
  };
}

const namesOf = (limitations: readonly { readonly name: string }[]): string[] => limitations.map(({ name }) => name);

describe("rendered HTTPRoutes", () => {
  it("have the form that meshes expect", () => {
    const { httpRoutes } = render([anEntry("a", { additionalHeaders: { "X-Env": "sandbox" } })], {
      settings: { ...defaultRoutingSettings, explicitHeaders: ["x-routing-key"], compatHeaders: [] },
    });

    assert.deepEqual(httpRoutes, [
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        metadata: {
          name: "sbx-cart-80-0",
          namespace: "shop",
          labels: { "app.kubernetes.io/managed-by": "sandbox-operator" },
          annotations: { "sandbox.example.com/source-version": "0123456789abcdef" },
        },
        spec: {
          parentRefs: [{ group: "", kind: "Service", name: "cart", port: 80 }],
          rules: [
            {
              matches: [
                {
                  path: { type: "PathPrefix", value: "/" },
                  headers: [{ type: "Exact", name: "x-routing-key", value: "key-a" }],
                },
                {
                  path: { type: "PathPrefix", value: "/" },
                  headers: [
                    {
                      type: "RegularExpression",
                      name: "baggage",
                      value: "^(.*,)?[ \\t]*(routing-key|sd-routing-key)[ \\t]*=[ \\t]*key-a[ \\t]*([;,].*)?$",
                    },
                  ],
                },
              ],
              filters: [
                {
                  type: "RequestHeaderModifier",
                  requestHeaderModifier: { set: [{ name: "x-env", value: "sandbox" }] },
                },
              ],
              backendRefs: [{ name: "a-cart", port: 80 }],
            },
            { backendRefs: [{ name: "cart", port: 80 }] },
          ],
        },
      },
    ]);
  });

  it("stay within the limits of the schema, with one default rule", () => {
    const many = Array.from({ length: 300 }, (_, i) => anEntry(`s${i}`));
    const wide = anEntry("wide", {
      match: { paths: Array.from({ length: 16 }, (_, i) => ({ prefix: `/p${i}` })), methods: ["GET", "POST"] },
    });
    const { httpRoutes, limitations } = render([...many, wide]);

    assert.deepEqual(limitations, []);
    const rules = httpRoutes.map(({ spec }) => spec.rules ?? []);
    for (const each of rules) {
      assert.ok(each.length <= 16);
      assert.ok(each.every(({ matches = [] }) => matches.length <= 64));
      assert.ok(each.reduce((sum, { matches = [{}] }) => sum + matches.length, 0) <= 128);
    }
    const defaults = rules.flat().filter(({ matches }) => matches === undefined);
    assert.equal(defaults.length, 1);
    assert.equal(rules[0]?.at(-1), defaults[0]);
    assert.equal(new Set(httpRoutes.map(({ metadata }) => metadata.name)).size, httpRoutes.length);
  });

  it("split by weight and say that the split is not sticky", () => {
    const { httpRoutes, limitations } = render([
      anEntry("a", { percent: 30 }),
      anEntry("b", { percent: 30, stickyBy: "None" }),
    ]);

    assert.deepEqual(httpRoutes[0]?.spec.rules?.[0]?.backendRefs, [
      { name: "a-cart", port: 80, weight: 30 },
      { name: "cart", port: 80, weight: 70 },
    ]);
    assert.deepEqual(
      limitations.map(({ name, sandboxes }) => [name, sandboxes]),
      [["PercentNotSticky", ["a"]]],
    );
  });

  it("keep filters, timeouts and other backends of the user, and add no default rule", () => {
    const user = aUserRoute(
      [
        {
          name: "main",
          matches: [{ path: { type: "PathPrefix", value: "/api" }, headers: [{ name: "x-v", value: "2" }] }],
          filters: [
            {
              type: "RequestHeaderModifier",
              requestHeaderModifier: { set: [{ name: "X-Env", value: "prod" }], remove: ["x-old"] },
            },
          ],
          timeouts: { request: "5s" },
          backendRefs: [
            { name: "cart", port: 80, weight: 9 },
            { name: "cart-canary", port: 80, weight: 1 },
          ],
        },
      ],
      { hostnames: ["cart.example.com"] },
    );
    const { httpRoutes } = render(
      [anEntry("a", { percent: 50, stickyBy: "None", additionalHeaders: { "x-env": "sandbox" } })],
      {
        userRoutes: { http: [user], grpc: [] },
        settings: { ...defaultRoutingSettings, explicitHeaders: ["x-routing-key"], compatHeaders: [] },
        isRegexSupported: false,
      },
    );

    assert.deepEqual(httpRoutes[0]?.spec.hostnames, ["cart.example.com"]);
    assert.deepEqual(httpRoutes[0]?.spec.rules, [
      {
        matches: [
          {
            path: { type: "PathPrefix", value: "/api" },
            headers: [
              { name: "x-v", value: "2" },
              { type: "Exact", name: "x-routing-key", value: "key-a" },
            ],
          },
        ],
        filters: user.spec.rules?.[0]?.filters,
        timeouts: { request: "5s" },
        backendRefs: [
          {
            name: "a-cart",
            port: 80,
            weight: 450,
            filters: [
              { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "x-env", value: "sandbox" }] } },
            ],
          },
          { name: "cart", port: 80, weight: 450 },
          { name: "cart-canary", port: 80, weight: 100 },
        ],
      },
    ]);
  });

  it("merge the headers of a route with those of the user", () => {
    const set = [
      { name: "X-Env", value: "prod" },
      { name: "x-a", value: "1" },
    ];
    const filters = [{ type: "RequestHeaderModifier", requestHeaderModifier: { set, remove: ["x-old"] } }];
    const user = aUserRoute([{ filters, backendRefs: [{ name: "cart", port: 80 }] }]);
    const { httpRoutes } = render([anEntry("a", { additionalHeaders: { "x-env": "sandbox" } })], {
      userRoutes: { http: [user], grpc: [] },
    });

    const merged = [
      { name: "x-a", value: "1" },
      { name: "x-env", value: "sandbox" },
    ];
    assert.deepEqual(httpRoutes[0]?.spec.rules?.[0]?.filters, [
      { type: "RequestHeaderModifier", requestHeaderModifier: { set: merged, remove: ["x-old"] } },
    ]);
  });

  it("report rules of the user that cannot be derived", () => {
    const headers = Array.from({ length: 16 }, (_, i) => ({ name: `x-${i}`, value: "1" }));
    const backendRefs = [{ name: "cart", port: 80 }];
    const rewrite = {
      type: "URLRewrite",
      urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } },
    };
    const regex = { type: "RegularExpression" as const, value: "/a.*" };
    const withPath = [anEntry("a", { match: { paths: [{ prefix: "/api/x" }] } })];
    const full = render([anEntry("a")], {
      userRoutes: { http: [aUserRoute([{ matches: [{ headers }], backendRefs }])], grpc: [] },
    });
    const prefix = {
      matches: [{ path: { type: "PathPrefix" as const, value: "/api" } }],
      filters: [rewrite],
      backendRefs,
    };
    const rewritten = render(withPath, { userRoutes: { http: [aUserRoute([prefix])], grpc: [] } });
    const matched = render(withPath, {
      userRoutes: { http: [aUserRoute([{ matches: [{ path: regex }], backendRefs }])], grpc: [] },
    });

    for (const { httpRoutes, limitations } of [full, rewritten, matched]) {
      assert.deepEqual(httpRoutes, []);
      assert.deepEqual(namesOf(limitations), ["UserRouteUnsupported"]);
      assert.deepEqual(limitations[0]?.sandboxes, ["a"]);
    }
    assert.match(rewritten.limitations[0]?.message ?? "", /rule 0 of mine/);
  });

  it("keep a filter that replaces the prefix to one match per rule", () => {
    const rewrite = {
      type: "URLRewrite",
      urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } },
    };
    const matches = [{ path: { type: "PathPrefix" as const, value: "/api" } }];
    const user = aUserRoute([{ matches, filters: [rewrite], backendRefs: [{ name: "cart", port: 80 }] }]);
    const { httpRoutes } = render([anEntry("a")], { userRoutes: { http: [user], grpc: [] } });

    assert.ok((httpRoutes[0]?.spec.rules?.length ?? 0) > 1);
    for (const rule of httpRoutes[0]?.spec.rules ?? []) assert.equal(rule.matches?.length, 1);
  });

  it("leave out routes with conditions that the schema refuses", () => {
    const entries = [
      anEntry("path", { match: { paths: [{ prefix: "/a b" }] } }),
      anEntry("slash", { match: { paths: [{ exact: "/a%2Fb" }] } }),
      anEntry("method", { match: { methods: ["PURGE"] } }),
      anEntry("header", { match: { headers: [{ name: "x-a", value: "" }] } }),
    ];
    const { httpRoutes, limitations } = render(entries);

    assert.deepEqual(httpRoutes, []);
    assert.deepEqual(
      limitations.map(({ name, sandboxes }) => `${name} ${sandboxes.join()}`).sort(),
      ["header", "method", "path", "slash"].map((name) => `ConditionUnsupported ${name}`),
    );
  });

  it("are not rendered for Services that cannot be parents", () => {
    const { httpRoutes, limitations } = render([anEntry("a")], { isServiceSupported: false });

    assert.deepEqual(httpRoutes, []);
    assert.deepEqual(namesOf(limitations), ["ServiceUnsupported"]);
  });

  it("refer to other namespaces only with a grant", () => {
    const targetNamespaces = new Map([
      ["a-cart", { namespace: "dev", isGranted: true }],
      ["b-cart", { namespace: "dev", isGranted: false }],
    ]);
    const { httpRoutes, referenceGrants, limitations } = render([anEntry("a"), anEntry("b")], { targetNamespaces });

    assert.deepEqual(
      httpRoutes[0]?.spec.rules?.map(({ backendRefs }) => backendRefs?.[0]),
      [
        { name: "a-cart", port: 80, namespace: "dev" },
        { name: "cart", port: 80 },
        { name: "cart", port: 80 },
      ],
    );
    assert.deepEqual(
      referenceGrants.map(({ metadata, spec }) => [metadata.namespace, spec.to, spec.from[0]?.namespace]),
      [["dev", [{ group: "", kind: "Service", name: "a-cart" }], "shop"]],
    );
    assert.deepEqual(
      limitations.map(({ name, sandboxes }) => [name, sandboxes]),
      [["CrossNamespaceDenied", ["b"]]],
    );
  });

  it("report faults, recordings and holding", () => {
    const { limitations } = render([
      anEntry("a", { middleware: { faults: [{ delayMs: 5 }] } }),
      anEntry("b", { middleware: { record: true } }),
      anEntry("c", { onUnavailable: "Hold" }),
    ]);

    assert.deepEqual(
      limitations.map(({ name, sandboxes }) => `${name} ${sandboxes.join()}`),
      ["HoldUnsupported c", "MiddlewareUnsupported a,b"],
    );
  });
});

describe("rendered GRPCRoutes", () => {
  const user: GrpcRoute = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GRPCRoute",
    metadata: { name: "mine", namespace: "shop", creationTimestamp: "2025-01-01T00:00:00Z" },
    spec: {
      parentRefs: [{ group: "", kind: "Service", name: "cart" }],
      rules: [
        { matches: [{ method: { service: "shop.Cart", method: "Add" } }], backendRefs: [{ name: "cart", port: 80 }] },
        { matches: [{ method: { service: "shop.Admin" } }], backendRefs: [{ name: "admin", port: 80 }] },
        { backendRefs: [{ name: "cart", port: 80 }] },
      ],
    },
  };
  const entries = [
    anEntry("a", { routingKey: "key-g", match: { paths: [{ prefix: "/shop.Cart" }] } }),
    anEntry("b", { routingKey: "key-g", match: { paths: [{ exact: "/shop.Cart/List" }, { exact: "/x/y/z" }] } }),
    anEntry("c", { routingKey: "key-g", match: { methods: ["GET"] } }),
    anEntry("d", { routingKey: "key-g", match: { headers: [{ name: "x-team", value: "blue" }] } }),
  ];

  it("replace HTTPRoutes if the user has a GRPCRoute", () => {
    const { httpRoutes, grpcRoutes, limitations } = render(entries, { userRoutes: { http: [], grpc: [user] } });

    assert.deepEqual([httpRoutes, limitations], [[], []]);
    const reach = (path: string, headers: readonly (readonly [string, string])[] = []): string | undefined => {
      const request = meshRequest({ method: "POST", path, headers: [["x-routing-key", "key-g"], ...headers] });
      return evaluateGrpcRoutes([user, ...grpcRoutes], request)?.backendRefs?.[0]?.name;
    };
    assert.equal(reach("/shop.Cart/Add"), "a-cart");
    assert.equal(reach("/shop.Cart/List"), "a-cart");
    assert.equal(reach("/shop.Cart/Add", [["x-team", "blue"]]), "a-cart");
    assert.equal(reach("/shop.Orders/Get", [["x-team", "blue"]]), "d-cart");
    assert.equal(reach("/shop.Orders/Get"), "cart");
    assert.equal(reach("/shop.Admin/Get", [["x-team", "blue"]]), "admin");
  });

  it("give way to an older HTTPRoute on the same port", () => {
    const older = { ...aUserRoute([{ backendRefs: [{ name: "cart", port: 80 }] }]) };
    const { httpRoutes, grpcRoutes } = render(entries, {
      userRoutes: {
        http: [{ ...older, metadata: { ...older.metadata, creationTimestamp: "2024-01-01T00:00:00Z" } }],
        grpc: [user],
      },
    });

    assert.ok(httpRoutes.length > 0);
    assert.deepEqual(grpcRoutes, []);
  });
});
