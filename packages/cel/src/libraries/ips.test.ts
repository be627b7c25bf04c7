import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { createEnvironment } from "../environment.ts";
import { CelEvaluationError } from "../errors.ts";
import type { CelValue } from "../values/value.ts";
import { formatIpAddress, parseIpAddress } from "./ip-address.ts";
import { ipLibrary, readIp } from "./ips.ts";
import { Malformed } from "./malformed.ts";

const environment = createEnvironment({ libraries: [ipLibrary] });

function evaluate(expression: string): CelValue {
  return environment.compile(expression).evaluate({});
}

function problem(text: string): string {
  const address = parseIpAddress(text);
  assert.ok(address instanceof Malformed, text);
  return address.problem;
}

const bytes4 = fc.array(fc.nat({ max: 255 }), { minLength: 4, maxLength: 4 });
const bytes6 = fc.array(fc.constantFrom(0, 0, 0, 1, 0xff), { minLength: 16, maxLength: 16 });

describe("IP addresses", () => {
  it("format canonically and parse to the same value", () => {
    fc.assert(
      fc.property(fc.oneof(bytes4, bytes6), (bytes) => {
        const address = { family: bytes.length === 4 ? (4 as const) : (6 as const), bytes, zone: "" };
        const text = formatIpAddress(address);

        assert.deepEqual(parseIpAddress(text), address);
        assert.ok(bytes.length === 4 ? isIPv4(text) : isIPv6(text), text);
      }),
    );
  });

  it("are accepted exactly if node:net accepts them, except for zones", () => {
    const part = fc.constantFrom("0", "1", "ff", "::", ":", ".", "1.2.3.4", "255", "256", "01", "ffff", "g", "10000");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const isAddress = !(parseIpAddress(text) instanceof Malformed);

        assert.equal(isAddress, isIPv4(text) || isIPv6(text), text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("compress the first of the longest runs of zeros", () => {
    const canonical = (text: string): string => {
      const address = parseIpAddress(text);
      assert.ok(!(address instanceof Malformed));
      return formatIpAddress(address);
    };

    assert.equal(canonical("2001:DB8:0:0:1:0:0:1"), "2001:db8::1:0:0:1");
    assert.equal(canonical("1:0:3:0:5:0:7:0"), "1:0:3:0:5:0:7:0", "one zero alone is written");
    assert.equal(canonical("0:0:0:0:0:0:0:0"), "::");
    assert.equal(canonical("::ffff:1.2.3.4"), "::ffff:1.2.3.4");
    assert.equal(canonical("fe80::1%eth0"), "fe80::1%eth0");
  });

  it("are rejected with the messages of the API server", () => {
    assert.equal(problem(""), 'ParseAddr(""): unable to parse IP');
    assert.equal(problem("1.2.3"), 'ParseAddr("1.2.3"): IPv4 address too short');
    assert.equal(problem("1.2.3.04"), 'ParseAddr("1.2.3.04"): IPv4 field has octet with leading zero');
    assert.equal(problem("1.2.3.x"), 'ParseAddr("1.2.3.x"): unexpected character (at "x")');
    assert.equal(problem(":::"), 'ParseAddr(":::"): each colon-separated field must have at least one digit (at ":")');
    assert.equal(problem("1::2::3"), 'ParseAddr("1::2::3"): multiple :: in address (at ":3")');
  });
});

describe("the library of IP addresses", () => {
  it("allows neither zones nor IPv4-mapped addresses", () => {
    const { problem: zone } = readIp("fe80::1%eth0") as Malformed;
    const { problem: mapped } = readIp("::ffff:1.2.3.4") as Malformed;

    assert.equal(zone, 'IP address "fe80::1%eth0" with zone value is not allowed');
    assert.equal(mapped, 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed');
    assert.equal(evaluate("isIP('::ffff:1.2.3.4')"), false);
  });

  it("classifies addresses", () => {
    const holds = (kind: string, text: string): CelValue => evaluate(`ip('${text}').${kind}()`);

    assert.equal(holds("isLoopback", "127.255.0.1"), true);
    assert.equal(holds("isLoopback", "::2"), false);
    assert.equal(holds("isUnspecified", "::"), true);
    assert.equal(holds("isLinkLocalUnicast", "febf::1"), true);
    assert.equal(holds("isLinkLocalMulticast", "224.0.0.255"), true);
    assert.equal(holds("isLinkLocalMulticast", "ff12::1"), true);
    assert.equal(holds("isGlobalUnicast", "10.0.0.1"), true);
    assert.equal(holds("isGlobalUnicast", "255.255.255.255"), false);
    assert.equal(holds("isGlobalUnicast", "ff02::1"), false);
    assert.equal(holds("family", "::1"), 6n);
  });

  it("compares, formats and detects canonical strings", () => {
    assert.equal(evaluate("ip('::1') == ip('0:0:0:0:0:0:0:1')"), true);
    assert.equal(evaluate("string(ip('2001:DB8::1'))"), "2001:db8::1");
    assert.equal(evaluate("ip.isCanonical('2001:DB8::1')"), false);
    assert.equal(evaluate("type(ip('::1')) == net.IP"), true);
    assert.throws(() => evaluate("dyn(ip('::1')) == '::1'"), new CelEvaluationError("no such overload"));
  });
});
