import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { subdomainProblems } from "./name-form.ts";
import { labelValueProblems, qualifiedNameProblems } from "./qualified-name.ts";

describe("qualifiedNameProblems", () => {
  it("accepts a name with an optional DNS subdomain prefix", () => {
    for (const name of ["app", "A_b.c-9", "example.com/role", "x/y"])
      assert.deepEqual(qualifiedNameProblems(name), [], name);
    for (const name of ["", "-a", "a/", "/a", "a/b/c", "A.com/x", "a b"])
      assert.notDeepEqual(qualifiedNameProblems(name), [], name);
  });

  it("returns all problems at once, with the messages of Kubernetes", () => {
    const problems = qualifiedNameProblems(`/${"é".repeat(32)}`);

    assert.equal(problems[0], "prefix part must be non-empty");
    assert.equal(problems[1], "name part must be no more than 63 bytes");
    assert.match(problems[2] ?? "", /^name part must consist of alphanumeric characters, '-', '_' or '\.'/);
  });

  it("agrees with the quoted pattern", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "Z", "0", "-", "_", ".", "é"), maxLength: 8 });

    fc.assert(
      fc.property(texts, (text) => {
        const isName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(text);
        const isSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);

        assert.equal(qualifiedNameProblems(text).length === 0, isName);
        assert.equal(labelValueProblems(text).length === 0, isName || text === "");
        assert.equal(subdomainProblems(text, "bytes").length === 0, isSubdomain);
      }),
      { numRuns: 3000 },
    );
  });

  it("is fast for malicious texts", () => {
    for (const text of ["a.".repeat(500_000), "a-".repeat(500_000), `${"a".repeat(1_000_000)}!`]) {
      const started = process.cpuUsage();

      qualifiedNameProblems(text);
      qualifiedNameProblems(`${text}/x`);
      labelValueProblems(text);

      assert.ok(process.cpuUsage(started).user < 1_000_000);
    }
  });
});
