import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultRoutingSettings, type RouteTable } from "@homeostat/routing";
import { type EquivalenceCase, equivalenceCases, type Feature } from "@homeostat/routing/equivalence";
import { evaluateHttpRoutes } from "../testing/gateway-evaluator.ts";
import { expectedDestination, reachedDestination } from "../testing/mesh-outcome.ts";
import { meshRequest } from "../testing/mesh-request.ts";
import { gatewayLimitations, renderGatewayApi } from "./gateway-api.ts";
import type { HttpRoute } from "./gateway-types.ts";
import type { LimitationName } from "./limitation.ts";

/** Features that HTTPRoutes do not have, with the limitation that the renderer reports instead. */
const unsupported: Partial<Record<Feature, LimitationName>> = {
  tracestate: "TracestateUnsupported",
  "several-keys": "KeyOrderUndefined",
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

const nothing = { http: [], grpc: [] };
const defaultRoute: HttpRoute = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name: "mine", namespace: "shop", creationTimestamp: "2025-01-01T00:00:00Z" },
  spec: {
    parentRefs: [{ group: "", kind: "Service", name: "cart" }],
    rules: [80, 9000].map((port) => ({ backendRefs: [{ name: "cart", port }] })),
  },
};

function render(table: RouteTable, options: Partial<Parameters<typeof renderGatewayApi>[0]> = {}) {
  return renderGatewayApi({
    table,
    settings: defaultRoutingSettings,
    isServiceSupported: true,
    isRegexSupported: true,
    userRoutes: nothing,
    ...options,
  });
}

function destinationOf(
  { table, port, request }: EquivalenceCase,
  routes: readonly HttpRoute[],
  mode: "whole" | "search",
): string {
  const attached = routes.filter(({ spec }) => spec.parentRefs?.some((ref) => (ref.port ?? port) === port) === true);
  // A Service without routes is reached directly.
  if (attached.length === 0) return `${table.service}:${port}`;
  const rule = evaluateHttpRoutes(attached, meshRequest(request), mode);
  const refs = rule?.backendRefs ?? [];
  assert.equal(refs.length, 1, "one backend");
  return reachedDestination(table, refs[0]?.name ?? "", refs[0]?.port ?? 0);
}

describe("HTTPRoutes agree with the equivalence cases", () => {
  for (const each of equivalenceCases) {
    const limited = each.features.flatMap((feature) => unsupported[feature] ?? []);
    it(limited.length === 0 ? each.name : `${each.name} (${limited.join(", ")})`, () => {
      const { httpRoutes, limitations } = render(each.table, { settings: each.settings });
      const reported = new Set<string>([...gatewayLimitations, ...limitations.map(({ name }) => name)]);

      for (const name of limited) assert.ok(reported.has(name), name);
      if (limited.length > 0) return;
      assert.equal(destinationOf(each, httpRoutes, "whole"), expectedDestination(each));
      assert.equal(destinationOf(each, httpRoutes, "search"), expectedDestination(each));
    });
  }

  it("if the user has a route of his own", () => {
    for (const each of equivalenceCases) {
      if (each.features.some((feature) => unsupported[feature] !== undefined)) continue;
      const userRoutes = { http: [userRoute(each.port)], grpc: [] };
      const { httpRoutes } = render(each.table, { settings: each.settings, userRoutes });

      assert.equal(
        destinationOf(each, [...userRoutes.http, ...httpRoutes], "whole"),
        expectedDestination(each),
        each.name,
      );
    }
  });

  it("without baggage, if the mesh has no regular expressions", () => {
    for (const each of equivalenceCases) {
      if (each.features.some((feature) => feature === "baggage" || unsupported[feature] !== undefined)) continue;
      const { httpRoutes, limitations } = render(each.table, { settings: each.settings, isRegexSupported: false });

      assert.deepEqual(
        limitations.map(({ name }) => name).filter((name) => name === "HeaderFormsLimited"),
        ["HeaderFormsLimited"],
      );
      assert.ok(!JSON.stringify(httpRoutes).includes("RegularExpression"));
      assert.equal(destinationOf(each, httpRoutes, "whole"), expectedDestination(each), each.name);
    }
  });
});

function userRoute(port: number): HttpRoute {
  const { spec } = defaultRoute;
  return { ...defaultRoute, spec: { ...spec, rules: [{ backendRefs: [{ name: "cart", port }] }] } };
}
