import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { KeyReader } from "../key/key-reader.ts";
import { naiveBaggage } from "../testing/naive-parsers.ts";
import { injectBaggage, withoutBaggageMembers } from "./inject-baggage.ts";

const member = { name: "routing-key", value: "abc" };

describe("injectBaggage", () => {
  const cases: readonly [baggage: string | undefined, result: string | undefined][] = [
    [undefined, "routing-key=abc"],
    ["", "routing-key=abc"],
    [" \t", "routing-key=abc"],
    ["user=7", "user=7,routing-key=abc"],
    ["user=7 ; a=1 , tenant=blue ", "user=7 ; a=1 , tenant=blue ,routing-key=abc"],
    ["routing-key=old", "routing-key=abc"],
    ["routing-key=abc", "routing-key=abc"],
    ["a=1, routing-key = old;p=1 ,b=2", "a=1, routing-key=abc ,b=2"],
    ["a=1,routing-key=x,b=2,routing-key=y", "a=1,routing-key=abc,b=2"],
    ["sd-routing-key=old", "sd-routing-key=old,routing-key=abc"],
    ["routing-key", "routing-key,routing-key=abc"],
    ["a=1;routing-key=old", "a=1;routing-key=old,routing-key=abc"],
    ["a=%20%ff,,b=\u00ff", "a=%20%ff,,b=\u00ff,routing-key=abc"],
    [",,", ",,,routing-key=abc"],
    [`${"a=1,".repeat(62)}b=2`, `${"a=1,".repeat(62)}b=2,routing-key=abc`],
    [`${"a=1,".repeat(63)}b=2`, undefined],
    [`${"a=1,".repeat(63)}routing-key=old`, `${"a=1,".repeat(63)}routing-key=abc`],
    [`a=${"x".repeat(8174)}`, `a=${"x".repeat(8174)},routing-key=abc`],
    [`a=${"x".repeat(8175)}`, undefined],
    [`routing-key=old;p=${"x".repeat(9000)}`, "routing-key=abc"],
  ];
  for (const [baggage, result] of cases) {
    it(`of ${JSON.stringify(baggage?.slice(0, 60))}, ${baggage?.length ?? 0} bytes`, () => {
      assert.equal(injectBaggage(baggage, member), result);
    });
  }

  const pieces = fc.constantFrom("routing-key", "a", "b", "=", "=1", ",", ",", ";p", " ", "\t", "%61", "\u00ff");
  const baggage = fc.array(pieces, { maxLength: 30 }).map((list) => list.join(""));
  const key = fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,20}[a-z0-9]$/);

  it("writes a key that is read again, before any other key of the header", () => {
    const keys = new KeyReader({ role: "takeover" });

    fc.assert(
      fc.property(baggage, key, (text, value) => {
        const result = injectBaggage(text, { name: "routing-key", value });

        assert.ok(result !== undefined);
        const found = keys.read({ method: "GET", path: "/", headers: new Map([["baggage", result]]) });
        assert.deepEqual(found, { key: value, source: "baggage", name: "routing-key" });
      }),
    );
  });

  it("keeps order and bytes of all other members", () => {
    const others = (text: string): string[] =>
      text.split(",").filter((piece) => naiveBaggage(piece, "routing-key").value === undefined);

    fc.assert(
      fc.property(baggage, key, (text, value) => {
        const result = injectBaggage(text, { name: "routing-key", value }) ?? "";

        assert.deepEqual(others(result), text.trim() === "" ? [] : others(text));
      }),
    );
  });

  it("changes nothing when it is repeated", () => {
    fc.assert(
      fc.property(baggage, (text) => {
        const once = injectBaggage(text, member);

        assert.equal(injectBaggage(once, member), once);
      }),
    );
  });
});

describe("withoutBaggageMembers", () => {
  const cases: readonly [baggage: string, result: string | undefined][] = [
    ["user=7", "user=7"],
    ["routing-key=abc", undefined],
    ["routing-key=abc, sd-routing-key=def", undefined],
    ["a=1 ,routing-key=abc;p, b=2", "a=1 , b=2"],
    ["a=routing-key", "a=routing-key"],
  ];
  for (const [baggage, result] of cases) {
    it(`of ${baggage}`, () => {
      assert.equal(withoutBaggageMembers(baggage, ["routing-key", "sd-routing-key"]), result);
    });
  }
});
