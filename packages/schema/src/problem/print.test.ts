import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { quote } from "@homeostat/cel";
import { compareText, printFloat, printJson, printNumber, printValue } from "./print.ts";
import { isInt64 } from "../value/int64.ts";

describe("printValue", () => {
  it("quotes strings with the escapes of Go", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["plain", '"plain"'],
      ['say "hi"\\', '"say \\"hi\\"\\\\"'],
      ["\u0007\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
      ["\u0000\u007f", '"\\x00\\x7f"'],
      ["é😀 ok", '"é😀 ok"'],
      ["\u00a0\u00ad\u{e0001}", '"\\u00a0\\u00ad\\U000e0001"'],
      ["\ud800", '"\ufffd"'],
    ];

    for (const [text, printed] of cases) assert.equal(quote(text), printed);
  });

  it("prints integers in full and floats as %v does", () => {
    assert.equal(printNumber(1_000_000), "1000000");
    assert.equal(printNumber(-0), "0");
    assert.equal(printNumber(2 ** 62), "4611686018427387904");
    assert.equal(printNumber(9223372036854775807n), "9223372036854775807");
    assert.equal(printNumber(1e20), "1e+20");
    assert.equal(printNumber(1_000_000.5), "1.0000005e+06");
    assert.equal(printFloat(1_000_000), "1e+06");
    assert.equal(printFloat(0.0001), "0.0001");
    assert.equal(printFloat(0.00001), "1e-05");
    assert.equal(printFloat(123456.5), "123456.5");
  });

  it("prints other values as JSON with sorted keys and escaped angle brackets", () => {
    assert.equal(printValue({ b: [1, 1.5, "<&>"], a: null }), '{"a":null,"b":[1,1.5,"\\u003c\\u0026\\u003e"]}');
    assert.equal(printValue(true), "true");
    assert.equal(printValue(null), "null");
    assert.equal(printJson({ é: 1, z: 2 }), '{"z":2,"é":1}');
  });

  it("stops at a maximum depth", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];

    const printed = printValue(deep);

    assert.ok(printed.includes("…") && printed.length < 3_000);
  });
});

describe("compareText", () => {
  it("orders by code point, not by code unit", () => {
    const sorted = ["\u{1f600}", "\uffff", "b", "a", "ab", ""].sort(compareText);

    assert.deepEqual(sorted, ["", "a", "ab", "b", "\uffff", "\u{1f600}"]);
  });
});

describe("isInt64", () => {
  it("is true for integers of 64 bits", () => {
    for (const value of [0, -1, 2 ** 53, -(2 ** 63), 9223372036854775807n]) assert.equal(isInt64(value), true);
    for (const value of [0.5, 2 ** 63, 1e300, NaN, 9223372036854775808n, "1", null])
      assert.equal(isInt64(value), false);
  });
});
