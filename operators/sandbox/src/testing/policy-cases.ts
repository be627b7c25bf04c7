// Valid and invalid SandboxPolicies and RouteTables.

import { many, type SchemaCase } from "./schema-case.ts";

const policies: readonly (readonly [title: string, spec: unknown, refused?: string])[] = [
  ["is empty", {}],
  [
    "has every field",
    {
      enabled: true,
      allowedTargets: [{ kind: "Deployment", name: "cart-*", selector: { matchLabels: { tier: "app" } } }],
      deniedTargets: [{ name: "payments" }],
      allowedFromNamespaces: [{ name: "team-a" }, { selector: { matchLabels: { sandboxes: "yes" } } }],
      allowedImages: ["registry.example.com/*"],
      allowPatchPaths: ["/spec/template/spec/hostAliases"],
      denyPatchPaths: ["/spec/template/spec/nodeSelector"],
      allowLocal: false,
      allowPublicEndpoints: true,
      outboundAllow: ["db:5432"],
      provisionServiceAccounts: ["provisioner"],
      quota: { sandboxes: 10, perUser: 2, cpu: 4, memory: "8Gi", pods: 20 },
      maxTTL: "3d",
      interception: "Sidecar",
    },
  ],
  ["allows no targets", { allowedTargets: [] }],
  ["has an empty target", { allowedTargets: [{}] }, "at least one of kind, name, selector must be set"],
  ["has an unknown target kind", { deniedTargets: [{ kind: "Pod" }] }, "deniedTargets[0].kind"],
  [
    "has a namespace with name and selector",
    { allowedFromNamespaces: [{ name: "a", selector: {} }] },
    "exactly one of name, selector must be set",
  ],
  ["has an empty namespace", { allowedFromNamespaces: [{}] }, "exactly one of name, selector must be set"],
  ["has an empty image glob", { allowedImages: [""] }, "allowedImages[0]"],
  ["has a relative patch path", { allowPatchPaths: ["spec"] }, "must be a JSON pointer"],
  ["has a patch path that ends with a slash", { denyPatchPaths: ["/spec/"] }, "must be a JSON pointer"],
  ["has a negative quota", { quota: { sandboxes: -1 } }, "quota.sandboxes"],
  ["has a quota of no memory", { quota: { memory: "0" } }, "must be a quantity greater than 0"],
  ["has an invalid maxTTL", { maxTTL: "soon" }, "spec.maxTTL"],
  ["has a maxTTL below the shortest ttl", { maxTTL: "1m" }, "must be at least 5m"],
  ["has an unknown interception", { interception: "Tap" }, "spec.interception"],
  ["has 65 images", { allowedImages: many(65, (index) => `i${index}`) }, "spec.allowedImages"],
];

const port = { port: 80, name: "http", appProtocol: "http", baselineTarget: "cart--base.shop.svc:80" };
const target = { port: 80, targetService: "pr-42-cart-1a2b3c4d", targetPort: 80 };
const entry = { routingKey: "k3v9q2m7x1c4d", sandbox: "pr-42", workload: "cart", source: "Sandbox", ports: [target] };
const table = { service: "cart", version: "9f2c61d0", interception: "Takeover", ports: [port], entries: [entry] };

const tables: readonly (readonly [title: string, spec: unknown, refused?: string])[] = [
  [
    "is the example of the documentation",
    {
      ...table,
      entries: [
        { ...entry, onUnavailable: "Fail" },
        {
          ...entry,
          routingKey: "g7h2t5n8w0z3b",
          source: "RouteGroup",
          routeGroup: "checkout-v2",
          match: { paths: [{ prefix: "/api/cart" }] },
          percent: 50,
          stickyBy: "TraceId",
          onUnavailable: "Fail",
        },
      ],
    },
  ],
  [
    "has every field of an entry",
    {
      ...table,
      entries: [
        {
          ...entry,
          sandboxUid: "b6a1",
          mode: "Virtual",
          stickyHeader: "x-user",
          additionalHeaders: { "x-a": "b" },
          holdSeconds: 90,
          match: { paths: [{ exact: "/" }], methods: ["GET"], headers: [{ name: "x-a", value: "b" }] },
          middleware: { record: true, faults: [{ percent: 10, delayMs: 5, abortCode: 500 }] },
        },
      ],
    },
  ],
  ["is of another Service", { ...table, service: "orders" }, "must be the name of the service, orders"],
  ["has no version", { service: "cart", ports: [], entries: [] }, "spec.version"],
  ["has an unknown source", { ...table, entries: [{ ...entry, source: "Other" }] }, "entries[0].source"],
  [
    "has stored addresses",
    { ...table, entries: [{ ...entry, ports: [{ ...target, addresses: ["10.0.0.1:80"] }] }] },
    "addresses",
  ],
];

export const policyCases: readonly SchemaCase[] = policies.map(([title, spec, refused]) => ({
  kind: "SandboxPolicy",
  title,
  spec,
  ...(refused !== undefined && { refused }),
}));

export const routeTableCases: readonly SchemaCase[] = tables.map(([title, spec, refused]) => ({
  kind: "RouteTable",
  title,
  name: "cart",
  spec,
  ...(refused !== undefined && { refused }),
}));
