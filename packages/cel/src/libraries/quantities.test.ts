import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { CelEvaluationError } from "../errors.ts";
import { stringType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";
import { quantityLibrary, QuantityValue } from "./quantities.ts";

const environment = createEnvironment({ libraries: [quantityLibrary], variables: { a: stringType, b: stringType } });

function evaluate(expression: string, bindings: Record<string, CelValue> = {}): CelValue {
  return environment.compile(expression).evaluate({ a: "", b: "", ...bindings });
}

function print(expression: string): string {
  const value = evaluate(expression);
  assert.ok(value instanceof QuantityValue);
  return value.quantity.toString();
}

function failsWith(expression: string, message: string): void {
  assert.throws(() => evaluate(expression), new CelEvaluationError(message));
}

describe("the library of quantities", () => {
  it("parses, adds and subtracts exactly", () => {
    assert.equal(print("quantity('1.5Gi').add(quantity('512Mi'))"), "2Gi");
    assert.equal(print("quantity('100m').sub(quantity('1'))"), "-900m");
    assert.equal(print("quantity('50k').add(20).sub(quantity('100k')).sub(-50000)"), "20");
  });

  it("compares by size, whatever the form", () => {
    assert.equal(evaluate("quantity('200M').compareTo(quantity('0.2G'))"), 0n);
    assert.equal(evaluate("quantity('50Mi').isGreaterThan(quantity('50M'))"), true);
    assert.equal(evaluate("quantity('100M').isLessThan(quantity('50M'))"), false);
    assert.equal(evaluate("quantity('1') == quantity('1000m')"), true);
  });

  it("treats a computed quantity on the right as unequal, as Kubernetes does", () => {
    assert.equal(evaluate("quantity('1').add(1) == quantity('2')"), true);
    failsWith("quantity('2') == quantity('1').add(1)", "no such overload");
  });

  it("converts quantities to numbers if they are representable", () => {
    assert.equal(evaluate("quantity('50k').asInteger()"), 50_000n);
    assert.equal(evaluate("quantity('1.5').isInteger()"), false);
    assert.equal(evaluate("quantity('1.5').asApproximateFloat()"), 1.5);
    assert.equal(evaluate("sign(quantity('-3'))"), -1n);
    failsWith("quantity('1.5').asInteger()", "cannot convert value to integer");
  });

  it("reports a malformed quantity with one of three messages", () => {
    const pattern = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    for (const text of ["", " ", "1 k", "Three", "1,3G", "1.2.3", "0x10", "1e3k"]) {
      assert.throws(() => evaluate("quantity(a)", { a: text }), new CelEvaluationError(pattern), text);
    }
    for (const text of ["200K", "1kk", "1e", "1i", "--1"]) {
      const problem = new CelEvaluationError("unable to parse quantity's suffix");
      assert.throws(() => evaluate("quantity(a)", { a: text }), problem, text);
    }
    failsWith("quantity('Ei')", "unable to parse numeric part of quantity");
  });

  it("has an order: exactly one of less, equal and greater", () => {
    const text = fc
      .tuple(fc.integer({ min: -5000, max: 5000 }), fc.constantFrom("", "m", "k", "Ki", "M", "e2"))
      .map(([size, suffix]) => `${size}${suffix}`);
    const less = environment.compile("quantity(a).isLessThan(quantity(b))");
    const equal = environment.compile("quantity(a) == quantity(b)");
    const greater = environment.compile("quantity(a).isGreaterThan(quantity(b))");

    fc.assert(
      fc.property(text, text, (a, b) => {
        const answers = [less, equal, greater].map((program) => program.evaluate({ a, b }));

        assert.equal(answers.filter((holds) => holds === true).length, 1, `${a} ${b}`);
      }),
    );
  });
});
