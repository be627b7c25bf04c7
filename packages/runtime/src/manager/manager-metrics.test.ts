import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { ControllerMetrics } from "../controller/controller-metrics.ts";
import { Registry } from "../metrics/registry.ts";
import { WorkQueueMetrics } from "../queue/queue-metrics.ts";
import { metricAliases, registerAliases } from "./aliases.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import { RestClientMetrics } from "./rest-client-metrics.ts";

/** Returns the samples of a metric from a page, without its name. */
function samples(page: string, name: string): readonly string[] {
  return page
    .split("\n")
    .filter((line) => line.startsWith(name) && /^(_bucket|_sum|_count)?[{ ]/.test(line.slice(name.length)))
    .map((line) => line.slice(name.length));
}

describe("aliases of metrics", () => {
  it("have the same labels and values as the original", () => {
    const registry = new Registry();
    const controllers = new ControllerMetrics(registry).measure("tenants", { concurrency: 1 });
    const queue = new WorkQueueMetrics(registry).measure("tenants", { depths: () => [[0, 3]], runningMs: () => [] });
    registerAliases(registry);
    controllers.began();
    controllers.ended("error", 20);
    queue.taken(5);

    const page = registry.expose();

    for (const { name, of } of metricAliases) {
      assert.notDeepEqual(samples(page, name), [], name);
      assert.deepEqual(samples(page, name), samples(page, of), name);
    }
    assert.match(page, /^reconcile_total\{controller="tenants",result="error"\} 1$/m);
    assert.match(page, /^# TYPE work_queue_latency histogram$/m);
  });

  it("are empty when there is no original", () => {
    const registry = new Registry();
    registerAliases(registry);

    assert.equal(registry.expose(), "");
  });
});

describe("metrics of the process", () => {
  const source = {
    cpuUsage: () => ({ user: 1_500_000, system: 500_000 }),
    memoryUsage: () => ({ rss: 1e6, heapUsed: 2e5, external: 3e5 }),
    uptime: () => 10,
    version: "v20.0.0",
  };

  it("have the names of the Prometheus client libraries", () => {
    const registry = new Registry();
    const clock = new FakeClock({ now: 100_000 });
    registerProcessMetrics(registry, { clock, source, program: { name: "p", version: "1.2.3" } });

    const page = registry.expose();

    assert.match(page, /^process_cpu_seconds_total 2$/m);
    assert.match(page, /^process_resident_memory_bytes 1e\+06$/m);
    assert.match(page, /^process_start_time_seconds 90$/m);
    assert.match(page, /^homeostat_build_info\{name="p",node="v20.0.0",version="1.2.3"\} 1$/m);
  });
});

describe("metrics of requests", () => {
  it("have client-go's names and labels", () => {
    const registry = new Registry();
    const metrics = new RestClientMetrics(registry);

    metrics.requestsTotal({ code: "200", method: "GET", host: "h" });
    metrics.requestRetriesTotal({ code: "429", verb: "GET", host: "h" });
    metrics.requestDurationSeconds({ verb: "GET", host: "h" }, 0.01);
    metrics.rateLimiterDurationSeconds({ verb: "GET", host: "h" }, 0.01);
    metrics.requestSizeBytes({ verb: "GET", host: "h" }, 100);
    metrics.responseSizeBytes({ verb: "GET", host: "h" }, 100);
    const page = registry.expose();

    assert.match(page, /^rest_client_requests_total\{code="200",host="h",method="GET"\} 1$/m);
    assert.match(page, /^rest_client_request_retries_total\{code="429",host="h",verb="GET"\} 1$/m);
    for (const name of [
      "request_duration_seconds",
      "rate_limiter_duration_seconds",
      "request_size_bytes",
      "response_size_bytes",
    ])
      assert.match(page, new RegExp(`^rest_client_${name}_count\\{host="h",verb="GET"\\} 1$`, "m"));
  });
});
