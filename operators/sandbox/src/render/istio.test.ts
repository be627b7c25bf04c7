import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/fuzz";
import { defaultRoutingSettings, type RouteEntry, type RouteTable } from "@homeostat/routing";
import { type EquivalenceCase, equivalenceCases, type Feature } from "@homeostat/routing/equivalence";
import { evaluateVirtualService } from "../testing/istio-evaluator.ts";
import { expectedDestination, reachedDestination } from "../testing/mesh-outcome.ts";
import { meshRequest } from "../testing/mesh-request.ts";
import { decidedDestination, randomRequest, randomTable } from "../testing/random-routes.ts";
import { istioLimitations, renderVirtualService } from "./istio.ts";
import { insertRoutes, routesTo } from "./istio-insertion.ts";
import type { IstioMatch, IstioRoute, VirtualService } from "./istio-types.ts";
import type { LimitationName } from "./limitation.ts";

/** Features that VirtualServices do not have, with the limitation that the renderer reports instead. */
const unsupported: Partial<Record<Feature, LimitationName>> = {
  tracestate: "TracestateUnsupported",
  "repeated-header": "RepeatedKeyHeaderUnsupported",
  "percent-encoding": "EncodedKeysUnsupported",
  "baggage-rules": "BaggageRulesUnsupported",
  "dot-segments": "PathNormalizationUndefined",
  "ambiguous-path": "PathNormalizationUndefined",
  probe: "ProbesRouted",
  gateway: "PreviewUnsupported",
  "sticky-percent": "PercentNotSticky",
  hold: "HoldUnsupported",
};

function aUserService(http: readonly IstioRoute[]): VirtualService {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata: { name: "mine", namespace: "shop" },
    spec: { hosts: ["cart"], http },
  };
}

function destinationOf(
  service: VirtualService | undefined,
  { table, port, request }: Pick<EquivalenceCase, "table" | "port" | "request">,
): string {
  if (service === undefined) return `${table.service}:${port}`;
  const route = evaluateVirtualService(service, meshRequest(request), port)?.route ?? [];
  assert.equal(route.length, 1, "one destination");
  const { host = "", port: target } = route[0]?.destination ?? {};
  return reachedDestination(table, host.split(".")[0] ?? "", target?.number ?? port);
}

describe("VirtualServices agree with the equivalence cases", () => {
  for (const each of equivalenceCases) {
    const limited = each.features.flatMap((feature) => unsupported[feature] ?? []);
    it(limited.length === 0 ? each.name : `${each.name} (${limited.join(", ")})`, () => {
      const { virtualService, limitations } = renderVirtualService(each);
      const reported = new Set<string>([...istioLimitations, ...limitations.map(({ name }) => name)]);

      for (const name of limited) assert.ok(reported.has(name), name);
      if (limited.length === 0) assert.equal(destinationOf(virtualService, each), expectedDestination(each));
    });
  }

  it("if the user has an object of his own", () => {
    for (const each of equivalenceCases) {
      if (each.features.some((feature) => unsupported[feature] !== undefined)) continue;
      const user = aUserService([{ route: [{ destination: { host: "cart" } }] }]);
      const { virtualService = user } = insertRoutes({
        virtualService: user,
        tables: [each.table],
        settings: each.settings,
      });

      assert.equal(destinationOf(virtualService, each), expectedDestination(each), each.name);
    }
  });
});

const tables = 300;
const requestsPerTable = 25;

describe("rendered VirtualServices", () => {
  it("choose the destination of the proxy for random tables and requests", () => {
    const random = new SeededRandom(3);
    for (let n = 0; n < tables; n += 1) {
      const table = randomTable(random);
      const { virtualService, limitations } = renderVirtualService({ table, settings: defaultRoutingSettings });
      assert.deepEqual(limitations, []);
      for (let i = 0; i < requestsPerTable; i += 1) {
        const request = randomRequest(random);
        const actual = destinationOf(virtualService, { table, port: 80, request });
        assert.equal(actual, decidedDestination(table, request), JSON.stringify({ n, table, request }));
      }
    }
  });

  it("follow the routes of the user first, for two Services in one object", () => {
    const random = new SeededRandom(4);
    for (let n = 0; n < tables; n += 1) {
      const cart = randomTable(random);
      const web = renamed(randomTable(random));
      const user = aUserService(Array.from({ length: 1 + random.int(4) }, () => randomUserRoute(random)));
      const inserted = insertRoutes({ virtualService: user, tables: [cart, web], settings: defaultRoutingSettings });
      assert.deepEqual(inserted.limitations, []);
      for (let i = 0; i < requestsPerTable; i += 1) {
        const request = randomRequest(random);
        const origin =
          evaluateVirtualService(user, meshRequest(request), 80)?.route?.[0]?.destination.host ?? "rejected";
        const host = evaluateVirtualService(inserted.virtualService ?? user, meshRequest(request), 80)?.route?.[0]
          ?.destination.host;

        const table = [cart, web].find(({ service }) => service === origin);
        const expected = table === undefined ? `${origin}:80` : decidedDestination(table, request);
        const actual = reachedDestination(table ?? cart, (host ?? "rejected").split(".")[0] ?? "", 80);
        assert.equal(actual, expected, JSON.stringify({ n, user, cart, web, request }));
      }
    }
  });
});

/** Returns a table of the Service `web`, whose workloads have names of their own. */
function renamed(table: RouteTable): RouteTable {
  const entries = table.entries.map((entry) => ({
    ...entry,
    ports: entry.ports.map((port) => ({ ...port, targetService: `web-${port.targetService}` })),
  }));
  return { ...table, service: "web", entries };
}

function randomUserRoute(random: SeededRandom): IstioRoute {
  const match = Array.from({ length: random.int(3) }, () => randomUserMatch(random));
  return {
    ...(match.length > 0 && { match }),
    route: [{ destination: { host: random.pick(["cart", "cart", "web", "pay"]) } }],
  };
}

function randomUserMatch(random: SeededRandom): IstioMatch {
  const uri = random.pick<IstioMatch>([
    { uri: { prefix: "/" } },
    { uri: { prefix: "/api" } },
    { uri: { exact: "/api/cart" } },
    {},
  ]);
  const method = random.pick<IstioMatch>([{ method: { exact: "GET" } }, { method: { prefix: "P" } }, {}]);
  const headers = random.pick<NonNullable<IstioMatch["headers"]>>([
    { "x-beta": {} },
    { "x-team": { exact: "blue" } },
    { "x-team": { prefix: "r" } },
    {},
  ]);
  return { ...uri, ...method, ...(Object.keys(headers).length > 0 && { headers }) };
}

describe("insertion into a VirtualService of a user", () => {
  const entry: RouteEntry = {
    routingKey: "key-a",
    sandbox: "a",
    workload: "cart",
    source: "Sandbox",
    ports: [{ port: 80, targetService: "a-cart", targetPort: 80 }],
  };
  const ports = [{ port: 80, baselineTarget: "cart.shop.svc:80" }];
  const table: RouteTable = { namespace: "shop", service: "cart", version: "v1", ports, entries: [entry] };
  const settings = {
    ...defaultRoutingSettings,
    explicitHeaders: ["x-routing-key"],
    compatHeaders: [],
    keyNames: ["routing-key"],
  };
  const user = aUserService([
    { name: "main", timeout: "5s", route: [{ destination: { host: "cart", subset: "v1" } }] },
  ]);

  it("copies the route of the user, and keeps the routes of the user as they are", () => {
    const { virtualService } = insertRoutes({ virtualService: user, tables: [table], settings });

    assert.deepEqual(virtualService?.spec.http, [
      {
        name: "sandbox-operator-0",
        timeout: "5s",
        match: [
          { headers: { "x-routing-key": { exact: "key-a" } } },
          {
            headers: { baggage: { regex: "^(.*,)?[ \\t]*routing-key[ \\t]*=[ \\t]*key-a[ \\t]*([;,].*)?$" } },
            withoutHeaders: { "x-routing-key": { regex: "([a-z0-9][a-z0-9-]{1,61}[a-z0-9])[ \\t]*(,.*)?" } },
          },
        ],
        route: [{ destination: { host: "a-cart.shop.svc.cluster.local", port: { number: 80 } } }],
      },
      ...(user.spec.http ?? []),
    ]);
    assert.deepEqual(virtualService.metadata.annotations, { "sandbox.example.com/source-version": "cart=v1" });
  });

  it("changes nothing the second time, and leaves no trace without tables", () => {
    const { virtualService: first = user } = insertRoutes({ virtualService: user, tables: [table], settings });
    const second = insertRoutes({ virtualService: first, tables: [table], settings });
    const removed = insertRoutes({ virtualService: first, tables: [], settings });

    assert.equal(second.virtualService, undefined);
    assert.deepEqual(removed.virtualService?.spec, user.spec);
    assert.deepEqual(removed.virtualService.metadata.annotations, {});
  });

  it("leaves objects alone that route elsewhere or that opted out", () => {
    const ignored = { ...user, metadata: { ...user.metadata, annotations: { "sandbox.example.com/ignore": "true" } } };
    const elsewhere = aUserService([{ route: [{ destination: { host: "cart.other.svc" } }] }]);

    assert.ok(routesTo(user, table));
    assert.ok(!routesTo(ignored, table));
    assert.ok(!routesTo(elsewhere, table));
    for (const host of ["cart.shop", "cart.shop.svc", "cart.shop.svc.cluster.local"]) {
      assert.ok(routesTo(aUserService([{ route: [{ destination: { host } }] }]), table), host);
    }
  });

  it("splits by weight, with sums of 100", () => {
    const split = { ...table, entries: [{ ...entry, percent: 30 }] };
    const canary = aUserService([
      {
        route: [
          { destination: { host: "cart" }, weight: 90 },
          { destination: { host: "cart-canary" }, weight: 10 },
        ],
      },
    ]);
    const { virtualService, limitations } = insertRoutes({ virtualService: canary, tables: [split], settings });

    assert.deepEqual(
      virtualService?.spec.http?.[0]?.route?.map(({ destination, weight }) => [destination.host.split(".")[0], weight]),
      [
        ["a-cart", 27],
        ["cart", 63],
        ["cart-canary", 10],
      ],
    );
    assert.deepEqual(
      limitations.map(({ name }) => name),
      ["PercentNotSticky"],
    );
  });

  it("adds headers of a route to those of the user", () => {
    const withHeaders = { ...table, entries: [{ ...entry, additionalHeaders: { "x-env": "sandbox" } }] };
    const own = aUserService([
      { headers: { request: { set: { "x-a": "1" }, remove: ["x-b"] } }, route: [{ destination: { host: "cart" } }] },
    ]);
    const { virtualService } = insertRoutes({ virtualService: own, tables: [withHeaders], settings });

    assert.deepEqual(virtualService?.spec.http?.[0]?.headers, {
      request: { set: { "x-a": "1", "x-env": "sandbox" }, remove: ["x-b"] },
    });
  });

  it("reports routes that cannot be derived", () => {
    const route = [{ destination: { host: "cart" } }];
    const withPath = { ...table, entries: [{ ...entry, match: { paths: [{ prefix: "/api" }] } }] };
    const cases: readonly [http: readonly IstioRoute[], table: RouteTable][] = [
      [[{ delegate: { name: "other" } }, { route }], table],
      [[{ match: [{ uri: { regex: "/a.*" } }], route }], withPath],
      [[{ match: [{ uri: { prefix: "/A" }, ignoreUriCase: true }], route }], withPath],
      [[{ match: [{ headers: { "x-routing-key": {}, baggage: {} } }], route }], table],
    ];
    for (const [http, each] of cases) {
      const { virtualService, limitations } = insertRoutes({
        virtualService: aUserService(http),
        tables: [each],
        settings,
      });

      assert.equal(virtualService, undefined, JSON.stringify(http));
      assert.deepEqual(
        limitations.map(({ name }) => name),
        ["UserRouteUnsupported"],
      );
    }
  });
});
