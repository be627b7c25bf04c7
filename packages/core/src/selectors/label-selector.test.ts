import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import { LabelSelector } from "./label-selector.ts";
import { labelSelectorFrom, labelSelectorProblems } from "./label-selector-object.ts";
import { parseLabelSelector } from "./parse-label-selector.ts";
import type { LabelOperator, LabelRequirement } from "./requirement.ts";
import { InvalidSelectorError } from "./selector-error.ts";

const keys = fc.constantFrom(
  "app",
  "tier",
  "n",
  "in",
  "notin",
  "example.com/role",
  "constructor",
  "toString",
  "x__proto__x",
);
const values = fc.constantFrom("web", "db", "", "in", "5", "10", "a.b_c-d", "constructor");
const labelSets = fc.dictionary(keys, values, { noNullPrototype: true });
const requirements: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key: keys, operator: oneOf("exists", "!"), values: fc.constant([]) }),
  fc.record({ key: keys, operator: oneOf("=", "==", "!="), values: values.map((value) => [value]) }),
  fc.record({ key: keys, operator: oneOf("gt", "lt"), values: fc.nat(20).map((value) => [String(value)]) }),
  fc.record({ key: keys, operator: oneOf("in", "notin"), values: fc.uniqueArray(values, { minLength: 1 }) }),
);

function oneOf(...operators: readonly LabelOperator[]): fc.Arbitrary<LabelOperator> {
  return fc.constantFrom(...operators);
}

function refusal(text: string): ParseError {
  try {
    parseLabelSelector(text);
  } catch (error) {
    if (error instanceof ParseError) return error;
  }
  throw new Error(`${text} was accepted`);
}

describe("LabelSelector", () => {
  it("matches if all requirements hold", () => {
    const selector = parseLabelSelector("app in (web,api), tier!=test, !old");

    assert.equal(selector.matches({ app: "web" }), true);
    assert.equal(selector.matches({ app: "api", tier: "prod" }), true);
    assert.equal(selector.matches({ app: "api", tier: "test" }), false);
    assert.equal(selector.matches({ app: "api", old: "" }), false);
    assert.equal(selector.matches({}), false);
    assert.equal(selector.matches(undefined), false);
  });

  it("prints sorted by key, with sorted values", () => {
    const selector = parseLabelSelector("b notin(2,1,2) , a==x,!c,  n > 5");

    assert.equal(selector.toString(), "a==x,b notin (1,2),!c,n>5");
  });

  it("matches everything when empty", () => {
    assert.equal(parseLabelSelector(" ").isEverything, true);
    assert.equal(LabelSelector.everything.matches(undefined), true);
    assert.equal(LabelSelector.everything.toString(), "");
  });

  it("can match nothing, also with additional requirements", () => {
    const selector = LabelSelector.nothing.and({ key: "app", operator: "exists", values: [] });

    assert.equal(selector.isNothing, true);
    assert.equal(selector.isEverything, false);
    assert.equal(selector.matches({ app: "web" }), false);
  });

  it("can be extended by requirements", () => {
    const selector = parseLabelSelector("b=1").and({ key: "a", operator: "exists", values: [] });

    assert.equal(selector.toString(), "a,b=1");
  });

  it("returns the required value for an index lookup", () => {
    const selector = parseLabelSelector("app=web,tier in (back),n in (1,2),x!=y");

    assert.equal(selector.requiredValue("app"), "web");
    assert.equal(selector.requiredValue("tier"), "back");
    assert.equal(selector.requiredValue("n"), undefined);
    assert.equal(selector.requiredValue("x"), undefined);
    assert.equal(selector.requiredValue("missing"), undefined);
  });

  it("ignores inherited properties", () => {
    for (const key of ["constructor", "toString", "hasOwnProperty", "valueOf"]) {
      assert.equal(parseLabelSelector(key).matches({}), false, key);
      assert.equal(parseLabelSelector(`!${key}`).matches({}), true, key);
      assert.equal(parseLabelSelector(`${key}!=x`).matches({}), true, key);
    }
    const inherited = Object.create({ app: "web" }) as Record<string, string>;
    for (const text of ["app=web", "app in (web)", "app"]) {
      assert.equal(parseLabelSelector(text).matches(inherited), false, text);
    }
    const labels = JSON.parse('{"constructor":"c"}') as Record<string, string>;
    assert.equal(parseLabelSelector("constructor=c").matches(labels), true);
    const odd = new LabelSelector([{ key: "__proto__", operator: "=", values: ["x"] }]);
    assert.equal(odd.matches(JSON.parse('{"__proto__":"x"}') as Record<string, string>), true);
    assert.equal(odd.matches({}), false);
  });

  it("reports the position of a syntax error and what was expected", () => {
    const cases = [
      ["app in web", 7, "found 'web', expected '('"],
      ["app in (web", 11, "found the end, expected ',' or ')'"],
      ["app in (web db)", 12, "found 'db', expected ',' or ')'"],
      ["app in (=)", 8, "found '=', expected a value, ',' or ')'"],
      ["app,", 4, "found the end, expected a label key or '!'"],
      [",app", 0, "found ',', expected a label key or '!'"],
      ["!", 1, "found the end, expected a label key"],
      ["app web", 4, "found 'web', expected one of = == != in notin > <"],
      ["!app=web", 4, "found '=', expected ',' or the end"],
      ["app=(web)", 4, "found '(', expected a value"],
    ] as const;

    for (const [text, offset, problem] of cases) {
      const error = refusal(text);
      assert.deepEqual([error.offset, error.problem], [offset, problem], text);
    }
    assert.equal(refusal("tier, -app").offset, 6);
    assert.match(refusal("tier, -app").problem, /"-app" is not a label key: name part must consist of/);
    assert.equal(refusal("n > ten").offset, 4);
    assert.match(refusal("n > ten").problem, /must be an integer/);
    assert.equal(refusal("a in (b, c-)").offset, 9);
  });
});

describe("labelSelectorFrom", () => {
  it("returns nothing for a missing selector, and everything for an empty one", () => {
    assert.equal(labelSelectorFrom(undefined), LabelSelector.nothing);
    assert.equal(labelSelectorFrom(null), LabelSelector.nothing);
    assert.equal(labelSelectorFrom({}), LabelSelector.everything);
    assert.equal(labelSelectorFrom({ matchLabels: {}, matchExpressions: [] }), LabelSelector.everything);
  });

  it("combines labels and expressions", () => {
    const selector = labelSelectorFrom({
      matchLabels: { tier: "back", app: "db" },
      matchExpressions: [
        { key: "app", operator: "NotIn", values: ["web", "api"] },
        { key: "old", operator: "DoesNotExist" },
      ],
    });

    assert.equal(selector.toString(), "app=db,app notin (api,web),!old,tier=back");
  });

  it("throws all problems with their paths", () => {
    const object = {
      matchLabels: { "-x": "y" },
      matchExpressions: [
        { key: "app", operator: "Gt", values: ["5"] },
        { key: "app", operator: "In" },
        { key: "app", operator: "Exists", values: ["a"] },
        { key: "app", operator: "NotIn", values: ["ok", "no!"] },
      ],
    };

    assert.deepEqual(
      labelSelectorProblems(object).map(({ path }) => path),
      [
        "matchLabels[-x]",
        "matchExpressions[0].operator",
        "matchExpressions[1].values",
        "matchExpressions[2].values",
        "matchExpressions[3].values[1]",
      ],
    );
    assert.throws(
      () => labelSelectorFrom(object),
      (error) =>
        error instanceof InvalidSelectorError && error.code === "INVALID_SELECTOR" && error.problems.length === 5,
    );
  });
});

describe("label selector properties", () => {
  it("parsing the printed text gives a selector that prints and matches the same", () => {
    fc.assert(
      fc.property(fc.array(requirements, { maxLength: 6 }), fc.array(labelSets, { maxLength: 5 }), (list, sets) => {
        const selector = new LabelSelector(list);
        const again = parseLabelSelector(selector.toString());

        assert.equal(again.toString(), selector.toString());
        for (const set of sets) assert.equal(again.matches(set), selector.matches(set));
      }),
      { numRuns: 1000 },
    );
  });

  it("matching is the conjunction of the single requirements", () => {
    fc.assert(
      fc.property(fc.array(requirements, { maxLength: 6 }), labelSets, (list, set) => {
        const each = list.every((requirement) => new LabelSelector([requirement]).matches(set));

        assert.equal(new LabelSelector(list).matches(set), each);
      }),
      { numRuns: 1000 },
    );
  });

  it("an operator and its negation never agree on an existing label", () => {
    const opposites = [
      ["=", "!="],
      ["in", "notin"],
      ["exists", "!"],
    ] as const;

    fc.assert(
      fc.property(fc.constantFrom(...opposites), keys, values, labelSets, ([yes, no], key, value, set) => {
        const list = yes === "exists" ? [] : [value];
        const [one, other] = [yes, no].map((operator) => new LabelSelector([{ key, operator, values: list }]));

        assert.notEqual(one?.matches(set), other?.matches(set));
      }),
    );
  });

  it("long value sets match like short ones", () => {
    const many = Array.from({ length: 100 }, (_, index) => `v${index}`);
    const selector = parseLabelSelector(`app in (${many.join(",")})`);

    assert.equal(selector.matches({ app: "v99" }), true);
    assert.equal(selector.matches({ app: "v100" }), false);
    assert.equal(selector.matches({}), false);
  });
});

describe("random label selector texts", () => {
  it("are parsed or refused with a ParseError, quickly", () => {
    const alphabet = [
      "=",
      "!",
      "(",
      ")",
      ",",
      "<",
      ">",
      " ",
      "\t",
      "\0",
      "in",
      "notin",
      "/",
      "-",
      "a",
      "é",
      "__proto__",
    ];
    const valid = ["app=web", "a in (b,c),d notin ()", "!x,y", "n>5,n<9", "example.com/role==a", "a!=,constructor"];
    const shapes: ((length: number) => string)[] = [
      (length) => "a,".repeat(length),
      (length) => `a in (${"b,".repeat(length)}`,
      (length) => "!".repeat(length),
      (length) => "(".repeat(length),
      (length) => "a".repeat(length),
      (length) => `${"a.".repeat(length)}/b`,
      (length) => " ".repeat(length),
      (length) => `n>${"0".repeat(length)}5`,
    ];

    const { accepted } = fuzz({
      count: 100_000,
      seed: 5,
      input: (chance, index) =>
        index % 500 === 0 ? chance.pick(shapes)(chance.int(5_000)) : chance.mutate(chance.pick(valid), alphabet),
      run: (text) => {
        const selector = parseLabelSelector(text);

        selector.matches({ app: "web", n: "7" });
        assert.equal(parseLabelSelector(selector.toString()).toString(), selector.toString());
      },
      isExpected: (error) => error instanceof ParseError,
    });

    assert.ok(accepted > 5_000 && accepted < 95_000, `${accepted} accepted`);
  });
});
