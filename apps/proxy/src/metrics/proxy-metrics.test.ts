import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Destination, RequestEnd } from "@homeostat/proxy";
import { Registry } from "@homeostat/runtime";
import { ProxyMetrics } from "./proxy-metrics.ts";

const baseline: Destination = { namespace: "shop", service: "cart", kind: "baseline", sandbox: "", workload: "" };
const fork: Destination = { ...baseline, kind: "sandbox", sandbox: "pr-42", workload: "cart" };

function end(destination: Destination, status: number): RequestEnd {
  return { destination, protocol: "http1", method: "GET", status, durationMs: 2, overheadMs: 0.1 };
}

function linesOf(registry: Registry, name: string): readonly string[] {
  return registry
    .expose()
    .split("\n")
    .filter((line) => line.startsWith(name));
}

describe("ProxyMetrics", () => {
  it("counts requests by destination and class of the status", () => {
    const registry = new Registry();
    const metrics = new ProxyMetrics(registry, "takeover");

    for (const status of [200, 204, 503, 0]) metrics.requestEnded(end(baseline, status));
    metrics.requestEnded(end(fork, 200));

    const line = (destination: string, sandbox: string, code: string): string =>
      `proxy_requests_total{code="${code}",destination="${destination}",namespace="shop",protocol="http1",sandbox="${sandbox}",service="cart"}`;
    assert.deepEqual(linesOf(registry, "proxy_requests_total"), [
      `${line("baseline", "", "2xx")} 2`,
      `${line("sandbox", "pr-42", "2xx")} 1`,
      `${line("baseline", "", "5xx")} 1`,
      `${line("baseline", "", "none")} 1`,
    ]);
    assert.ok(
      linesOf(registry, "proxy_overhead_seconds_count").includes('proxy_overhead_seconds_count{role="takeover"} 5'),
    );
  });

  it("counts errors of engines and of routing by reason", () => {
    const registry = new Registry();
    const metrics = new ProxyMetrics(registry, "takeover");

    metrics.failed("connect");
    metrics.countRouting("unknown_key");

    assert.deepEqual(linesOf(registry, "proxy_routing_errors_total"), [
      'proxy_routing_errors_total{reason="connect"} 1',
      'proxy_routing_errors_total{reason="unknown_key"} 1',
    ]);
  });

  it("removes the series of a sandbox that was gone twice in a row, and counts again if it returns", () => {
    const registry = new Registry();
    const metrics = new ProxyMetrics(registry, "takeover");
    metrics.requestEnded(end(baseline, 200));
    metrics.requestEnded(end(fork, 200));

    const known = new Set(["shop/pr-42"]);
    const gone = new Set<string>();
    for (const sandboxes of [known, gone, known, gone]) {
      metrics.forgetMissing(sandboxes);
      assert.equal(linesOf(registry, "proxy_requests_total").length, 2);
    }
    metrics.forgetMissing(gone);
    assert.equal(linesOf(registry, "proxy_requests_total").length, 1);
    metrics.requestEnded(end(fork, 200));

    assert.ok(linesOf(registry, "proxy_requests_total").some((line) => line.includes("pr-42") && line.endsWith(" 1")));
  });
});
