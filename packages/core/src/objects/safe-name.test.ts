import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { anyText } from "@homeostat/fuzz/any-text";
import * as fc from "fast-check";
import { dns1035LabelProblems, dnsLabelProblems, dnsSubdomainProblems } from "./names.ts";
import { type NameForm, safeName } from "./safe-name.ts";
import { sha256 } from "./sha256.ts";

const problemsOf = {
  "dns-label": dnsLabelProblems,
  "dns-1035-label": dns1035LabelProblems,
  "dns-subdomain": dnsSubdomainProblems,
};

describe("safeName", () => {
  it("joins valid parts unchanged", () => {
    assert.equal(safeName({ parts: ["checkout", "worker"] }), "checkout-worker");
    assert.equal(safeName({ parts: ["a.b", "c"], form: "dns-subdomain" }), "a.b-c");
    assert.equal(safeName({ parts: ["a".repeat(63)] }), "a".repeat(63));
  });

  // These names must never change: objects in clusters are found by them.
  const golden: [Parameters<typeof safeName>[0], string][] = [
    [{ parts: ["a".repeat(64)] }, `${"a".repeat(52)}-fztjkbl5fk`],
    [{ parts: ["Check Out", "worker"] }, "check-out-worker-g5vz4xlm2b"],
    [{ parts: ["1st"], form: "dns-1035-label" }, "st-5pxvtmdxb7"],
    [{ parts: ["a", "b"], hash: "always" }, "a-b-l26nhdgsdp"],
    [{ parts: [""] }, "x-2pf4fm95bp"],
    [{ parts: ["..a..b-.-c.."], form: "dns-subdomain" }, "a.b.c-l4p9clvg99"],
  ];
  for (const [options, expected] of golden) {
    it(`returns ${expected} for ${JSON.stringify(options).slice(0, 60)}`, () => {
      assert.equal(safeName(options), expected);
    });
  }

  it("returns different names for parts that are truncated to the same text", () => {
    const long = "a".repeat(80);

    const names = [[`${long}1`], [`${long}2`], [long, "1"], [long, "2"], [long.toUpperCase()]].map((parts) =>
      safeName({ parts }),
    );

    assert.equal(new Set(names).size, names.length);
  });

  it("returns different names for parts that are cleaned to the same text", () => {
    const names = [["a_b"], ["a b"], ["A-B"], ["a-b"], ["a", "b "]].map((parts) => safeName({ parts }));

    assert.equal(new Set(names).size, names.length);
  });

  it("distinguishes the boundaries of parts with hash always", () => {
    const parts = [["a", "b-c"], ["a-b", "c"], ["a-b-c"]];

    assert.equal(new Set(parts.map((some) => safeName({ parts: some, hash: "always" }))).size, 3);
    assert.equal(new Set(parts.map((some) => safeName({ parts: some }))).size, 1, "joined alone they are one");
  });

  it("returns a valid, deterministic name for any parts", () => {
    const form = fc.constantFrom<NameForm>("dns-label", "dns-1035-label", "dns-subdomain");
    const part = fc.oneof(fc.string(), anyText, fc.constantFrom("A.b", "..", "-", "9", "x".repeat(100)));
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 4 }),
        form,
        fc.integer({ min: 12, max: 63 }),
        (parts, form, lengthMax) => {
          const name = safeName({ parts, form, lengthMax });

          assert.ok(name.length <= lengthMax, name);
          assert.deepEqual(problemsOf[form](name), [], name);
          assert.equal(safeName({ parts, form, lengthMax }), name);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("returns 5,000 names for 5,000 inputs with the same prefix", () => {
    const names = new Set<string>();

    for (let i = 0; i < 5_000; i += 1) names.add(safeName({ parts: ["x".repeat(100), String(i)] }));

    assert.equal(names.size, 5_000);
  });

  it("refuses a length that leaves no room for the hash, or is longer than the form allows", () => {
    for (const [lengthMax, form] of [
      [11, "dns-label"],
      [64, "dns-label"],
      [254, "dns-subdomain"],
      [20.5, "dns-label"],
      [Number.NaN, "dns-label"],
    ] as const) {
      assert.throws(() => safeName({ parts: ["a"], lengthMax, form }), { code: "ARGUMENT", argument: "lengthMax" });
    }
    assert.equal(safeName({ parts: ["a".repeat(253)], form: "dns-subdomain", lengthMax: 253 }).length, 253);
  });
});

describe("sha256", () => {
  it("equals the digest of Node for texts of every length around a block, and for any text", () => {
    const check = (text: string): void => {
      const hex = sha256(text)
        .map((word) => word.toString(16).padStart(8, "0"))
        .join("");
      assert.equal(hex, createHash("sha256").update(text).digest("hex"));
    };

    for (let length = 0; length <= 130; length += 1) check("a".repeat(length));
    fc.assert(fc.property(anyText, check));
  });
});
