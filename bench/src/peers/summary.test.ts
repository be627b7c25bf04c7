import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { percentile, type Sample, summarise } from "./summary.ts";
import { formatTable } from "./table.ts";

function sample(runtime: string, round: number, values: Record<string, number>): Sample {
  return { runtime, round, values };
}

const samples: readonly Sample[] = [
  sample("homeostat", 1, { wall: 1 }),
  sample("go-typed", 1, { wall: 100 }),
  sample("homeostat", 2, { wall: 3 }),
  sample("go-typed", 2, { wall: 4 }),
  sample("homeostat", 3, { wall: 2 }),
  sample("go-typed", 3, { wall: 2 }),
];

describe("summarise", () => {
  it("computes medians and their ratios to the reference", () => {
    const [ours, reference] = summarise(samples, ["homeostat", "go-typed"]);

    assert.deepEqual(ours?.measures, { wall: { median: 2, min: 1, max: 3, ratio: 0.5 } });
    assert.deepEqual(reference?.measures, { wall: { median: 4, min: 2, max: 100, ratio: 1 } });
  });

  it("has no ratio without a reference or with a reference of zero", () => {
    const [alone] = summarise([sample("kube-rs", 1, { wall: 2 })], ["kube-rs"]);
    const [, zero] = summarise(
      [sample("go-typed", 1, { conflicts: 0 }), sample("kube-rs", 1, { conflicts: 7 })],
      ["go-typed", "kube-rs"],
    );

    assert.equal(alone?.measures["wall"]?.ratio, undefined);
    assert.equal(zero?.measures["conflicts"]?.ratio, undefined);
  });

  it("excludes failed rounds and keeps their errors", () => {
    const failed: Sample = { runtime: "homeostat", round: 4, values: { wall: 999 }, error: "ended with 1" };

    const [ours] = summarise([...samples, failed], ["homeostat", "go-typed"]);

    assert.equal(ours?.measures["wall"]?.median, 2);
    assert.deepEqual(ours?.errors, ["ended with 1"]);
    assert.equal(ours?.rounds, 3);
  });
});

describe("percentile", () => {
  it("is the value at the nearest rank", () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);

    assert.equal(percentile(values, 0.5), 50);
    assert.equal(percentile(values, 0.99), 99);
    assert.equal(percentile(values, 1), 100);
    assert.equal(percentile([7], 0.99), 7);
    assert.ok(Number.isNaN(percentile([], 0.5)));
  });
});

describe("formatTable", () => {
  const columns = [
    { measure: "wall", title: "wall, s", digits: 2 },
    { measure: "conflicts", title: "409s", digits: 0, isPlain: true },
    { measure: "unknown", title: "never measured", digits: 0 },
  ];

  it("shows medians and ratios, and only columns with values", () => {
    const rows = summarise([...samples, sample("kube-rs", 1, { conflicts: 3 })], ["homeostat", "go-typed", "kube-rs"]);

    assert.equal(
      formatTable(columns, rows),
      [
        "| runtime   |     wall, s | 409s |",
        "| --------- | ----------: | ---: |",
        "| homeostat | 2.00 (0.50) |    – |",
        "| go-typed  | 4.00 (1.00) |    – |",
        "| kube-rs   |           – |    3 |",
      ].join("\n"),
    );
  });

  it("shows the number of failed rounds", () => {
    const rows = summarise([{ runtime: "kube-rs", round: 1, values: {}, error: "no" }], ["kube-rs"]);

    assert.match(formatTable(columns, rows), /kube-rs \(1 of 1 failed\)/);
  });
});
