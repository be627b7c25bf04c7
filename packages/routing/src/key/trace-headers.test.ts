import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import fc from "fast-check";
import { naiveBaggage, naiveTracestate } from "../testing/naive-parsers.ts";
import { decodeBaggageValue, endOfBaggage, findBaggageMember } from "./baggage.ts";
import { readTraceId } from "./traceparent.ts";
import { findTracestateMember } from "./tracestate.ts";

/** Texts that look like trace headers: parts of members in any order. */
const pieces = fc.constantFrom(
  "routing-key",
  "sd-routing-key",
  "routing-key=abc",
  "a=1,",
  "a",
  "A",
  "=",
  "==",
  ",",
  ",,",
  ";",
  " ",
  "\t",
  "%61",
  "x",
  "-",
  "\u00ff",
  "\u0000",
);
const headerText = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""));
/** Texts around the limits of members and bytes. */
const longText = fc
  .tuple(
    fc.integer({ min: 170, max: 190 }),
    fc.constantFrom("a=1,", ",", "a=1 , "),
    fc.integer({ min: 0, max: 8200 }),
    headerText,
  )
  .map(([times, member, filler, end]) => `${member.repeat(times)}b=${"x".repeat(filler)},routing-key=abc,${end}`);

describe("findBaggageMember", () => {
  it("agrees with a naive parser", () => {
    fc.assert(
      fc.property(
        fc.oneof(headerText, longText),
        fc.constantFrom("routing-key", "sd-routing-key", "a"),
        (text, name) => {
          const end = endOfBaggage(text);

          const found = { value: findBaggageMember(text, name, end), isTruncated: end < text.length };

          assert.deepEqual(found, naiveBaggage(text, name));
        },
      ),
      { numRuns: 2000 },
    );
  });

  const hostile: readonly [name: string, text: string][] = [
    ["names without an equals sign", "routing-key".repeat(100_000)],
    ["names between spaces", `routing-key${" ".repeat(20)}`.repeat(40_000)],
    ["spaces", " ".repeat(1_000_000)],
    ["commas", ",".repeat(1_000_000)],
  ];
  for (const [name, text] of hostile) {
    it(`takes linear time for ${name}`, () => {
      const ms = cpuMs(() => {
        findBaggageMember(text, "routing-key", endOfBaggage(text));
        findBaggageMember(text, "routing-key", text.length);
        findTracestateMember(text, "routing-key");
      });

      assert.ok(ms < 1000, `${ms} ms`);
    });
  }
});

describe("decodeBaggageValue", () => {
  const cases: readonly [value: string, decoded: string][] = [
    ["abc", "abc"],
    ["a%62c", "abc"],
    ["caf%C3%A9", "café"],
    ["caf\u00c3\u00a9", "café"],
    ["%F0%9F%98%80", "😀"],
    ["%ff", "\ufffd"],
    ["%C3", "\ufffd"],
    ["%E2%82x", "\ufffdx"],
    ["\u0100", "\ufffd"],
    ["%", "%"],
    ["%6", "%6"],
    ["%6g", "%6g"],
    ["%%61", "%a"],
    ["%EF%BB%BFa", "\ufeffa"],
  ];
  for (const [value, decoded] of cases) {
    it(`of ${JSON.stringify(value)}`, () => assert.equal(decodeBaggageValue(value), decoded));
  }

  it("reverses encodeURIComponent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        assert.equal(decodeBaggageValue(encodeURIComponent(text)), text);
      }),
    );
  });
});

describe("findTracestateMember", () => {
  const many = fc
    .tuple(fc.integer({ min: 28, max: 36 }), headerText)
    .map(([times, end]) => `${"b=1,".repeat(times)}${end}`);

  it("agrees with a naive parser", () => {
    fc.assert(
      fc.property(fc.oneof(headerText, many), fc.constantFrom("routing-key", "a"), (text, name) => {
        assert.equal(findTracestateMember(text, name), naiveTracestate(text, name));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("readTraceId", () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const cases: readonly [value: string | readonly string[] | undefined, id: string | undefined | null][] = [
    [undefined, undefined],
    [`00-${trace}-00f067aa0ba902b7-01`, trace],
    [`00-${trace}-00f067aa0ba902b7-ff`, trace],
    [`cc-${trace}-00f067aa0ba902b7-01`, trace],
    [`cc-${trace}-00f067aa0ba902b7-01-what-comes-later`, trace],
    [`00-${trace}-00f067aa0ba902b7-01-`, null],
    [`00-${trace}-00f067aa0ba902b7-0g`, null],
    [`00-${trace}-00f067aa0ba902b7_01`, null],
    [`00 ${trace}-00f067aa0ba902b7-01`, null],
    [` 00-${trace}-00f067aa0ba902b7-0`, null],
    [[`00-${trace}-00f067aa0ba902b7-01`, `00-${trace}-00f067aa0ba902b7-01`], null],
  ];
  for (const [value, id] of cases) {
    it(`of ${JSON.stringify(value)} is ${id}`, () => {
      assert.equal(readTraceId({ get: () => value }), id);
    });
  }
});
