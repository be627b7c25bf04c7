import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { anyText } from "@homeostat/fuzz/any-text";
import fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import { escapeFieldValue, type FieldRequirement, FieldSelector, fieldsOf } from "./field-selector.ts";
import { parseFieldSelector } from "./parse-field-selector.ts";

function refusal(text: string): ParseError {
  try {
    parseFieldSelector(text);
  } catch (error) {
    if (error instanceof ParseError) return error;
  }
  throw new Error(`${text} was accepted`);
}

describe("a field selector", () => {
  it("chooses by all of its requirements", () => {
    const selector = parseFieldSelector("metadata.namespace=default,status.phase!=Running");

    assert.equal(selector.matches(fieldsOf({ "metadata.namespace": "default", "status.phase": "Failed" })), true);
    assert.equal(selector.matches(fieldsOf({ "metadata.namespace": "default", "status.phase": "Running" })), false);
    assert.equal(selector.matches(fieldsOf({})), false);
  });

  it("takes a missing field for an empty one", () => {
    assert.equal(
      parseFieldSelector("spec.nodeName=").matches(() => undefined),
      true,
    );
    assert.equal(
      parseFieldSelector("spec.nodeName!=").matches(() => undefined),
      false,
    );
  });

  it("prints sorted, with one kind of equals", () => {
    assert.equal(parseFieldSelector("b==2,,a!=1,").toString(), "a!=1,b=2");
  });

  it("escapes what would end a value", () => {
    const selector = parseFieldSelector(String.raw`a=x\,y\=z\\`);

    assert.deepEqual(selector.requirements, [{ field: "a", operator: "=", value: "x,y=z\\" }]);
    assert.equal(selector.toString(), String.raw`a=x\,y\=z\\`);
    assert.equal(escapeFieldValue("a,b"), String.raw`a\,b`);
  });

  it("is everything when empty, and can be nothing", () => {
    assert.equal(parseFieldSelector("").isEverything, true);
    assert.equal(parseFieldSelector("=").isEverything, true);
    assert.equal(FieldSelector.nothing.isNothing, true);
    assert.equal(
      FieldSelector.nothing.matches(() => ""),
      false,
    );
  });

  it("names the value an index can be asked for", () => {
    const selector = parseFieldSelector("metadata.name=web,status.phase!=Failed");

    assert.equal(selector.requiredValue("metadata.name"), "web");
    assert.equal(selector.requiredValue("status.phase"), undefined);
  });

  it("does not mistake what every object inherits for a field", () => {
    assert.equal(parseFieldSelector("constructor=").matches(fieldsOf({})), true);
    assert.equal(parseFieldSelector("__proto__!=x").matches(fieldsOf({})), true);
  });

  it("says where a text goes wrong", () => {
    assert.equal(refusal("metadata.name").offset, 13);
    assert.equal(refusal("a=1,b").offset, 5);
    assert.equal(refusal("a=b=c").offset, 3);
    assert.equal(refusal(String.raw`a=1,b=\x`).offset, 6);
    assert.equal(refusal("a=b\\").offset, 3);
    assert.match(refusal("a=b=c").message, /field selector "a=b=c": '=' in a value is written/);
  });
});

describe("the laws of field selectors", () => {
  it("any value survives printing and reading", () => {
    const requirement: fc.Arbitrary<FieldRequirement> = fc.record(
      {
        field: fc.constantFrom("metadata.name", "a", "spec.x", "constructor"),
        operator: fc.constantFrom("=" as const, "!=" as const),
        value: fc.oneof(anyText, fc.string({ unit: fc.constantFrom("\\", ",", "=", "!", "a") })),
      },
      { noNullPrototype: true },
    );

    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 5 }), (requirements) => {
        const selector = new FieldSelector(requirements);
        const again = parseFieldSelector(selector.toString());

        assert.deepEqual(new Set(again.requirements), new Set(requirements));
        for (const { field, value } of requirements) {
          const fields = fieldsOf({ [field]: value });
          assert.equal(again.matches(fields), selector.matches(fields));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("hostile field selector texts", () => {
  it("end in a selector or a ParseError, quickly, a hundred thousand times", () => {
    const alphabet = ["=", "!", ",", "\\", " ", "a", "é", "😀", "\ud83d", "\0", "__proto__"];
    const valid = [
      "metadata.name=web",
      "a!=b,c==d",
      String.raw`a=x\,y\=z\\`,
      "constructor=,=",
      "status.phase!=Running",
    ];
    const shapes: ((length: number) => string)[] = [
      (length) => "a=b,".repeat(length),
      (length) => "\\".repeat(length),
      (length) => `a=${"\\\\".repeat(length)}`,
      (length) => "=".repeat(length),
      (length) => ",".repeat(length),
      (length) => "a".repeat(length),
    ];

    const { accepted } = fuzz({
      count: 100_000,
      seed: 9,
      input: (chance, index) =>
        index % 500 === 0 ? chance.pick(shapes)(chance.int(5_000)) : chance.mutate(chance.pick(valid), alphabet),
      run: (text) => {
        const selector = parseFieldSelector(text);

        selector.matches(fieldsOf({ a: "b" }));
        assert.equal(parseFieldSelector(selector.toString()).requirements.length, selector.requirements.length);
      },
      isExpected: (error) => error instanceof ParseError,
    });

    assert.ok(accepted > 5_000 && accepted < 95_000, `${accepted} accepted`);
  });
});
