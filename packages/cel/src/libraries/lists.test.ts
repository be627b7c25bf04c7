import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { CelCompileError, CelEvaluationError } from "../errors.ts";
import { dynType, intType, listType } from "../types/type.ts";
import { elementsOf, listOf } from "../values/collections.ts";
import { CelList, type CelValue } from "../values/value.ts";
import { listExtensionLibrary } from "./list-extension.ts";
import { listLibrary } from "./lists.ts";

const environment = createEnvironment({
  libraries: [listLibrary, listExtensionLibrary],
  variables: { ints: listType(intType), any: dynType },
});

function evaluate(expression: string, bindings: Record<string, CelValue> = {}): unknown {
  const value = environment.compile(expression).evaluate({ ints: listOf([]), any: null, ...bindings });
  return value instanceof CelList ? elementsOf(value) : value;
}

function failsWith(expression: string, message: string): void {
  assert.throws(() => evaluate(expression), new CelEvaluationError(message));
}

describe("the list library of Kubernetes", () => {
  it("reports whether a list is sorted", () => {
    assert.equal(evaluate("[1, 2, 2, 3].isSorted()"), true);
    assert.equal(evaluate("['b', 'a'].isSorted()"), false);
    assert.equal(evaluate("[].isSorted()"), true);
  });

  it("finds the smallest and the largest element", () => {
    assert.equal(evaluate("[3, 1, 2].min()"), 1n);
    assert.equal(evaluate("['a', '😀', '\\uffff'].max()"), "😀", "by code point, not by 16-bit unit");
    failsWith("ints.min()", "min called on empty list");
    failsWith("ints.max()", "max called on empty list");
  });

  it("sums numbers and durations, and fails on overflow", () => {
    assert.equal(evaluate("[1, 2, 3].sum()"), 6n);
    assert.equal(evaluate("[0.5, 0.25].sum()"), 0.75);
    assert.equal(evaluate("ints.sum()"), 0n);
    assert.equal(evaluate("[duration('1m'), duration('1s')].sum() == duration('61s')"), true);
    failsWith("[9223372036854775807, 1].sum()", "integer overflow");
    failsWith("[18446744073709551615u, 1u].sum()", "unsigned integer overflow");
  });

  it("finds the index of an element from either end", () => {
    assert.equal(evaluate("[1, 2, 2, 3].indexOf(2)"), 1n);
    assert.equal(evaluate("[1, 2, 2, 3].lastIndexOf(2)"), 2n);
    assert.equal(evaluate("[1, 2].indexOf(5)"), -1n);
  });

  it("uses the type of the first element for lists of type dyn", () => {
    assert.equal(evaluate("any.sum()", { any: listOf([1.5, 2.5]) }), 4);
    assert.throws(
      () => evaluate("any.sum()", { any: listOf(["a"]) }),
      new CelEvaluationError("no such overload: sum(list)"),
    );
  });
});

describe("the lists extension", () => {
  it("returns slices and reports invalid indexes", () => {
    assert.deepEqual(evaluate("[1, 2, 3, 4].slice(1, 3)"), [2n, 3n]);
    assert.deepEqual(evaluate("[1].slice(1, 1)"), []);
    failsWith("[1].slice(-1, 1)", "cannot slice(-1, 1), negative indexes not supported");
    failsWith("[1].slice(1, 0)", "cannot slice(1, 0), start index must be less than or equal to end index");
    failsWith("[1].slice(0, 2)", "cannot slice(0, 2), list is length 1");
  });

  it("flattens to the given depth", () => {
    assert.deepEqual(evaluate("[[1, 2], [3]].flatten()"), [1n, 2n, 3n]);
    assert.equal(evaluate("size([dyn(1), dyn([dyn(2), dyn([3])])].flatten(2))"), 3n);
    assert.deepEqual(evaluate("any.flatten()", { any: listOf([1n]) }), [1n]);
    failsWith("[[1]].flatten(-1)", "level must be non-negative");
    assert.throws(
      () => evaluate("any.flatten()", { any: "text" }),
      new CelEvaluationError("no such overload: string.flatten()"),
    );
  });

  it("creates large ranges without allocating them", () => {
    assert.deepEqual(evaluate("lists.range(3)"), [0n, 1n, 2n]);
    assert.deepEqual(evaluate("lists.range(-5)"), []);
    assert.equal(evaluate("size(lists.range(1000000000000))"), 1_000_000_000_000n);
    failsWith("lists.range(9223372036854775807)", "operation cancelled: actual cost limit exceeded");
  });

  it("reverses, and removes duplicates", () => {
    assert.deepEqual(evaluate("['a', 'b', 'c'].reverse()"), ["c", "b", "a"]);
    assert.deepEqual(evaluate("['a', 'b', 'a'].distinct()"), ["a", "b"]);
    assert.deepEqual(evaluate("[dyn(1), dyn(1.0), dyn('1')].distinct()"), [1n, "1"]);
  });

  it("sorts, also by a key, and keeps the order of equal keys", () => {
    assert.deepEqual(evaluate("[3, 1, 2].sort()"), [1n, 2n, 3n]);
    assert.deepEqual(evaluate("['bb', 'a', 'cc'].sortBy(s, s.size())"), ["a", "bb", "cc"]);
    assert.deepEqual(evaluate("[1, 2, 3].sortBy(x, -x)"), [3n, 2n, 1n]);
    failsWith("[dyn(1), dyn('a')].sort()", "list elements must have the same type");
    failsWith("[dyn([1]), dyn([2])].sort()", "list elements must be comparable");
    assert.throws(() => environment.compile("'x'.sortBy(a, a)"), CelCompileError);
  });

  it("sorts any list of ints", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -50n, max: 50n }), { maxLength: 40 }), (ints) => {
        const sorted = ints.toSorted((left, right) => Number(left - right));

        assert.deepEqual(evaluate("ints.sort()", { ints: listOf(ints) }), sorted);
        assert.deepEqual(evaluate("ints.sortBy(x, -x).reverse().isSorted()", { ints: listOf(ints) }), true);
      }),
    );
  });
});
