import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { decide, type DecisionContext } from "../decide/decide.ts";
import { planForwarding } from "../inject/plan-forwarding.ts";
import { KeyReader } from "../key/key-reader.ts";
import { headerSource } from "../request/header-source.ts";
import type { RequestView } from "../request/request-view.ts";
import { compileTable, type CompiledPort } from "../table/compile-table.ts";
import { TraceKeys } from "./trace-keys.ts";

const key = "k3v9q2m7x1c4d";
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function portOf(service: string, restoreKeys: boolean | undefined): CompiledPort {
  const table = compileTable({
    namespace: "shop",
    service,
    version: "v1",
    ...(restoreKeys === undefined ? {} : { restoreKeys }),
    ports: [{ port: 80, baselineTarget: `${service}:80` }],
    entries: [
      {
        routingKey: key,
        sandbox: "pr-42",
        workload: service,
        source: "Sandbox",
        ports: [{ port: 80, targetService: "fork", targetPort: 80, addresses: ["10.0.0.1:80"] }],
      },
    ],
  });
  return table.ports.get(80) ?? assert.fail("no port");
}

function requestWith(headers: Readonly<Record<string, string>>): RequestView {
  return { method: "GET", path: "/", headers: headerSource(Object.entries(headers)) };
}

function contextOf(): DecisionContext {
  const keys = new KeyReader({ role: "takeover" });
  return { keys, random: new SeededRandom(1), traceKeys: new TraceKeys({ clock: new FakeClock() }) };
}

describe("restoration of keys by trace ID", () => {
  it("gives a request without a key that of its trace, at a Service that asks for it", () => {
    const context = contextOf();
    decide(portOf("front", undefined), requestWith({ traceparent, "x-routing-key": key }), context);
    const request = requestWith({ traceparent });

    const decision = decide(portOf("cart", true), request, context);

    assert.equal(decision.type, "entry");
    assert.deepEqual(decision.key, { key, source: "restored", name: "" });
    const plan = planForwarding({ keys: context.keys, request, decision, scheme: "http" });
    const set = plan.type === "forward" ? new Map(plan.set) : new Map();
    assert.equal(set.get("x-sandbox-restored"), "1");
    assert.equal(set.get("x-routing-key"), key);
    assert.equal(set.get("baggage"), `routing-key=${key}`);
  });

  it("restores nothing elsewhere, without a trace, and for probes", () => {
    for (const [restoreKeys, headers] of [
      [undefined, { traceparent }],
      [false, { traceparent }],
      [true, {}],
      [true, { traceparent: "broken" }],
      [true, { traceparent, "user-agent": "kube-probe/1.36" }],
    ] as const) {
      const context = contextOf();
      decide(portOf("front", undefined), requestWith({ traceparent, "x-routing-key": key }), context);
      assert.equal(decide(portOf("cart", restoreKeys), requestWith(headers), context).type, "baseline");
    }
  });

  it("restores nothing after the trace passed another Service without the key", () => {
    const context = contextOf();
    decide(portOf("front", undefined), requestWith({ traceparent, "x-routing-key": key }), context);
    decide(portOf("stock", undefined), requestWith({ traceparent }), context);
    assert.equal(decide(portOf("cart", true), requestWith({ traceparent }), context).type, "baseline");
  });

  it("does not mark requests that have a key", () => {
    const context = contextOf();
    const request = requestWith({ traceparent, "x-routing-key": key });
    const decision = decide(portOf("cart", true), request, context);
    const plan = planForwarding({ keys: context.keys, request, decision, scheme: "http" });
    assert.equal(plan.type === "forward" && plan.set.some(([name]) => name === "x-sandbox-restored"), false);
  });
});
