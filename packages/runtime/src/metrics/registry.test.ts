import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Counter } from "./counter.ts";
import { Gauge } from "./gauge.ts";
import { Histogram } from "./histogram.ts";
import { Registry } from "./registry.ts";

describe("Registry", () => {
  it("exposes every kind of metric in the text format, sorted by name and labels", () => {
    const registry = new Registry();
    const times = registry.register(
      new Histogram({ name: "b_seconds", help: "Times.", labels: ["controller"], buckets: [0.5, 1, Infinity] }),
    );
    const results = registry.register(
      new Counter({ name: "c_total", help: 'Results,\nwith a \\ and a ".', labels: ["result", "controller"] }),
    );
    const depth = registry.register(new Gauge({ name: "a_depth", help: "Depth." }));
    results.inc({ controller: "z", result: "ok" });
    results.inc({ controller: "a", result: 'say "no"\n\\' }, 2.5);
    for (const value of [0.5, 0.6, 7]) times.observe({ controller: "a" }, value);
    depth.set(-3);

    const page = registry.expose();

    assert.equal(
      page,
      [
        "# HELP a_depth Depth.",
        "# TYPE a_depth gauge",
        "a_depth -3",
        "# HELP b_seconds Times.",
        "# TYPE b_seconds histogram",
        'b_seconds_bucket{controller="a",le="0.5"} 1',
        'b_seconds_bucket{controller="a",le="1"} 2',
        'b_seconds_bucket{controller="a",le="+Inf"} 3',
        'b_seconds_sum{controller="a"} 8.1',
        'b_seconds_count{controller="a"} 3',
        '# HELP c_total Results,\\nwith a \\\\ and a ".',
        "# TYPE c_total counter",
        'c_total{controller="a",result="say \\"no\\"\\n\\\\"} 2.5',
        'c_total{controller="z",result="ok"} 1',
        "",
      ].join("\n"),
    );
    assert.equal(Registry.contentType, "text/plain; version=0.0.4; charset=utf-8");
  });

  it("exposes a metric without labels at zero from the start, and one with labels from its first series on", () => {
    const registry = new Registry();
    registry.register(new Counter({ name: "plain_total", help: "Plain." }));
    const labelled = registry.register(new Counter({ name: "labelled_total", help: "Labelled.", labels: ["a"] }));

    assert.doesNotMatch(registry.expose(), /labelled_total/);
    labelled.with({ a: "x" });

    assert.match(registry.expose(), /^labelled_total\{a="x"\} 0$/m);
    assert.match(registry.expose(), /^plain_total 0$/m);
  });

  it("rejects a name already in use, including the sample names of a histogram", () => {
    const registry = new Registry();
    registry.register(new Counter({ name: "x_total", help: "X." }));
    registry.register(new Histogram({ name: "y", help: "Y." }));

    assert.throws(() => registry.register(new Gauge({ name: "x_total", help: "X." })), { code: "ARGUMENT" });
    assert.throws(() => registry.register(new Gauge({ name: "y_count", help: "Y." })), /y_count is already registered/);
    assert.equal(registry.get("y")?.type, "histogram");
    assert.equal(registry.get("constructor"), undefined);
  });

  it("continues when a callback throws, counts it and reports it", () => {
    const errors: unknown[] = [];
    const registry = new Registry({ onError: (error, metric) => errors.push([String(error), metric]) });
    const gauge = registry.register(new Gauge({ name: "g", help: "G.", labels: ["from"] }));
    gauge.read((set) => {
      set({ from: "before" }, 1);
      throw new Error("no more");
    });
    gauge.read((set) => set({ from: "other" }, 2));

    const page = registry.expose();

    assert.match(page, /^g\{from="before"\} 1\ng\{from="other"\} 2$/m);
    assert.match(page, /^homeostat_metrics_callback_errors_total\{metric="g"\} 1$/m);
    assert.deepEqual(errors, [["Error: no more", "g"]]);
  });

  it("counts updates that went to an overflow series, of metrics and of callbacks", () => {
    const registry = new Registry();
    const counter = registry.register(new Counter({ name: "c", help: "C.", labels: ["key"], seriesMax: 2 }));
    const gauge = registry.register(new Gauge({ name: "g", help: "G.", labels: ["key"], seriesMax: 2 }));
    for (const key of ["a", "b", "c", "d", "a"]) counter.inc({ key });
    gauge.read((set) => {
      for (const key of ["a", "b", "c"]) set({ key }, 1);
    });

    registry.expose();
    const page = registry.expose();

    assert.match(page, /^c\{key="a"\} 2\nc\{key="b"\} 1\nc\{key="overflow"\} 2$/m);
    assert.match(page, /^g\{key="a"\} 1\ng\{key="b"\} 1\ng\{key="overflow"\} 1$/m);
    assert.match(page, /^homeostat_metrics_overflow_total\{metric="c"\} 2$/m);
    assert.match(page, /^homeostat_metrics_overflow_total\{metric="g"\} 2$/m, "one for each scrape");
  });
});
