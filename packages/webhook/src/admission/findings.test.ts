import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collectFindings, denialMessage, type Finding } from "./findings.ts";

describe("denialMessage", () => {
  const table: readonly (readonly [string, readonly Finding[], string])[] = [
    ["no findings", [], ""],
    ["warnings only", [{ field: "spec.a", message: "is odd", warn: true }], ""],
    ["a finding about the whole object", [{ message: "must be small" }], "must be small"],
    [
      "several findings and a warning",
      [
        { field: "spec.a", message: "must be set" },
        { field: "spec.b", message: "is odd", warn: true },
        { field: "spec.c", message: "must not be set" },
      ],
      "spec.a: must be set; spec.c: must not be set",
    ],
  ];
  for (const [name, findings, expected] of table) {
    it(`returns ${expected === "" ? "nothing" : "a message"} for ${name}`, async () => {
      const { denial } = await collectFindings(findings);

      assert.equal(denialMessage(findings), expected);
      assert.equal(denial?.message ?? "", expected);
    });
  }

  it("is limited like the denial of a webhook", async () => {
    const findings = Array.from({ length: 200 }, (_, index) => ({
      field: `spec.a[${index}]`,
      message: "x".repeat(2000),
    }));
    const { denial } = await collectFindings(findings);

    assert.equal(denialMessage(findings), denial?.message);
    assert.ok(denialMessage(findings).length <= 4096);
    assert.equal(denial?.causes.length, 100);
    assert.equal(denial?.causes[0]?.message.length, 1024);
  });
});

describe("collectFindings with long texts", () => {
  it("cuts messages and field paths, which contain keys that users choose", async () => {
    const long = { field: `spec.labels[${"k".repeat(1_000_000)}]`, message: "m".repeat(1_000_000) };

    const { denial, warnings } = await collectFindings([long, { ...long, warn: true }]);

    assert.deepEqual(
      denial?.causes.map(({ field, message }) => [field?.length, message.length]),
      [[1_024, 1_024]],
    );
    assert.deepEqual([denial.message.length, warnings[0]?.length], [2_050, 256]);
  });
});
