import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import * as fc from "fast-check";
import { Counter } from "./counter.ts";
import { parsePage, type Family } from "../testing/exposition-parser.ts";
import { Gauge } from "./gauge.ts";
import { Histogram } from "./histogram.ts";
import { escapeLabelValue } from "./labels.ts";
import { Registry } from "./registry.ts";

/** Text without unpaired surrogates, as UTF-8 can carry it. */
const text = fc.string({ unit: "binary", maxLength: 12 });
const name = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,6}$/);
const labelName = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,4}$/).filter((label) => label !== "le");
const number = fc.oneof(fc.double(), fc.integer());

const written = fc.record({
  name,
  help: text,
  labels: fc.uniqueArray(labelName, { maxLength: 3 }),
  type: fc.constantFrom("counter" as const, "gauge" as const, "histogram" as const),
  updates: fc.array(fc.tuple(fc.array(text, { minLength: 3, maxLength: 3 }), number), { maxLength: 6 }),
});
type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

describe("the text format", () => {
  it("is parsed back to the written values, for any texts and numbers", () => {
    fc.assert(
      fc.property(fc.uniqueArray(written, { selector: (metric) => metric.name, maxLength: 4 }), (metrics) => {
        const registry = new Registry();
        const expected = new Map<string, Map<string, number>>();
        for (const metric of metrics) {
          // Two generated names may still collide in the sample names of a histogram.
          try {
            expected.set(metric.name, write(registry, metric));
          } catch (error) {
            assert.match(String(error), /is already registered/);
          }
        }

        const families = parsePage(registry.expose());

        assert.deepEqual(
          families.map((family) => family.name),
          families.map((family) => family.name).toSorted(),
        );
        for (const [familyName, samples] of expected) {
          const family = families.find((candidate) => candidate.name === familyName);
          assert.deepEqual(read(family), samples);
          const help = metrics.find((metric) => metric.name === familyName)?.help;
          if (family !== undefined) assert.equal(family.help, help);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("has increasing buckets whose last one equals the count and the number of values", () => {
    const bounds = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(bounds, fc.array(fc.integer({ min: -60, max: 60 }), { maxLength: 30 }), (unsorted, values) => {
        const buckets = unsorted.toSorted((a, b) => a - b);
        const registry = new Registry();
        const histogram = registry.register(new Histogram({ name: "h", help: "", buckets }));
        for (const value of values) histogram.observe(value);

        const samples = parsePage(registry.expose())[0]?.samples ?? [];

        const expected = [...buckets, Infinity].map((bound) => values.filter((value) => value <= bound).length);
        assert.deepEqual(
          samples.map(({ value }) => value),
          [...expected, values.reduce((sum, value) => sum + value, 0), values.length],
        );
      }),
      { numRuns: 300 },
    );
  });

  it("accepts any label value and keeps different values distinct", () => {
    const pieces = [
      '"',
      "\\",
      "\n",
      "\r",
      "\0",
      '"} 1\n',
      "\\n",
      "{",
      "}",
      ",",
      "=",
      "\ud800",
      "\udc00",
      "é",
      "\u2028",
    ];
    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(["", "default/web", "__proto__", 'a"b']), pieces),
      run: (value) => {
        const counter = new Counter({ name: "c", help: "C.", labels: ["a", "b"] });
        counter.inc({ a: value, b: `${value}"` });

        const [line = ""] = counter.lines();
        const [family] = parsePage(`# HELP c C.\n# TYPE c counter\n${line}\n`);

        const whole = Buffer.from(value).toString();
        const read = family?.samples[0]?.labels;
        assert.equal(read?.size, 2);
        assert.equal(read.get("a"), whole);
        assert.equal(read.get("b"), `${whole}"`);
      },
      isExpected: () => false,
    });
  });

  it("escapes in linear time", () => {
    const hostile = '\\"\n\ud800'.repeat(250_000);

    let escaped = "";
    const ms = cpuMs(() => {
      escaped = escapeLabelValue(hostile);
    });

    assert.equal(escaped.length, 7 * 250_000);
    assert.ok(ms < 2000, `${ms} ms`);
  });
});

/** Creates the metric, applies its updates and returns its expected samples by their labels. */
function write(registry: Registry, { name, help, labels, type, updates }: Written): Map<string, number> {
  const samples = new Map<string, number>();
  const options = { name, help, labels };
  const labelsOf = (values: readonly string[]): Record<string, string> =>
    Object.fromEntries(labels.map((label, i) => [label, values[i] ?? ""]));
  const key = (values: readonly string[], suffix = ""): string =>
    JSON.stringify([name + suffix, sorted(labelsOf(values))]);
  if (type === "counter") {
    const counter = registry.register(new Counter<string>(options));
    if (labels.length === 0) samples.set(key([]), 0);
    for (const [values, number] of updates) {
      if (!(number >= 0)) continue;
      counter.inc(labelsOf(values), number);
      samples.set(key(values), (samples.get(key(values)) ?? 0) + number);
    }
  } else if (type === "gauge") {
    const gauge = registry.register(new Gauge<string>(options));
    if (labels.length === 0) samples.set(key([]), 0);
    for (const [values, number] of updates) {
      gauge.set(labelsOf(values), number);
      samples.set(key(values), number + 0);
    }
  } else {
    const histogram = registry.register(new Histogram<string>({ ...options, buckets: [] }));
    const count = (values: readonly string[], number: number, by: number): void => {
      samples.set(key(values, "_sum"), (samples.get(key(values, "_sum")) ?? 0) + number);
      for (const suffix of ["_bucket", "_count"]) {
        samples.set(key(values, suffix), (samples.get(key(values, suffix)) ?? 0) + by);
      }
    };
    if (labels.length === 0) count([], 0, 0);
    for (const [values, number] of updates) {
      if (Number.isNaN(number)) continue;
      histogram.observe(labelsOf(values), number);
      count(values, number, 1);
    }
  }
  return samples;
}

function read(family: Family | undefined): Map<string, number> {
  return new Map(
    (family?.samples ?? []).map((sample) => {
      const labels = Object.fromEntries([...sample.labels].filter(([label]) => label !== "le"));
      return [JSON.stringify([sample.name, sorted(labels)]), sample.value === 0 ? 0 : sample.value];
    }),
  );
}

function sorted(labels: Record<string, string>): [string, string][] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
