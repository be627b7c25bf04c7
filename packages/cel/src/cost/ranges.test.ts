import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEnvironment } from "../environment.ts";
import { listType, stringType } from "../types/type.ts";
import { listOf } from "../values/collections.ts";
import { add, exactly, multiply, scale, unbounded, union, unknownRange } from "./ranges.ts";

describe("ranges", () => {
  it("are capped at 2^64", () => {
    assert.deepEqual(add(unknownRange, exactly(1)), { min: 1, max: unbounded });
    assert.equal(multiply(unknownRange, exactly(10)).max, unbounded);
    assert.equal(multiply(unknownRange, exactly(0)).max, 0);
    assert.equal(scale(unknownRange, 10).max, unbounded);
  });

  it("are rounded up when scaled", () => {
    assert.deepEqual(scale({ min: 1, max: 11 }, 0.1), { min: 1, max: 2 });
  });

  it("are united to the smallest range that includes both", () => {
    assert.deepEqual(union({ min: 2, max: 3 }, { min: 1, max: 2 }), { min: 1, max: 3 });
  });
});

describe("an estimate", () => {
  const environment = createEnvironment({ variables: { names: listType(stringType) } });
  const sizes = (path: readonly string[]) =>
    ({ names: { min: 0, max: 10 }, "names.@items": { min: 0, max: 100 } })[path.join(".")];

  it("multiplies the cost of a fold by the maximum number of elements", () => {
    const program = environment.compile("names.all(n, n.startsWith('a'))");

    assert.deepEqual(program.estimateCost(sizes), { min: 2, max: 52 });
  });

  it("is unbounded without a size limit", () => {
    const program = environment.compile("names.all(n, names.all(m, n != m))");

    assert.equal(program.estimateCost().max, unbounded);
    assert.equal(program.estimateCost().min, 2);
  });

  it("bounds the cost of evaluations", () => {
    const program = environment.compile("names.exists(n, names.exists_one(m, m == n + 'x'))");

    const { cost } = program.evaluateWithCost({ names: listOf(["a", "b", "ax"]) });
    const estimate = program.estimateCost(sizes);

    assert.ok(cost >= estimate.min && cost <= estimate.max, `${cost} in ${estimate.min}..${estimate.max}`);
  });
});
