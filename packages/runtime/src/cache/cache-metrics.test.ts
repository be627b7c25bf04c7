import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Registry } from "../metrics/registry.ts";
import { refusal } from "../testing/api-model.ts";
import { Bench, errorText, newWidget, widget } from "../testing/cache-bench.ts";
import { CacheMetrics } from "./cache-metrics.ts";

/** Returns the samples of the cache that are not zero. */
function shown(registry: Registry): Record<string, number> {
  const lines = registry.expose().split("\n");
  const samples = lines.filter((line) => line.startsWith("cache_") && line.includes("widgets"));
  return Object.fromEntries(
    samples.map((line) => {
      const [, name = "", rest = "", value = ""] = /^(\w+)\{(.*)\} (\S+)$/u.exec(line) ?? [];
      const reason = /reason="(\w+)"/u.exec(rest)?.[1];
      return [reason === undefined ? name : `${name} ${reason}`, Number(value)];
    }),
  );
}

describe("the metrics of a cache", () => {
  it("show its contents by resource until the measurement is disposed of", async () => {
    const registry = new Registry();
    const metrics = new CacheMetrics(registry);
    await using bench = new Bench({}, { observer: metrics });
    const reading = metrics.measure(bench.cache);
    using all = bench.cache.informer(widget);
    await bench.list(9, [newWidget("a", { version: 5 }), newWidget("b", { version: 6 })]);
    await bench.watch();

    using some = bench.cache.informer(widget, { labels: "app=web" });
    const early = shown(registry);
    await bench.list(9, [newWidget("a", { version: 5, labels: { app: "web" } })]);
    const { cache_bytes: bytes, cache_held_bytes: held = 0, ...rest } = shown(registry);

    assert.equal(early["cache_synced"], 0, "one of the two has not completed its first list");
    assert.deepEqual(rest, {
      cache_informers: 2,
      cache_synced: 1,
      cache_objects: 3,
      cache_lists_total: 2,
      cache_watches_total: 1,
    });
    assert.equal(bytes, all.bytes.objects + some.bytes.objects);
    assert.ok(held >= bytes);
    assert.match(registry.expose(), /^cache_objects\{group="test.dev",resource="widgets",version="v1"\} 3$/mu);
    reading[Symbol.dispose]();
    assert.equal(shown(registry)["cache_objects"], undefined);
    assert.equal(shown(registry)["cache_lists_total"], 2, "counters keep their values");
  });

  it("count lists, watches, retries and errors", async () => {
    const registry = new Registry();
    await using bench = new Bench({ list: "pages", pageSize: 1 }, { observer: new CacheMetrics(registry) });
    using widgets = bench.cache.informer(widget);
    using subscription = widgets.subscribe(() => {
      throw new Error("a handler");
    });
    await subscription.replayed;
    await bench.list(7, [newWidget("a", { version: 5 })], "token");
    bench.call.refuse(refusal(410));
    await bench.list(9, [newWidget("a", { version: 5 })]);
    await bench.send(await bench.watch(), errorText(500));
    await bench.clock.advance(30_000);
    await bench.send(await bench.watch(), errorText(410));
    await bench.clock.advance(30_000);
    await bench.list(8, []);

    assert.deepEqual(shown(registry), {
      cache_lists_total: 1,
      "cache_lists_refused_total stale": 1,
      cache_watches_total: 2,
      "cache_watches_ended_total failed": 1,
      "cache_watches_ended_total gone": 1,
      cache_gone_total: 2,
      cache_retries_total: 2,
      cache_program_errors_total: 1,
    });
  });
});
