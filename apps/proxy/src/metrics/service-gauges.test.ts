import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { type Destination, RouteTables } from "@homeostat/proxy";
import { compileTable, KeyReader } from "@homeostat/routing";
import { Registry } from "@homeostat/runtime";
import { cartTable } from "../testing/tables.ts";
import { registerServiceGauges } from "./service-gauges.ts";

describe("registerServiceGauges", () => {
  it("counts waiting requests and failing addresses of the present tables", () => {
    const registry = new Registry();
    const tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random: new SeededRandom(1) });
    tables.swap({ tables: [compileTable(cartTable())] });
    const destination: Destination = {
      namespace: "shop",
      service: "cart",
      kind: "sandbox",
      sandbox: "a",
      workload: "a",
    };
    const other = { ...destination, sandbox: "b" };
    registerServiceGauges(registry, {
      tables,
      holds: {
        waiting: () => [
          { destination, requests: 2 },
          { destination: other, requests: 3 },
        ],
      },
      balancer: { isHealthy: (target) => target !== "127.0.0.1:2" },
    });

    const text = registry.expose();

    assert.match(text, /proxy_held_requests\{service="cart"\} 5/);
    assert.match(text, /proxy_ejected_targets\{service="cart"\} 1/);
    tables.swap({ tables: [] });
    assert.doesNotMatch(registry.expose(), /proxy_ejected_targets\{/);
  });
});
