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

describe("FieldSelector", () => {
  it("matches if all requirements hold", () => {
    const selector = parseFieldSelector("metadata.namespace=default,status.phase!=Running");

    assert.equal(selector.matches(fieldsOf({ "metadata.namespace": "default", "status.phase": "Failed" })), true);
    assert.equal(selector.matches(fieldsOf({ "metadata.namespace": "default", "status.phase": "Running" })), false);
    assert.equal(selector.matches(fieldsOf({})), false);
  });

  it("treats a missing field as empty", () => {
    assert.equal(
      parseFieldSelector("spec.nodeName=").matches(() => undefined),
      true,
    );
    assert.equal(
      parseFieldSelector("spec.nodeName!=").matches(() => undefined),
      false,
    );
  });

  it("prints sorted requirements with a single equals sign", () => {
    assert.equal(parseFieldSelector("b==2,,a!=1,").toString(), "a!=1,b=2");
  });

  it("escapes special characters in values", () => {
    const selector = parseFieldSelector(String.raw`a=x\,y\=z\\`);

    assert.deepEqual(selector.requirements, [{ field: "a", operator: "=", value: "x,y=z\\" }]);
    assert.equal(selector.toString(), String.raw`a=x\,y\=z\\`);
    assert.equal(escapeFieldValue("a,b"), String.raw`a\,b`);
  });

  it("matches everything when empty, and can match nothing", () => {
    assert.equal(parseFieldSelector("").isEverything, true);
    assert.equal(parseFieldSelector("=").isEverything, true);
    assert.equal(FieldSelector.nothing.isNothing, true);
    assert.equal(
      FieldSelector.nothing.matches(() => ""),
      false,
    );
  });

  it("returns the required value for an index lookup", () => {
    const selector = parseFieldSelector("metadata.name=web,status.phase!=Failed");

    assert.equal(selector.requiredValue("metadata.name"), "web");
    assert.equal(selector.requiredValue("status.phase"), undefined);
  });

  it("ignores inherited properties", () => {
    assert.equal(parseFieldSelector("constructor=").matches(fieldsOf({})), true);
    assert.equal(parseFieldSelector("__proto__!=x").matches(fieldsOf({})), true);
  });

  it("reports the position of a syntax error", () => {
    assert.equal(refusal("metadata.name").offset, 13);
    assert.equal(refusal("a=1,b").offset, 5);
    assert.equal(refusal("a=b=c").offset, 3);
    assert.equal(refusal(String.raw`a=1,b=\x`).offset, 6);
    assert.equal(refusal("a=b\\").offset, 3);
    assert.match(refusal("a=b=c").message, /field selector "a=b=c": '=' in a value must be escaped/);
  });
});

describe("field selector properties", () => {
  it("any value round-trips", () => {
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

describe("random field selector texts", () => {
  it("are parsed or refused with a ParseError, quickly", () => {
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
