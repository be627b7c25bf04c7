import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { decide } from "../decide/decide.ts";
import { outcomeOf } from "../equivalence/case.ts";
import { equivalenceCases } from "../equivalence/index.ts";
import { explicit, groupKey, grouped, pr42Key, sampleTable } from "../equivalence/sample-routes.ts";
import { KeyReader } from "../key/key-reader.ts";
import { headerSource } from "../request/header-source.ts";
import { compileTable } from "../table/compile-table.ts";
import type { RouteEntry } from "../table/route-table.ts";
import { explain, type ExplainInput } from "./explain.ts";
import type { Explanation } from "./explanation.ts";

const keys = new KeyReader({ role: "takeover" });

function explainWith(
  entries: readonly RouteEntry[],
  change: Partial<ExplainInput> = {},
  path = "/orders",
): Explanation {
  const headers = headerSource([
    ["x-routing-key", groupKey],
    ["baggage", `routing-key=${pr42Key}`],
    ["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
  ]);
  return explain({
    table: { ...sampleTable, entries },
    port: 80,
    request: { method: "GET", path, headers },
    keys,
    random: new SeededRandom(1),
    ...change,
  });
}

describe("explain", () => {
  it("lists the steps in order", () => {
    const conditional: RouteEntry = { ...explicit, match: { paths: [{ prefix: "/api/cart" }] } };
    const twoTargets = {
      ...grouped,
      percent: 50,
      ports: [{ port: 80, targetService: "a", targetPort: 80, addresses: ["10.0.0.1:80", "10.0.0.2:80"] }],
    };
    const health = { isHealthy: (address: string) => address !== "10.0.0.2:80" };

    const explanation = explainWith([conditional, twoTargets, grouped], { health });

    assert.deepEqual(
      explanation.steps.map(({ text }) => text),
      [
        "Table of Service shop/cart, version 9f2c61d0, with 3 entries",
        'Value "g7h2t5n8w0z3b" of header x-routing-key is the key',
        'Value "k3v9q2m7x1c4d" of baggage member routing-key is another key and is ignored, because the previous one takes precedence',
        "Key g7h2t5n8w0z3b has 3 routes for this port",
        "Passed over: workload cart of sandbox pr-7 by RouteGroup checkout-v2 requires another path",
        "workload cart of sandbox pr-42 by RouteGroup checkout-v2 takes 50 % of the requests; by TraceId, this one is inside (911 of 10000)",
        "Taken: workload cart of sandbox pr-42 by RouteGroup checkout-v2",
        "workload cart of sandbox pr-42 by RouteGroup checkout-v2 has 2 targets, 1 unhealthy",
        "Not reached: workload cart of sandbox pr-42 by RouteGroup checkout-v2 comes after the deciding route",
      ],
    );
    const route = { sandbox: "pr-42", workload: "cart", source: "RouteGroup", routeGroup: "checkout-v2" };
    assert.deepEqual(
      { ...explanation, steps: [] },
      {
        namespace: "shop",
        service: "cart",
        port: 80,
        tableVersion: "9f2c61d0",
        renderer: "Takeover",
        key: { key: groupKey, source: "explicit-header", name: "x-routing-key" },
        steps: [],
        outcome: { type: "entry", route, targets: ["10.0.0.1:80"] },
        targets: [
          { address: "10.0.0.1:80", isHealthy: true, isUsed: true },
          { address: "10.0.0.2:80", isHealthy: false, isUsed: false },
        ],
        ifTargetVanished: { type: "unavailable", action: "Fail", route },
        responseHeader: "sandbox=pr-42; workload=cart",
        counted: ["key_conflict"],
      },
    );
  });

  it("says what would happen without a target", () => {
    const outcomes = [
      { onUnavailable: "Fail" },
      { onUnavailable: "Baseline" },
      { onUnavailable: "Hold" },
      { mode: "Virtual", ports: [] },
    ] satisfies readonly Partial<RouteEntry>[];

    const found = outcomes.map((change) => {
      const { ifTargetVanished } = explainWith([{ ...grouped, ...change }]);
      assert.ok(ifTargetVanished);
      return ifTargetVanished.type === "unavailable" ? ifTargetVanished.action : ifTargetVanished.type;
    });

    assert.deepEqual(found, ["Fail", "baseline", "Hold", "entry"]);
  });

  it("decides by the same random numbers without a target", () => {
    const drawn = [0.1, 0.9];
    const random = { next: () => drawn.shift() ?? 0.9, int: () => 0 };

    const { outcome, ifTargetVanished } = explainWith([{ ...grouped, percent: 50, stickyBy: "None" }], { random });

    assert.deepEqual([outcome.type, ifTargetVanished?.type], ["entry", "unavailable"]);
  });

  it("explains a port that the Service does not have", () => {
    const { outcome, steps } = explainWith([], { port: 443 });

    assert.deepEqual(outcome, { type: "no-port", ports: [80] });
    assert.equal(steps.length, 1);
  });

  it("shows a fault of the request", () => {
    const { outcome } = explainWith([{ ...grouped, middleware: { faults: [{ delayMs: 10, abortCode: 503 }] } }]);

    assert.deepEqual("fault" in outcome && outcome.fault, { delayMs: 10, abortCode: 503 });
  });

  it("agrees with decide and is JSON, for every equivalence case", () => {
    for (const { name, table, port, role, settings, otherKeys, request, counted } of equivalenceCases) {
      const context = {
        keys: new KeyReader({ role, settings }),
        random: new SeededRandom(1),
        knownKeys: new Set(otherKeys),
      };
      const view = { ...request, headers: headerSource(request.headers) };
      const compiled = compileTable(table).ports.get(port);
      assert.ok(compiled);

      const explanation = explain({ table, port, request: view, ...context });

      const { outcome } = explanation;
      const decided = outcomeOf(decide(compiled, view, context));
      const expected = outcome.type === "baseline" ? { type: outcome.type, reason: outcome.reason } : summary(outcome);
      assert.deepEqual(decided, expected, name);
      assert.deepEqual(explanation.counted, counted, name);
      assert.deepEqual(JSON.parse(JSON.stringify(explanation)), explanation, name);
    }
  });
});

function summary(outcome: Explanation["outcome"]): object {
  assert.ok(outcome.type === "entry" || outcome.type === "unavailable");
  const { sandbox, workload } = outcome.route;
  if (outcome.type === "entry") return { type: "entry", sandbox, workload, targets: outcome.targets };
  return { type: "unavailable", action: outcome.action, sandbox, workload };
}
