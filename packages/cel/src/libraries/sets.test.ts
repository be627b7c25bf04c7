import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { intType, listType } from "../types/type.ts";
import { listOf } from "../values/collections.ts";
import { setLibrary } from "./sets.ts";

const ints = listType(intType);
const environment = createEnvironment({ libraries: [setLibrary], variables: { a: ints, b: ints } });

describe("the library of sets", () => {
  it("agrees with JavaScript sets of numbers", () => {
    const contains = environment.compile("sets.contains(a, b)");
    const intersects = environment.compile("sets.intersects(a, b)");
    const equivalent = environment.compile("sets.equivalent(a, b)");
    const elements = fc.array(fc.bigInt({ min: 0n, max: 4n }), { maxLength: 5 });

    fc.assert(
      fc.property(elements, elements, (left, right) => {
        const bindings = { a: listOf(left), b: listOf(right) };
        const covers = right.every((element) => left.includes(element));

        assert.equal(contains.evaluate(bindings), covers);
        assert.equal(
          intersects.evaluate(bindings),
          right.some((element) => left.includes(element)),
        );
        assert.equal(equivalent.evaluate(bindings), covers && left.every((element) => right.includes(element)));
      }),
    );
  });

  it("treats equal numbers of different types as equal", () => {
    assert.equal(environment.compile("sets.equivalent([dyn(1), dyn(2)], [dyn(2u), dyn(1.0)])").evaluate({}), true);
  });

  it("is charged for every pair", () => {
    const bindings = { a: listOf([1n, 2n, 3n]), b: listOf([4n, 5n]) };

    const { cost } = environment.compile("sets.equivalent(a, b)").evaluateWithCost(bindings);

    assert.equal(cost, 2 + 1 + 3 * 2 * 2, "two variables, the call, and the pairs in both directions");
  });
});
