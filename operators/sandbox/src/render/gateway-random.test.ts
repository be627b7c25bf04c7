import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/fuzz";
import {
  type CompiledConditions,
  compileTable,
  defaultRoutingSettings,
  type EntryMatch,
  type RouteTable,
} from "@homeostat/routing";
import { evaluateHttpRoutes } from "../testing/gateway-evaluator.ts";
import { reachedDestination } from "../testing/mesh-outcome.ts";
import { meshRequest } from "../testing/mesh-request.ts";
import { decidedDestination, randomMatch, randomRequest, randomTable } from "../testing/random-routes.ts";
import { renderGatewayApi } from "./gateway-api.ts";
import type { HttpMatch, HttpRoute } from "./gateway-types.ts";
import { httpMatches } from "./http-matches.ts";

const tables = 400;
const requestsPerTable = 25;

function render(table: RouteTable, http: readonly HttpRoute[]) {
  return renderGatewayApi({
    table,
    settings: defaultRoutingSettings,
    isServiceSupported: true,
    isRegexSupported: true,
    userRoutes: { http, grpc: [] },
  });
}

/** Returns routes of a user: rules to the Service and to others. */
function randomUserRoutes(random: SeededRandom): readonly HttpRoute[] {
  return Array.from({ length: 1 + random.int(2) }, (_, i) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: `user-${i}`, namespace: "shop", creationTimestamp: `2025-01-0${1 + random.int(3)}T00:00:00Z` },
    spec: {
      parentRefs: [{ group: "", kind: "Service", name: "cart", port: 80 }],
      rules: Array.from({ length: 1 + random.int(3) }, (_, n) => ({
        matches: randomMatches(random),
        backendRefs: [{ name: random.pick(["cart", "cart", `user-${i}-${n}`]), port: 80 }],
      })),
    },
  }));
}

/** Returns conditions in the form of a compiled table. */
function conditionsOf(match: EntryMatch): CompiledConditions | undefined {
  const entry = {
    routingKey: "abc",
    sandbox: "a",
    workload: "a",
    source: "Explicit",
    match,
    mode: "Virtual",
    ports: [],
  } as const;
  const port = { port: 80, baselineTarget: "cart.shop.svc:80" };
  const table = compileTable({ namespace: "shop", service: "cart", version: "", ports: [port], entries: [entry] });
  return table.ports.get(80)?.routes.get("abc")?.[0]?.conditions;
}

function randomMatches(random: SeededRandom): readonly HttpMatch[] {
  const matches = httpMatches(conditionsOf(randomMatch(random)));
  return random.int(4) === 0
    ? matches.map((match) => ({ ...match, queryParams: [{ name: "beta", value: "1" }] }))
    : matches;
}

describe("rendered HTTPRoutes", () => {
  it("choose the destination of the proxy for random tables and requests", () => {
    const random = new SeededRandom(1);
    const reached = new Set<string>();
    for (let n = 0; n < tables; n += 1) {
      const table = randomTable(random);
      const { httpRoutes, limitations } = render(table, []);
      assert.deepEqual(limitations, []);
      for (let i = 0; i < requestsPerTable; i += 1) {
        const request = randomRequest(random);
        const [ref] = evaluateHttpRoutes(httpRoutes, meshRequest(request))?.backendRefs ?? [];

        const actual = reachedDestination(table, ref?.name ?? "", ref?.port ?? 0);
        assert.equal(actual, decidedDestination(table, request), JSON.stringify({ n, table, request }));
        reached.add(actual);
      }
    }
    assert.ok(reached.size > 12, [...reached].join(", "));
  });

  it("follow the rules of the user first", () => {
    const random = new SeededRandom(2);
    let rejected = 0;
    for (let n = 0; n < tables; n += 1) {
      const table = randomTable(random);
      const user = randomUserRoutes(random);
      const { httpRoutes, limitations } = render(table, user);
      assert.deepEqual(limitations, []);
      for (let i = 0; i < requestsPerTable; i += 1) {
        const request = randomRequest(random);
        const [origin] = evaluateHttpRoutes(user, meshRequest(request))?.backendRefs ?? [];
        const [ref] = evaluateHttpRoutes([...user, ...httpRoutes], meshRequest(request))?.backendRefs ?? [];

        const expected =
          origin?.name === "cart" ? decidedDestination(table, request) : `${origin?.name ?? "rejected"}:80`;
        const actual = reachedDestination(table, ref?.name ?? "rejected", ref?.port ?? 80);
        assert.equal(actual, expected, JSON.stringify({ n, user, table, request }));
        rejected += origin === undefined ? 1 : 0;
      }
    }
    assert.ok(rejected > 100, `${rejected} requests match no rule of the user`);
  });
});
