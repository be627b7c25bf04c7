import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anyText } from "@homeostat/fuzz/any-text";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { CelCompileError, CelEvaluationError } from "../errors.ts";
import { intType, stringType } from "../types/type.ts";
import { elementsOf } from "../values/collections.ts";
import { CelList, type CelValue } from "../values/value.ts";
import { stringLibrary } from "./strings.ts";

const environment = createEnvironment({
  libraries: [stringLibrary],
  variables: { text: stringType, part: stringType, index: intType },
});

function evaluate(expression: string, bindings: Record<string, CelValue> = {}): unknown {
  const value = environment.compile(expression).evaluate({ text: "", part: "", index: 0n, ...bindings });
  return value instanceof CelList ? elementsOf(value) : value;
}

function failsWith(expression: string, message: string): void {
  assert.throws(() => evaluate(expression), new CelEvaluationError(message));
}

function refusedWith(expression: string, message: string): void {
  assert.throws(
    () => environment.compile(expression),
    (error) => error instanceof CelCompileError && error.issues[0]?.message === message,
  );
}

const texts = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀") });

describe("the strings extension", () => {
  it("counts code points", () => {
    fc.assert(
      fc.property(texts, fc.nat({ max: 12 }), (text, at) => {
        const points = Array.from(text);
        const index = Math.min(at, points.length);

        assert.equal(evaluate("text.charAt(index)", { text, index: BigInt(index) }), points[index] ?? "");
        assert.equal(evaluate("text.substring(index)", { text, index: BigInt(index) }), points.slice(index).join(""));
        assert.equal(
          evaluate("text.substring(0, index)", { text, index: BigInt(index) }),
          points.slice(0, index).join(""),
        );
      }),
    );
  });

  it("finds substrings from either end", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom("a", "ab", "😀", "é😀"), (text, part) => {
        const first = Number(evaluate("text.indexOf(part)", { text, part }));
        const last = Number(evaluate("text.lastIndexOf(part)", { text, part }));

        assert.equal(first, text.includes(part) ? Array.from(text.slice(0, text.indexOf(part))).length : -1);
        assert.equal(last, text.includes(part) ? Array.from(text.slice(0, text.lastIndexOf(part))).length : -1);
      }),
    );
    assert.equal(evaluate("'😀a😀'.indexOf('😀', 1)"), 2n);
    assert.equal(evaluate("'😀a😀'.lastIndexOf('😀', 1)"), 0n);
    assert.equal(evaluate("'abc'.indexOf('', 7)"), 7n, "nothing is everywhere, even outside");
    failsWith("'abc'.indexOf('a', -1)", "index out of range: -1");
  });

  it("reports the index that is out of range", () => {
    failsWith("'a'.charAt(5)", "index out of range: 5");
    failsWith("'😀'.substring(2)", "index out of range: 2");
    failsWith("'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1");
  });

  it("splits and joins as inverse operations", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom("a", "é", ""), (text, part) => {
        assert.equal(evaluate("text.split(part).join(part)", { text, part }), text);
      }),
    );
    assert.deepEqual(evaluate("'a,b,c'.split(',', 2)"), ["a", "b,c"]);
    assert.deepEqual(evaluate("'😀b'.split('')"), ["😀", "b"]);
    assert.deepEqual(evaluate("'a'.split(',', 0)"), []);
    failsWith("[dyn('a'), dyn(1)].join()", "join: invalid input: 1");
  });

  it("replaces all or some occurrences", () => {
    assert.equal(evaluate("'aaa'.replace('a', 'bb')"), "bbbbbb");
    assert.equal(evaluate("'aaa'.replace('a', 'bb', 2)"), "bbbba");
    assert.equal(evaluate("'😀x'.replace('', '-')"), "-😀-x-");
    assert.equal(evaluate("'aaa'.replace('a', '$&', 1)"), "$&aa", "no character of a replacement is special");
  });

  it("converts the case of ASCII letters only, and trims Unicode white space", () => {
    assert.equal(evaluate("'TacoCÆt'.lowerAscii()"), "tacocÆt");
    assert.equal(evaluate("'tacocæt'.upperAscii()"), "TACOCæT");
    assert.equal(evaluate("text.trim()", { text: "\u0085\u3000 x\u00a0\n" }), "x");
    assert.equal(evaluate("text.trim()", { text: "\ufeffx" }), "\ufeffx", "a byte order mark is none");
  });

  it("quotes with the short escapes", () => {
    assert.equal(evaluate("strings.quote(text)", { text: 'a"b\\\n\x07\u0001é' }), '"a\\"b\\\\\\n\\a\u0001é"');
  });
});

describe("format", () => {
  it("fills clauses by verb", () => {
    assert.equal(
      evaluate("'%s is %d, %.2f, %b, %x, %X, %o, 100%%'.format(['x', 5, 2.5, 5, 255, 'é', 8])"),
      "x is 5, 2.50, 101, ff, C3A9, 10, 100%",
    );
    assert.equal(evaluate("'%s'.format([[1, 'a', 2.5, null, b'x']])"), '[1, "a", 2.500000, null, b"x"]');
    assert.equal(evaluate("'%s'.format([{'b': 1, 'a': duration('90s')}])"), '{"a":duration("90s"), "b":1}');
    assert.equal(evaluate("'%s'.format([type(1)])"), "int");
    assert.equal(evaluate("'%f %e'.format(['Infinity', 'NaN'])"), "∞    NaN");
  });

  it("rejects invalid literals at compile time", () => {
    refusedWith(
      "'%d'.format(['x'])",
      "error during formatting: decimal clause can only be used on integers, was given string",
    );
    refusedWith("'%s %s'.format([1])", "index 1 out of range");
    refusedWith("'%s'.format([1, 2])", "too many arguments supplied to string.format (expected 1, got 2)");
    refusedWith("'%z'.format([1])", 'could not parse formatting clause: unrecognized formatting clause "z"');
    refusedWith("'%'.format([])", "unexpected end of string");
  });

  it("rejects other invalid arguments at run time", () => {
    assert.throws(
      () => evaluate("text.format([1])", { text: "%s %s" }),
      new CelEvaluationError("index 1 out of range"),
    );
    assert.throws(() => evaluate("text.format([])", { text: "%" }), new CelEvaluationError("index 0 out of range"));
    assert.throws(
      () => evaluate("text.format([dyn('x')])", { text: "%d" }),
      new CelEvaluationError("error during formatting: decimal clause can only be used on integers, was given string"),
    );
    assert.equal(evaluate("text.format([1, 2])", { text: "%s" }), "1", "too many are no mistake by then");
  });

  it("returns a string without clauses unchanged", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plain = text.replaceAll("%", "");

        assert.equal(evaluate("text.format([])", { text: plain }), plain);
      }),
    );
  });
});
