import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEnvironment } from "../environment.ts";
import { fromJson } from "../json/from-json.ts";
import { optionalLibrary } from "../standard/optionals.ts";
import { twoVariableLibrary } from "../standard/two-variable.ts";
import { dynType } from "../types/type.ts";
import { formatValue } from "../values/format.ts";

const environment = createEnvironment({
  libraries: [optionalLibrary, twoVariableLibrary],
  variables: { self: dynType },
});

/** Returns the formatted result of an expression, or its error after an exclamation mark. */
function outcome(source: string, json: unknown = {}): string {
  const program = environment.compile(source);
  try {
    return formatValue(program.evaluate({ self: fromJson(json) }));
  } catch (error) {
    return `! ${error instanceof Error ? error.message : String(error)}`;
  }
}

function assertOutcomes(cases: Readonly<Record<string, string>>, json: unknown = {}): void {
  for (const [source, expected] of Object.entries(cases)) assert.equal(outcome(source, json), expected, source);
}

describe("errors", () => {
  it("are absorbed by && and || when the other side decides, on either side", () => {
    assertOutcomes({
      "self.x || true": "true",
      "true || self.x": "true",
      "self.x && false": "false",
      "false && self.x": "false",
      "self.x || false": "! no such key: x",
      "self.x && true": "! no such key: x",
      "self.x && self.y && false": "false",
      "self.x || self.y": "! no such key: x",
    });
  });

  it("of operands that are not booleans are absorbed as well", () => {
    assertOutcomes({ "self.n || true": "true", "self.n && true": "! no such overload" }, { n: 1 });
  });

  it("are not absorbed by the condition of ?:, nor by the branch taken", () => {
    assertOutcomes(
      {
        "self.x ? 1 : 2": "! no such key: x",
        "true ? 1 : self.x": "1",
        "false ? self.x : 2": "2",
        "self.n ? 1 : 2": "! no such overload",
      },
      { n: 1 },
    );
  });

  it("are absorbed by all and exists when another element decides", () => {
    assertOutcomes({
      "[1, 0, 2].exists(x, 2 / x == 1)": "true",
      "[1, 0, 2].all(x, 2 / x == 7)": "false",
      "[0, 1].all(x, 2 / x > 0)": "! division by zero",
      "[0, 1].exists(x, 2 / x == 9)": "! division by zero",
    });
  });

  it("are not absorbed by exists_one, map and filter", () => {
    assertOutcomes({
      "[0, 1].exists_one(x, 1 / x == 1)": "! division by zero",
      "[0, 1].map(x, 1 / x)": "! division by zero",
      "[0, 1].filter(x, 1 / x == 1)": "! division by zero",
    });
  });

  it("of == on values that cannot be compared make != true", () => {
    const typed = createEnvironment({ variables: { list: dynType } });
    const list = fromJson([1], { kind: "list", items: { kind: "int" } });

    assert.throws(() => typed.compile("list == 1").evaluate({ list }), { message: "no such overload" });
    assert.equal(typed.compile("list != 1").evaluate({ list }), true);
  });
});

describe("macros", () => {
  it("iterate over lists and the keys of maps", () => {
    assertOutcomes({
      "[1, 2, 3].all(x, x > 0)": "true",
      "[1, 2, 3].exists_one(x, x > 2)": "true",
      "[1, 2, 3].map(x, x > 1, x * x)": "[4, 9]",
      "[[1], [2, 3]].map(x, x.map(y, y + 1))": "[[2], [3, 4]]",
      "{'a': 1, 'b': 2}.filter(k, k != 'a')": "[b]",
      "[].all(x, x)": "true",
      "{}.exists(x, true)": "false",
    });
  });

  it("iterate with an index or key and a value", () => {
    assertOutcomes({
      "[5, 6].all(i, v, v == i + 5)": "true",
      "{'a': 1}.exists(k, v, k == 'a' && v == 1)": "true",
      "[5, 6].existsOne(i, v, i == 1)": "true",
      "[5, 6].transformList(i, v, i > 0, v)": "[6]",
      "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 10)": "{b: 20}",
      "[7].transformMapEntry(i, v, {v: i})": "{7: 0}",
      "[1, 1].transformMapEntry(i, v, {v: i})": "! insert failed: key 1 already exists",
    });
  });

  it("fail for ranges that are not lists or maps", () => {
    assertOutcomes({ "self.n.all(x, true)": "! got 'types.Int', expected iterable type" }, { n: 1 });
    assertOutcomes({ "self.n.all(i, x, true)": "! unsupported comprehension range type: types.String" }, { n: "a" });
  });

  it("do not change outer variables", () => {
    assertOutcomes({
      "[1].map(self, self + 1)": "[2]",
      "[1].map(x, [10].map(x, x + 1)) == [[11]] && [1].all(x, x == 1)": "true",
      "[1, 2].map(x, [3].map(y, x + y))": "[[4], [5]]",
    });
  });

  it("build large lists in linear time", () => {
    const large = fromJson(Array.from({ length: 50_000 }, (_, index) => index));
    const program = createEnvironment({ variables: { self: dynType } }).compile("self.map(x, x).size()");

    assert.equal(program.evaluate({ self: large }), 50_000n);
  });
});

describe("optionals", () => {
  it("are created by ?, with a value or empty", () => {
    assertOutcomes(
      {
        "self.?a.?b": "optional(1)",
        "self.?a.c": "optional.none()",
        "self.?x.y.z": "optional.none()",
        "self.x.?y": "! no such key: x",
        "self.list[?1]": "optional(2)",
        "self.list[?9]": "optional.none()",
        "self.?a.b.orValue(7)": "1",
        "self.?x.orValue(self.missing)": "! no such key: missing",
        "self.?a.orValue(self.missing).b": "1",
        "self.?x.or(self.?a).value().b": "1",
        "optional.none().value()": "! optional.none() dereference",
        "has(self.?x.y)": "false",
        "has(self.?a.b)": "true",
      },
      { a: { b: 1 }, list: [1, 2] },
    );
  });

  it("omit empty elements and entries of literals", () => {
    assertOutcomes(
      {
        "[?self.?a, ?self.?x, dyn(3)]": "[1, 3]",
        "{?'a': self.?a, ?'x': self.?x, 'c': dyn(3)}": "{a: 1, c: 3}",
        "{'a': dyn(1), ?'a': self.?x}": "{}",
        "[?dyn(1)]": "! cannot initialize optional list element from non-optional value 1",
      },
      { a: 1 },
    );
  });

  it("are evaluated only once by optMap", () => {
    assertOutcomes(
      {
        "self.?a.optMap(x, x + 1)": "optional(2)",
        "self.?x.optMap(x, x + 1)": "optional.none()",
        "self.?a.optFlatMap(x, optional.none())": "optional.none()",
        "optional.ofNonZeroValue(0)": "optional.none()",
        "optional.ofNonZeroValue([0])": "optional([0])",
        "[optional.of(1), optional.none()].unwrapOpt()": "[1]",
        "[1, 2].first().value() + [1, 2].last().value()": "3",
      },
      { a: 1 },
    );
  });
});

describe("access", () => {
  it("finds keys across number types", () => {
    assertOutcomes({
      "{1: 'a'}[dyn(1u)] + {1u: 'b'}[dyn(1)] + {2: 'c'}[dyn(2.0)]": "abc",
      "{1: 'a'}[dyn(1.5)]": "! no such key: 1.5",
      "[1, 2][dyn(1u)]": "2",
      "[1, 2][dyn(0.5)]": "! unsupported index value 0.5 in list",
      "[1, 2][dyn('a')]": "! unsupported index type 'string' in list",
      "dyn(1).a": "! no such key: a",
      "dyn(1)[0]": "! no such key: 0",
      "self[[null][0]]": "! invalid qualifier type: types.Null",
    });
  });

  it("does not treat inherited properties as keys", () => {
    assertOutcomes({
      "self.constructor": "! no such key: constructor",
      "has(self.toString)": "false",
      "'__proto__' in self": "false",
      "{'__proto__': 1}.__proto__": "1",
    });
  });

  it("aborts an evaluation that looks up bytes, as the API server does", () => {
    assertOutcomes({
      "dyn(b'a') in {'a': 1} || true": "! internal error: runtime error: hash of unhashable type types.Bytes",
    });
  });

  it("finds members of a literal list across number types", () => {
    assertOutcomes(
      {
        "self.n in [1, 2]": "true",
        "self.f in [1.5, 2.0]": "true",
        "self.n in [1.0, 2.0]": "true",
        "self.s in ['a', 'b']": "false",
        "self.s in []": "false",
      },
      { n: 2, f: 1.5, s: "c" },
    );
  });
});
