import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ParseError } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { RE2JS } from "re2js";
import { isLinear } from "./ambiguity.ts";
import { compilePattern, patternLengthMax } from "./pattern.ts";
import { parseSubset } from "./subset.ts";

function problemOf(source: string): string {
  try {
    compilePattern(source);
  } catch (error) {
    assert.ok(error instanceof ParseError);
    return error.problem;
  }
  return "";
}

describe("compilePattern", () => {
  it("uses RE2 syntax where it differs from JavaScript", () => {
    const cases: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
      ["^a$", "a", true],
      ["^a$", "a\n", false],
      ["a.c", "a\rc", true],
      ["a.c", "a\nc", false],
      ["^\\s$", "\u00a0", false],
      ["^\\s$", "\v", false],
      ["^\\d$", "٣", false],
      ["^.$", "😀", true],
      ["^[^a]$", "😀", true],
      ["(?i)straße", "STRAßE", true],
      ["\\Aab\\z", "ab", true],
      ["[[:alpha:]]", "x", true],
      ["^\\pL+$", "éß", true],
      ["(?P<year>[0-9]{4})", "in 2024", true],
      ["^a{,2}$", "a{,2}", true],
      ["\\Qa.b\\E", "a.b", true],
      ["[]a]", "]", true],
      ["^(?:ab|cd){2}$", "abcd", true],
      ["\\-\\/\\.", "-/.", true],
    ];

    for (const [pattern, text, matches] of cases) {
      assert.equal(compilePattern(pattern).test(text), matches, `${pattern} on ${JSON.stringify(text)}`);
    }
  });

  it("rejects what RE2 rejects, with its messages", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["(?=x)", "invalid or unsupported Perl syntax: `(?=`"],
      ["(?<!x)", "invalid named capture: `(?<!x)`"],
      ["(a)\\1", "invalid escape sequence: `\\1`"],
      ["a{1001}", "invalid repeat count: `{1001}`"],
      ["(a{100}){100}", "invalid repeat count: `{100}`"],
      ["a(", "missing closing ): `a(`"],
      ["[b-a]", "invalid character class range: `b-a`"],
      ["a**", "invalid nested repetition operator: `**`"],
      ["a\\", "trailing backslash at end of expression: ``"],
    ];

    for (const [pattern, problem] of cases) assert.equal(problemOf(pattern), problem, pattern);
  });

  it("rejects patterns that are too deep or too long, quickly", () => {
    const deep = `${"(".repeat(1_500)}a${")".repeat(1_500)}`;

    assert.equal(problemOf(deep), `expression nests too deeply: \`${deep}\``);
    assert.equal(problemOf("a".repeat(patternLengthMax + 1)), `longer than ${patternLengthMax} characters`);
  });

  it("reports the position of the problem", () => {
    assert.throws(() => compilePattern("abc(?=x)"), { code: "PARSE", what: "pattern", offset: 3 });
  });

  it("takes linear time for patterns that are exponential with backtracking", () => {
    const text = `${"a".repeat(30_000)}!`;
    const started = process.cpuUsage();

    for (const pattern of ["^(a|aa)+$", "^(a+)+$", "(x+x+)+y", "^(a|a?)+$", "[a-z]+$"]) {
      assert.equal(compilePattern(pattern).test(text), false, pattern);
    }

    assert.ok(process.cpuUsage(started).user < 5_000_000);
  });

  it("caches patterns", () => {
    assert.equal(compilePattern("^remembered$"), compilePattern("^remembered$"));
  });
});

describe("isLinear", () => {
  const verdict = (source: string): boolean => {
    const node = parseSubset(source);
    assert.ok(node !== undefined, source);
    return isLinear(node);
  };

  it("is true for common patterns of schemas", () => {
    for (const source of [
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
      "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
      "^([0-9]{1,3}\\.){3}[0-9]{1,3}$",
      "^(https?|tcp)://[^/]+(:[0-9]+)?(/.*)?$",
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
      "^.*foo$",
      "foo|bar",
    ]) {
      assert.equal(verdict(source), true, source);
    }
  });

  it("is false for ambiguous patterns", () => {
    for (const source of ["^(a|aa)+$", "^(a+)+$", "^(a*)*b", "[a-z]+$", "a*b", "^(a?){20}a{20}$", "^(.*,)*x$"]) {
      assert.equal(verdict(source), false, source);
    }
  });
});

describe("random patterns", () => {
  const pieces = [
    "a",
    "b",
    "^",
    "$",
    ".",
    "*",
    "+",
    "?",
    "{2}",
    "{1,3}",
    "{0,}",
    "{,2}",
    "{1001}",
    "(",
    ")",
    "(?:",
    "(?P<n>",
    "(?=",
    "(?i)",
    "|",
    "[",
    "]",
    "[^",
    "a-z",
    "[[:alpha:]]",
    "\\d",
    "\\w",
    "\\s",
    "\\b",
    "\\pL",
    "\\1",
    "\\x41",
    "\\x{1F600}",
    "\\.",
    "\\",
    "é",
    "😀",
    "-",
    "0-9",
    "z-a",
    "\\A",
    "\\z",
    "{",
    "}",
    "*?",
    "**",
    "[]a]",
    "[a-]",
    "\\D",
    "&&",
    "(a|b)",
    "(ab)*",
    "(a+)",
    "\\Q",
    "__proto__",
  ] as const;
  const texts = [
    "",
    "a",
    "b",
    "ab",
    "aab",
    "abc",
    "é",
    "😀",
    "\n",
    "a\nb",
    "a-b",
    "0",
    "12",
    " ",
    "_",
    "{2}",
    "aaaa",
    "\u00a0",
    "\u2028",
    "]",
    "-",
  ];

  it("match the same strings with RegExp and RE2, or throw a ParseError", () => {
    fuzz({
      count: 100_000,
      seed: 11,
      input: (chance, n) => ({
        source: Array.from({ length: 1 + chance.int(7) }, () => chance.pick(pieces)).join(""),
        // The comparison takes most of the time; one in four is plenty.
        text: n % 4 === 0 ? chance.pick(texts) : undefined,
      }),
      run: ({ source, text }) => {
        const pattern = compilePattern(source);
        const subset = text === undefined ? undefined : parseSubset(source);
        if (text === undefined || subset === undefined || !isLinear(subset)) return;
        assert.equal(pattern.test(text), RE2JS.compile(source).test(text), text);
      },
      isExpected: (error) => error instanceof ParseError,
    });
  });
});
