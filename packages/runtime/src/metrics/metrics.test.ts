import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkBuckets, exponentialBuckets, workqueueBuckets } from "./buckets.ts";
import { Counter } from "./counter.ts";
import { formatFloat } from "./float.ts";
import { Gauge } from "./gauge.ts";
import { Histogram } from "./histogram.ts";

const fail = (error: unknown): never => {
  throw error;
};

describe("Counter", () => {
  it("requires a value for each of its labels and no other, checked by the compiler", () => {
    const labelled = new Counter({ name: "a", help: "A.", labels: ["controller", "result"] });
    const plain = new Counter({ name: "b", help: "B." });

    labelled.inc({ controller: "x", result: "ok" });
    labelled.inc({ controller: "x", result: "ok" }, 2);
    plain.inc();
    plain.inc(5);
    const wrong = (): void => {
      // @ts-expect-error: one label is missing
      labelled.inc({ controller: "x" });
      // @ts-expect-error: there is no such label
      labelled.inc({ controller: "x", result: "ok", key: "y" });
      // @ts-expect-error: labels are missing
      labelled.inc();
      // @ts-expect-error: it has no labels
      plain.inc({ controller: "x" });
    };

    assert.equal(typeof wrong, "function");
    assert.deepEqual(labelled.lines(), ['a{controller="x",result="ok"} 3']);
    assert.deepEqual(plain.lines(), ["b 6"]);
  });

  it("can only be increased", () => {
    const counter = new Counter({ name: "a", help: "A." });

    assert.throws(() => counter.inc(-1), { code: "ARGUMENT" });
    assert.throws(() => counter.inc(Number.NaN), { code: "ARGUMENT" });
    assert.equal(counter.with().value, 0);
  });

  it("counts in a series that was fetched before, and drops a removed one", () => {
    const counter = new Counter({ name: "a", help: "A.", labels: ["k"], seriesMax: 1 });
    const series = counter.with({ k: "x" });
    series.inc();
    series.inc(2);

    assert.deepEqual(counter.lines(), ['a{k="x"} 3']);
    assert.equal(counter.remove({ k: "x" }), true);
    assert.equal(counter.remove({ k: "x" }), false);
    counter.inc({ k: "y" });

    assert.deepEqual(counter.lines(), ['a{k="y"} 1'], "the removed series no longer counts towards the limit");
    assert.equal(counter.overflows, 0);
  });

  it("never creates a duplicate series, even for labels with the value overflow", () => {
    const counter = new Counter({ name: "a", help: "A.", labels: ["k"], seriesMax: 1 });
    for (const k of ["overflow", "x", "y", "overflow"]) counter.inc({ k });

    assert.deepEqual(counter.lines(), ['a{k="overflow"} 3', 'a{k="x"} 1']);
    assert.equal(counter.overflows, 1);
  });

  it("accepts label names that are also properties of every object", () => {
    const counter = new Counter({ name: "a", help: "A.", labels: ["constructor", "toString"] });
    const half: unknown = JSON.parse('{"constructor":"__proto__"}');

    counter.inc(half as { constructor: string; toString: string });

    assert.deepEqual(counter.lines(), ['a{constructor="__proto__",toString=""} 1']);
  });

  it("rejects invalid names", () => {
    for (const name of ["", "1a", "a-b", "a b", "ä", "a\n"]) {
      assert.throws(() => new Counter({ name, help: "" }), { code: "ARGUMENT" }, JSON.stringify(name));
      assert.throws(() => new Counter({ name: "a", help: "", labels: [name] }), { code: "ARGUMENT" });
    }
    for (const labels of [["__name"], ["a:b"], ["a", "a"]]) {
      assert.throws(() => new Counter({ name: "a", help: "", labels }), { code: "ARGUMENT" });
    }
    assert.throws(() => new Counter({ name: "a", help: "", seriesMax: 0 }), { code: "ARGUMENT" });
  });
});

describe("Gauge", () => {
  it("can be increased and decreased", () => {
    const gauge = new Gauge({ name: "g", help: "G.", labels: ["k"] });

    gauge.inc({ k: "x" }, 5);
    gauge.dec({ k: "x" });
    gauge.set({ k: "y" }, Number.NaN);
    gauge.with({ k: "z" }).dec(0.5);

    assert.deepEqual(gauge.lines(fail), ['g{k="x"} 4', 'g{k="y"} NaN', 'g{k="z"} -0.5']);
    assert.equal(gauge.remove({ k: "x" }), true);
    assert.equal(gauge.lines(fail).length, 2);
  });

  it("calls its readers on every scrape until they are removed, and stores no values", () => {
    const gauge = new Gauge({ name: "g", help: "G.", labels: ["k"] });
    gauge.set({ k: "x" }, 1);
    let value = 10;
    const reading = gauge.read((set) => {
      set({ k: "x" }, value);
      set({ k: "y" }, -value);
    });

    assert.deepEqual(gauge.lines(fail), ['g{k="x"} 10', 'g{k="y"} -10']);
    value = 11;
    assert.deepEqual(gauge.lines(fail), ['g{k="x"} 11', 'g{k="y"} -11']);
    reading[Symbol.dispose]();

    assert.deepEqual(gauge.lines(fail), ['g{k="x"} 1']);
  });

  it("reads the values of its `read` option on every scrape", () => {
    let value = 1;
    const gauge = new Gauge({ name: "g", help: "G.", labels: ["k"], read: (set) => set({ k: "x" }, value) });
    const plain = new Gauge({ name: "p", help: "P.", read: (set) => set(value) });

    assert.deepEqual([...gauge.lines(fail), ...plain.lines(fail)], ['g{k="x"} 1', "p 1"]);
    value = 2;
    assert.deepEqual([...gauge.lines(fail), ...plain.lines(fail)], ['g{k="x"} 2', "p 2"]);
  });
});

describe("Histogram", () => {
  it("counts a value in every bucket whose bound it does not exceed", () => {
    const histogram = new Histogram({ name: "h", help: "H.", buckets: [-1, 0, 1] });

    for (const value of [-Infinity, -1, -0.5, 0, 0.5, 1, 1.5]) histogram.observe(value);
    histogram.observe(Infinity);

    assert.deepEqual(histogram.with().cumulativeCounts(), [2, 4, 6, 8]);
    assert.throws(() => histogram.observe(Number.NaN), { code: "ARGUMENT" });
    assert.deepEqual(histogram.with().cumulativeCounts(), [2, 4, 6, 8]);
  });

  it("rejects bounds that do not increase and the reserved label le", () => {
    for (const buckets of [[1, 1], [2, 1], [Number.NaN], [-Infinity, 1], [1, Infinity, 2]]) {
      assert.throws(() => new Histogram({ name: "h", help: "H.", buckets }), { code: "ARGUMENT" }, String(buckets));
    }
    assert.throws(() => new Histogram({ name: "h", help: "H.", labels: ["le"] }), { code: "ARGUMENT" });
    assert.deepEqual(checkBuckets("h", [1, Infinity]), [1]);
  });

  it("has exactly the bounds of controller-runtime's workqueue metrics", () => {
    assert.deepEqual(workqueueBuckets.map(formatFloat), [
      "1e-08",
      "1e-07",
      "1e-06",
      "9.999999999999999e-06",
      "9.999999999999999e-05",
      "0.001",
      "0.01",
      "0.1",
      "1",
      "10",
      "100",
      "1000",
    ]);
    assert.deepEqual(exponentialBuckets(1, 2, 4), [1, 2, 4, 8]);
  });
});
