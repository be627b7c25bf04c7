// Valid and invalid RouteGroups.

import { long, many, type SchemaCase, type UpdateCase } from "./schema-case.ts";

const label = { label: { key: "team", value: "a" } };
const withRoute = (fields: object): object => ({ routes: [{ targetSandbox: "pr-42", ...fields }] });
const withMatch = (match: object): object => ({ match });

const accepted: readonly Omit<SchemaCase, "kind">[] = [
  {
    title: "gets its defaults",
    spec: {},
    expect: {
      "spec.match": null,
      "spec.routingKeyHeader": "X-Routing-Key",
      "spec.defaultRoutingKey": "",
      "spec.routes": [],
      "spec.endpoints": [],
      "spec.conflictPolicy": "Oldest",
      "spec.ttl": null,
      "spec.ttlFrom": "NoMatchedSandboxes",
      "spec.description": "",
    },
  },
  {
    title: "gets the defaults of a route",
    spec: withRoute({}),
    expect: {
      "spec.routes.0": { targetSandbox: "pr-42", percent: 100, stickyBy: "TraceId", additionalHeaders: {} },
    },
  },
  {
    title: "is the example of the documentation",
    name: "checkout-v2",
    spec: {
      match: {
        all: [
          { label: { key: "feature", value: "checkout-*" } },
          { any: [{ label: { key: "team", value: "payments" } }, { label: { key: "team", value: "web" } }] },
        ],
      },
      endpoints: [{ name: "web", target: "http://frontend.shop.svc:8080" }],
      routes: [
        {
          targetSandbox: "pr-42",
          services: ["cart"],
          paths: [{ prefix: "/api/cart" }],
          percent: 50,
          additionalHeaders: { "x-environment": "sandbox" },
        },
      ],
      conflictPolicy: "Oldest",
      ttl: "1d",
    },
  },
  { title: "has the default key production", spec: { defaultRoutingKey: "production" } },
  { title: "matches nothing with an empty any", spec: withMatch({ any: [] }) },
  { title: "matches by a selector", spec: withMatch({ selector: { matchLabels: { a: "b" } } }) },
  { title: "has 32 conditions", spec: withMatch({ any: many(32, () => label) }) },
  {
    title: "has 32 conditions in two levels",
    spec: withMatch({ any: many(4, () => ({ all: many(8, () => label) })) }),
  },
  { title: "has 64 routes", spec: { routes: many(64, () => ({ targetSandbox: "a" })) } },
  {
    title: "has 20 endpoints",
    spec: { endpoints: many(20, (index) => ({ name: `e${index}`, target: "http://a.b.svc" })) },
  },
  { title: "splits by a header", spec: withRoute({ percent: 10, stickyBy: "Header", stickyHeader: "X-User" }) },
  {
    title: "has conditions",
    spec: withRoute({ paths: [{ exact: "/a" }], methods: ["GET"], headers: [{ name: "X-A", value: "b" }] }),
  },
  { title: "has a ttl of seconds", spec: { ttl: 30 } },
  { title: "reads another header", spec: { routingKeyHeader: "X-Team-Key" } },
];

const refused: readonly (readonly [title: string, spec: unknown, message: string, name?: string])[] = [
  ["has a name in upper case", {}, "metadata.name", "Group"],
  ["has an empty match", withMatch({}), "exactly one of label, selector, any, all must be set"],
  [
    "has two kinds of conditions",
    withMatch({ ...label, any: [] }),
    "exactly one of label, selector, any, all must be set",
  ],
  ["has an empty condition inside", withMatch({ all: [{}] }), "exactly one of label, selector, any, all must be set"],
  [
    "has an empty condition of the third level",
    withMatch({ all: [{ any: [{}] }] }),
    "exactly one of label, selector must be set",
  ],
  ["has an empty all", withMatch({ all: [] }), "spec.match.all"],
  ["has an empty all inside", withMatch({ any: [{ all: [] }] }), "spec.match.any[0].all"],
  [
    "has four levels",
    withMatch({ all: [{ any: [{ all: [label] }] }] }),
    'unknown field "spec.match.all[0].any[0].all"',
  ],
  ["has 33 conditions", withMatch({ any: many(33, () => label) }), "spec.match.any"],
  [
    "has 33 conditions in two levels",
    withMatch({ any: many(3, () => ({ all: many(11, () => label) })) }),
    "must have at most 32 conditions in total",
  ],
  ["has a label without a key", withMatch({ label: { value: "a" } }), "spec.match.label.key"],
  ["has a label without a value", withMatch({ label: { key: "a" } }), "spec.match.label.value"],
  ["has a short key", { routingKey: "ab" }, "spec.routingKey"],
  ["has the key baseline", { routingKey: "baseline" }, "must not be baseline or production"],
  ...["authorization", "Cookie", "HOST", "Connection", "Transfer-Encoding", "te", "baggage", "x-sandbox-hops"].map(
    (header) =>
      [
        `reads keys from ${header}`,
        { routingKeyHeader: header },
        `header ${header} cannot carry a routing key`,
      ] as const,
  ),
  ["reads keys from an invalid header", { routingKeyHeader: "a b" }, "spec.routingKeyHeader"],
  ["reads keys from an empty header", { routingKeyHeader: "" }, "spec.routingKeyHeader"],
  ["has an invalid default key", { defaultRoutingKey: "A" }, "spec.defaultRoutingKey"],
  ["has 65 routes", { routes: many(65, () => ({ targetSandbox: "a" })) }, "spec.routes"],
  [
    "has 21 endpoints",
    { endpoints: many(21, (index) => ({ name: `e${index}`, target: "http://a.b.svc" })) },
    "spec.endpoints",
  ],
  [
    "has an endpoint outside of the cluster",
    { endpoints: [{ name: "a", target: "https://example.com" }] },
    "must be the URL of a Service",
  ],
  ["has a route without a sandbox", { routes: [{}] }, "spec.routes[0].targetSandbox"],
  ["has a route to another namespace", withRoute({ targetSandbox: "other/pr-42" }), "spec.routes[0].targetSandbox"],
  [
    "has a route with the key production",
    withRoute({ routingKey: "production" }),
    "must not be baseline or production",
  ],
  ["has a route above 100 percent", withRoute({ percent: 101 }), "spec.routes[0].percent"],
  ["has a route below 0 percent", withRoute({ percent: -1 }), "spec.routes[0].percent"],
  ["has an unknown sticky value", withRoute({ stickyBy: "Cookie" }), "spec.routes[0].stickyBy"],
  ["has a relative path", withRoute({ paths: [{ prefix: "api" }] }), "must start with /"],
  ["has a path with two dots", withRoute({ paths: [{ exact: "/a/.." }] }), "must start with /"],
  ["has a path with two slashes", withRoute({ paths: [{ exact: "/a//" }] }), "must start with /"],
  [
    "has prefix and exact",
    withRoute({ paths: [{ exact: "/a", prefix: "/a" }] }),
    "exactly one of prefix, exact must be set",
  ],
  [
    "has nine header conditions",
    withRoute({ headers: many(9, (index) => ({ name: `x-${index}`, value: "a" })) }),
    "spec.routes[0].headers",
  ],
  ["has a header condition twice", withRoute({ headers: many(2, () => ({ name: "x-a", value: "a" })) }), "headers[1]"],
  [
    "has a header condition with a line break",
    withRoute({ headers: [{ name: "x-a", value: "a\nb" }] }),
    "must consist of visible characters of Latin-1",
  ],
  ...["Connection", "Host", "Content-Length", "X-Routing-Key", "baggage", "X-Sandbox-Route"].map(
    (header) =>
      [
        `sets the header ${header}`,
        withRoute({ additionalHeaders: { [header]: "a" } }),
        `header ${header} cannot be set by a route`,
      ] as const,
  ),
  ["sets a header with a space", withRoute({ additionalHeaders: { "a b": "c" } }), "header a b is not a valid name"],
  [
    "sets a header with a line break",
    withRoute({ additionalHeaders: { "x-a": "c\r\nx-b: d" } }),
    "must consist of visible characters of Latin-1",
  ],
  [
    "sets 17 headers",
    withRoute({ additionalHeaders: Object.fromEntries(many(17, (index) => [`x-${index}`, "a"])) }),
    "additionalHeaders",
  ],
  ["has an unknown conflict policy", { conflictPolicy: "Random" }, "spec.conflictPolicy"],
  ["has a ttl of zero", { ttl: 0 }, "must be at least 1s"],
  ["has an unknown ttlFrom", { ttlFrom: "LastActivity" }, "spec.ttlFrom"],
  ["has a long description", { description: long(1025) }, "spec.description"],
];

export const routeGroupCases: readonly SchemaCase[] = [
  ...accepted.map((one) => ({ kind: "RouteGroup" as const, ...one })),
  ...refused.map(([title, spec, message, name = "a"]) => ({
    kind: "RouteGroup" as const,
    title,
    spec,
    name,
    refused: message,
  })),
];

export const routeGroupUpdates: readonly UpdateCase[] = [
  { kind: "RouteGroup", title: "sets its key later", before: {}, after: { routingKey: "abc" } },
  {
    kind: "RouteGroup",
    title: "changes its key",
    before: { routingKey: "abc" },
    after: { routingKey: "abd" },
    refused: "routingKey cannot be changed once it is set",
  },
  {
    kind: "RouteGroup",
    title: "removes its key",
    before: { routingKey: "abc" },
    after: {},
    refused: "routingKey cannot be changed once it is set",
  },
];
