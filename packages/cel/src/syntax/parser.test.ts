import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatValue } from "../values/format.ts";
import type { Expr } from "./ast.ts";
import { macroTable } from "./macro.ts";
import { standardMacros } from "./macros.ts";
import { parse } from "./parser.ts";
import { walk } from "./walk.ts";

const options = { macros: macroTable(standardMacros), optionalSyntax: true };

/** Formats an expression with parentheses around every subexpression. */
function show(source: string): string {
  const { expr, problems } = parse(source, options);
  return expr === undefined ? problems.map(({ offset, message }) => `${offset}: ${message}`).join("; ") : write(expr);
}

function write(expr: Expr): string {
  switch (expr.kind) {
    case "literal":
      return typeof expr.value === "string" ? JSON.stringify(expr.value) : formatValue(expr.value);
    case "ident":
      return expr.name;
    case "select":
      return expr.test ? `has(${write(expr.operand)}.${expr.field})` : `${write(expr.operand)}.${expr.field}`;
    case "call": {
      const target = expr.target === undefined ? "" : `${write(expr.target)}.`;
      return `${target}${expr.name}(${expr.args.map(write).join(", ")})`;
    }
    case "list":
      return `[${expr.elements.map((element, index) => (expr.optional.has(index) ? "?" : "") + write(element)).join(", ")}]`;
    case "map":
      return `{${expr.entries.map(({ key, value, optional }) => `${optional ? "?" : ""}${write(key)}: ${write(value)}`).join(", ")}}`;
    case "struct":
      return `${expr.name}{${expr.fields.map(({ field, value }) => `${field}: ${write(value)}`).join(", ")}}`;
    case "comprehension":
      return `fold(${write(expr.range)}, ${expr.variable}, ${write(expr.initial)}, ${write(expr.step)})`;
  }
}

describe("the parser", () => {
  const trees: Readonly<Record<string, string>> = {
    "1 + 2 * 3 - 4": "_-_(_+_(1, _*_(2, 3)), 4)",
    "1 < 2 == true": "_==_(_<_(1, 2), true)",
    "a || b && c || d": "_||_(a, _&&_(b, c), d)",
    "a ? b : c ? d : e": "_?_:_(a, b, _?_:_(c, d, e))",
    "!!a": "a",
    "!!!a": "!_(a)",
    "-1": "-1",
    "- 1": "-1",
    "--1": "1",
    "---1": "-_(1)",
    "-a.b": "-_(a.b)",
    "-1.size()": "-1.size()",
    "1 -1": "_-_(1, 1)",
    "a.b.c": "a.b.c",
    "a.b(c)[d]": "_[_](a.b(c), d)",
    ".a.b": ".a.b",
    "a.?b[?c]": '_[?_](_?._(a, "b"), c)',
    "[1, ?a, 2,]": "[1, ?a, 2]",
    "[,]": "[]",
    "{'a': 1, ?b: 2,}": '{"a": 1, ?b: 2}',
    "a.b.C{d: 1, e: 2}": "a.b.C{d: 1, e: 2}",
    "C{}": "C{}",
    "x in y": "@in(x, y)",
    in_y: "in_y",
    "a.package": "a.package",
    "has(a.b.c)": "has(a.b.c)",
    "(1 + 2) * 3": "_*_(_+_(1, 2), 3)",
    "1 // one\n+ 2": "_+_(1, 2)",
    "x.exists_one(y, y)": "fold(x, y, 0, _?_:_(y, _+_(@result, 1), @result))",
    "x.filter(y, y)": "fold(x, y, [], _?_:_(y, _+_(@result, [y]), @result))",
  };

  for (const [source, tree] of Object.entries(trees)) {
    it(`parses ${JSON.stringify(source)}`, () => {
      assert.equal(show(source), tree);
    });
  }

  const literals: Readonly<Record<string, string>> = {
    "0x1F": "31",
    "-9223372036854775808": "-9223372036854775808",
    "9223372036854775808": "0: invalid int literal",
    "18446744073709551616u": "0: invalid uint literal",
    "1e3": "1000",
    ".5": "0.5",
    "1e999": "0: invalid double literal",
    "'a\\n\\x41\\u00e9\\U0001F62C\\101'": '"a\\nAé😬A"',
    '"""a"b""c"""': '"a\\"b\\"\\"c"',
    "'''a\r\nb'''": '"a\\nb"',
    "r'\\n\\'": '"\\\\n\\\\"',
    "'\\ud800'": "0: invalid unicode code point",
    "''": '""',
  };

  for (const [source, value] of Object.entries(literals)) {
    it(`parses the literal ${JSON.stringify(source)}`, () => {
      assert.equal(show(source), value);
    });
  }

  const problems: Readonly<Record<string, string>> = {
    "": "0: Syntax error: mismatched input '<EOF>' expecting",
    "1 +": "3: Syntax error: mismatched input '<EOF>' expecting",
    "(1": "2: Syntax error: missing ')' at '<EOF>'",
    "1 2": "2: Syntax error: extraneous input '2' expecting <EOF>",
    "a.true": "2: Syntax error: mismatched input 'true' expecting IDENTIFIER",
    "a.'b'": "2: Syntax error: no viable alternative at input '.'b''",
    "a & b": "2: Syntax error: token recognition error at: '& '",
    "'abc": "0: Syntax error: token recognition error at: ''abc'",
    "a.`b`": "2: unsupported syntax: '`'",
    package: "0: reserved identifier: package",
    "has(a)": "4: invalid argument to has() macro",
    "[1].all(1, true)": "8: argument must be a simple name",
    "[1].map(__result__, 1)": "8: iteration variable overwrites accumulator variable",
    "a{b: 1,, }": "7: Syntax error: ",
  };

  for (const [source, problem] of Object.entries(problems)) {
    it(`rejects ${JSON.stringify(source)}`, () => {
      assert.ok(show(source).startsWith(problem), show(source));
    });
  }

  it("has the same nesting limits as the API server", () => {
    assert.equal(show(`${"(".repeat(249)}1${")".repeat(249)}`), "1");
    assert.equal(show(`${"(".repeat(250)}1${")".repeat(250)}`), "-1: expression recursion limit exceeded: 250");
    assert.notEqual(show(`1${"+1".repeat(250)}`), "-1: max recursion depth exceeded");
    assert.equal(show(`1${"+1".repeat(251)}`), "-1: max recursion depth exceeded");
    assert.equal(show(`a${".b".repeat(251)}`), "-1: max recursion depth exceeded");
  });

  it("accepts any number of terms of && and ||", () => {
    assert.ok(show(`a${" && a".repeat(5_000)}`).startsWith("_&&_(a, a"));
  });

  it("rejects a source of more than 100,000 code points", () => {
    assert.equal(show(" ".repeat(100_001)), "-1: expression code point size exceeds limit: size: 100001, limit 100000");
    assert.equal(show(`'${"😬".repeat(99_998)}'.size()`).startsWith("-1: expression code point size"), true);
  });

  it("assigns a unique id to every node", () => {
    const ids: number[] = [];
    const { expr } = parse("x.map(a, a > 1, [a, {a: b.c(d)}])", options);
    assert.ok(expr !== undefined);

    walk(expr, ({ id }) => {
      ids.push(id);
    });

    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.length > 15);
  });
});
