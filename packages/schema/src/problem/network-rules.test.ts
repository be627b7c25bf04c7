import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cidrProblems, ipBlockProblems } from "./network-rules.ts";
import { formatProblem } from "./problem.ts";

const detail = "must be a CIDR, such as 10.0.0.0/8 or 2001:db8::/32";

describe("cidrProblems", () => {
  for (const text of [
    "10.1.2.3/8",
    "0.0.0.0/0",
    "::/0",
    "2001:db8::1/128",
    "::ffff:1.2.3.4/128",
    "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128",
  ]) {
    it(`accepts ${text}`, () => {
      assert.deepEqual([...cidrProblems("spec.cidrs", [text])], []);
    });
  }

  for (const text of [
    "",
    "10.0.0.0",
    "10.0.0.0/33",
    "10.0.0/8",
    "010.0.0.0/8",
    "::/129",
    "::1%eth0/64",
    "a/8",
    "1.2.3.4/08",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
  ]) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.deepEqual([...cidrProblems("spec.cidrs", ["10.0.0.0/8", text])].map(formatProblem), [
        `spec.cidrs[1]: Invalid value: ${JSON.stringify(text)}: ${detail}`,
      ]);
    });
  }

  it("rejects a long string without parsing it", () => {
    assert.equal([...cidrProblems("spec.cidrs", [`${"0:".repeat(1_000_000)}/1`])].length, 1);
  });
});

describe("ipBlockProblems", () => {
  const table: readonly (readonly [string, string, boolean])[] = [
    ["10.1.0.0/16", "10.0.0.0/8", true],
    ["10.1.2.3/16", "10.9.9.9/8", true],
    ["fc00::/7", "::/0", true],
    ["2001:db8:1::/48", "2001:db8::/32", true],
    ["::ffff:10.1.0.0/112", "::ffff:10.0.0.0/104", true],
    ["2001:db9::/48", "2001:db8::/32", false],
    ["10.0.0.0/8", "10.0.0.0/8", false],
    ["11.0.0.0/16", "10.0.0.0/8", false],
    ["10.0.0.0/8", "10.1.0.0/16", false],
    ["10.0.0.0/16", "::/0", false],
  ];
  for (const [part, cidr, isAllowed] of table) {
    it(`${isAllowed ? "accepts" : "rejects"} the exception ${part} of ${cidr}`, () => {
      assert.deepEqual(
        [...ipBlockProblems("spec.blocks", [{ cidr, except: [part] }])].map(formatProblem),
        isAllowed ? [] : [`spec.blocks[0].except[0]: Invalid value: "${part}": must be a strict subset of ${cidr}`],
      );
    });
  }

  it("reports an invalid block and an invalid exception, but does not compare them", () => {
    const problems = [...ipBlockProblems("spec.blocks", [{ cidr: "x", except: ["10.0.0.0/8", "y"] }])];

    assert.deepEqual(problems.map(formatProblem), [
      `spec.blocks[0].cidr: Invalid value: "x": ${detail}`,
      `spec.blocks[0].except[1]: Invalid value: "y": ${detail}`,
    ]);
  });
});
