import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { CelEvaluationError } from "../errors.ts";
import type { CelValue } from "../values/value.ts";
import { cidrLibrary } from "./cidrs.ts";
import {
  equalIpPrefixes,
  formatIpPrefix,
  maskPrefix,
  parseIpPrefix,
  prefixContains,
  prefixContainsPrefix,
} from "./ip-prefix.ts";
import { ipLibrary } from "./ips.ts";
import { Malformed } from "./malformed.ts";

const environment = createEnvironment({ libraries: [ipLibrary, cidrLibrary] });

function evaluate(expression: string): CelValue {
  return environment.compile(expression).evaluate({});
}

const prefix = fc
  .tuple(fc.array(fc.nat({ max: 255 }), { minLength: 4, maxLength: 4 }), fc.nat({ max: 32 }))
  .map(([bytes, length]) => ({ address: { family: 4 as const, bytes, zone: "" }, length }));

describe("networks", () => {
  it("format and parse to the same value", () => {
    fc.assert(
      fc.property(prefix, (network) => {
        assert.deepEqual(parseIpPrefix(formatIpPrefix(network)), network);
      }),
    );
  });

  it("contain their own addresses and none of the other family", () => {
    fc.assert(
      fc.property(prefix, (network) => {
        const masked = maskPrefix(network);

        assert.ok(prefixContains(network, network.address));
        assert.ok(prefixContains(masked, network.address));
        assert.ok(prefixContainsPrefix(network, network) && prefixContainsPrefix(masked, network));
        assert.ok(equalIpPrefixes(maskPrefix(masked), masked));
        assert.ok(!prefixContains(network, { family: 6, bytes: Array.from({ length: 16 }, () => 0), zone: "" }));
      }),
    );
  });

  it("contain another network exactly if the bits of the prefix match", () => {
    const numberOf = (bytes: readonly number[]): number => bytes.reduce((number, byte) => number * 256 + byte, 0);
    fc.assert(
      fc.property(prefix, prefix, (outer, inner) => {
        const block = 2 ** (32 - outer.length);
        const same =
          Math.floor(numberOf(outer.address.bytes) / block) === Math.floor(numberOf(inner.address.bytes) / block);

        assert.equal(prefixContainsPrefix(outer, inner), outer.length <= inner.length && same);
      }),
    );
  });

  it("are rejected with the messages of the API server", () => {
    const problem = (text: string): string => {
      const network = parseIpPrefix(text);
      assert.ok(network instanceof Malformed, text);
      return network.problem;
    };

    assert.equal(problem("1.2.3.4"), `netip.ParsePrefix("1.2.3.4"): no '/'`);
    assert.equal(problem("1.2.3.4/33"), 'netip.ParsePrefix("1.2.3.4/33"): prefix length out of range');
    assert.equal(problem("1.2.3.4/01"), 'netip.ParsePrefix("1.2.3.4/01"): bad bits after slash: "01"');
    assert.equal(problem("1.2.3/8"), 'netip.ParsePrefix("1.2.3/8"): ParseAddr("1.2.3"): IPv4 address too short');
  });
});

describe("the library of networks", () => {
  it("accepts strings and values", () => {
    assert.equal(evaluate("cidr('192.168.0.0/24').containsIP('192.168.0.1')"), true);
    assert.equal(evaluate("cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))"), false);
    assert.equal(evaluate("cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')"), true);
    assert.equal(evaluate("cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/8'))"), false);
  });

  it("keeps the bits after the prefix until masked", () => {
    assert.equal(evaluate("string(cidr('192.168.0.1/24'))"), "192.168.0.1/24");
    assert.equal(evaluate("string(cidr('192.168.0.1/24').masked())"), "192.168.0.0/24");
    assert.equal(evaluate("string(cidr('192.168.0.1/24').ip())"), "192.168.0.1");
    assert.equal(evaluate("cidr('::1/128').prefixLength()"), 128n);
    assert.equal(evaluate("cidr('10.0.0.1/8') == cidr('10.0.0.0/8')"), false);
  });

  it("reports malformed networks", () => {
    const prefixed = "network address parse error during conversion from string: ";
    assert.equal(evaluate("isCIDR('::ffff:1.2.3.4/24')"), false);
    assert.throws(
      () => evaluate("cidr('::ffff:1.2.3.4/24')"),
      new CelEvaluationError(`${prefixed}IPv4-mapped IPv6 address "::ffff:1.2.3.4/24" is not allowed`),
    );
    assert.throws(
      () => evaluate("cidr('x')"),
      new CelEvaluationError(`${prefixed}${prefixed}netip.ParsePrefix("x"): no '/'`),
    );
  });
});
