import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { Registry } from "../metrics/registry.ts";
import { WorkQueueMetrics } from "./queue-metrics.ts";
import { WorkQueue } from "./work-queue.ts";

function setup(): { registry: Registry; metrics: WorkQueueMetrics; queue: WorkQueue; clock: FakeClock } {
  const registry = new Registry();
  const clock = new FakeClock();
  const metrics = new WorkQueueMetrics(registry);
  return { registry, metrics, clock, queue: new WorkQueue({ name: "tenant", clock, metrics }) };
}

/** Returns the samples of the work queue without the buckets, by name and by labels other than those of the queue. */
function samples(registry: Registry): Record<string, number> {
  const lines = registry.expose().match(/^workqueue_.*$/gm) ?? [];
  const pairs = lines
    .filter((line) => !line.includes("_bucket{"))
    .map((line) => line.replace('controller="tenant",name="tenant"', "").replace("{}", "").split(" "));
  return Object.fromEntries(pairs.map(([name = "", value]) => [name, Number(value)]));
}

describe("WorkQueueMetrics", () => {
  it("exposes every series at zero from the start, with controller-runtime's names", () => {
    const { registry } = setup();

    assert.deepEqual(samples(registry), {
      workqueue_adds_total: 0,
      'workqueue_depth{,priority="0"}': 0,
      workqueue_longest_running_processor_seconds: 0,
      workqueue_queue_duration_seconds_sum: 0,
      workqueue_queue_duration_seconds_count: 0,
      workqueue_retries_total: 0,
      workqueue_unfinished_work_seconds: 0,
      workqueue_work_duration_seconds_sum: 0,
      workqueue_work_duration_seconds_count: 0,
    });
    assert.match(
      registry.expose(),
      /^workqueue_queue_duration_seconds_bucket\{controller="tenant",name="tenant",le="1e-08"\} 0$/m,
    );
  });

  it("measures keys on their way through the queue", async () => {
    const { registry, queue, clock } = setup();
    queue.add("a");
    queue.add("a");
    queue.add("b", { priority: -100 });
    queue.addAfter("c", 5000);
    await clock.advance(2000);
    const a = queue.next();
    const b = queue.next();
    await clock.advance(1000);
    queue.add("a");
    assert.ok(a !== undefined && b !== undefined);
    queue.fail(b);
    await clock.advance(500);

    assert.deepEqual(samples(registry), {
      workqueue_adds_total: 4,
      'workqueue_depth{,priority="-100"}': 1,
      'workqueue_depth{,priority="0"}': 1,
      workqueue_longest_running_processor_seconds: 1.5,
      workqueue_queue_duration_seconds_sum: 4,
      workqueue_queue_duration_seconds_count: 2,
      workqueue_retries_total: 2,
      workqueue_unfinished_work_seconds: 1.5,
      workqueue_work_duration_seconds_sum: 1,
      workqueue_work_duration_seconds_count: 1,
    });
  });

  it("is shared by queues, and drops the gauges of a queue that is disposed of", () => {
    const { registry, queue, metrics, clock } = setup();
    {
      using other = new WorkQueue({ name: "chronik", clock, metrics });
      other.add("a");
      queue.add("a");
      assert.match(registry.expose(), /^workqueue_depth\{controller="chronik",name="chronik",priority="0"\} 1$/m);
    }

    const page = registry.expose();

    assert.doesNotMatch(page, /^workqueue_depth\{controller="chronik"/m);
    assert.match(
      page,
      /^workqueue_adds_total\{controller="chronik",name="chronik"\} 1$/m,
      "counters keep their values",
    );
    assert.match(page, /^workqueue_depth\{controller="tenant",name="tenant",priority="0"\} 1$/m);
  });
});
