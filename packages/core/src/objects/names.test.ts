import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import * as fc from "fast-check";
import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  maskTrailingDash,
  pathSegmentPrefixProblems,
  pathSegmentProblems,
} from "./names.ts";

const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe("name validation", () => {
  const cases: [typeof dnsLabelProblems, string, string[]][] = [
    [dnsLabelProblems, "web-1", []],
    [dnsLabelProblems, "1", []],
    [dnsLabelProblems, "a".repeat(63), []],
    [dnsLabelProblems, "a".repeat(64), ["must be no more than 63 characters"]],
    [dnsLabelProblems, "a.b", ["must not contain dots"]],
    [dnsLabelProblems, "", [labelText]],
    [dnsLabelProblems, "-a", [labelText]],
    [dnsLabelProblems, "a-", [labelText]],
    [dnsLabelProblems, "a_b", [labelText]],
    [dnsLabelProblems, "A", [labelText]],
    [dnsLabelProblems, "a\n", [labelText]],
    [dnsLabelProblems, "é".repeat(32), ["must be no more than 63 characters", labelText]],
    [dns1035LabelProblems, "web", []],
    [dns1035LabelProblems, "1web", [label1035Text]],
    [dns1035LabelProblems, "a.b", [label1035Text]],
    [dns1035LabelProblems, "a".repeat(64), ["must be no more than 63 characters"]],
    [dnsSubdomainProblems, "example.com", []],
    [dnsSubdomainProblems, "a..b", [subdomainText]],
    [dnsSubdomainProblems, "a.-b", [subdomainText]],
    [dnsSubdomainProblems, "a".repeat(254), ["must be no more than 253 characters"]],
    [pathSegmentProblems, "system:node:a b", []],
    [pathSegmentProblems, "...", []],
    [pathSegmentProblems, "", ["must not be empty"]],
    [pathSegmentProblems, ".", ["may not be '.'"]],
    [pathSegmentProblems, "..", ["may not be '..'"]],
    [pathSegmentProblems, "a/%2f", ["may not contain '/'", "may not contain '%'"]],
    [pathSegmentPrefixProblems, "", []],
    [pathSegmentPrefixProblems, "..", []],
    [pathSegmentPrefixProblems, "a/", ["may not contain '/'"]],
  ];
  for (const [rule, name, problems] of cases) {
    it(`${rule.name} of ${JSON.stringify(name.slice(0, 20))} (${name.length}) are ${problems.length}`, () => {
      assert.deepEqual(rule(name), problems);
    });
  }

  it("validates a prefix as if a suffix followed", () => {
    assert.deepEqual(["web-", "a.b--", "-", "", "web"].map(maskTrailingDash), ["wea", "a.ba", "-", "", "web"]);
  });

  it("agrees with the quoted patterns", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "z", "0", "9", "-", ".", "A", "_", "é"), maxLength: 8 });
    fc.assert(
      fc.property(text, (name) => {
        assert.equal(dnsLabelProblems(name).length === 0, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name));
        assert.equal(dns1035LabelProblems(name).length === 0, /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name));
      }),
      { numRuns: 2000 },
    );
  });

  it("is fast for a very long text", () => {
    const ms = cpuMs(() => {
      for (const name of ["a".repeat(200_000), `${"a-".repeat(100_000)}!`, "a.".repeat(100_000)]) {
        for (const rule of [dnsLabelProblems, dns1035LabelProblems, dnsSubdomainProblems, pathSegmentProblems])
          rule(name);
      }
    });

    assert.ok(ms < 2_000, `took ${ms} ms; a slow pattern would take minutes`);
  });
});
