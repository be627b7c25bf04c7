import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Cidr, isPartOf, parseCidr } from "./network.ts";

function read(text: string): Cidr {
  const cidr = parseCidr(text);
  assert.ok(cidr !== undefined, text);
  return cidr;
}

describe("a CIDR", () => {
  it("is parsed", () => {
    assert.deepEqual(read("10.1.2.3/8"), { family: "ipv4", address: "10.1.2.3", prefix: 8 });
    assert.deepEqual(read("0.0.0.0/0"), { family: "ipv4", address: "0.0.0.0", prefix: 0 });
    assert.deepEqual(read("::/0"), { family: "ipv6", address: "::", prefix: 0 });
    assert.deepEqual(read("2001:db8::1/128"), { family: "ipv6", address: "2001:db8::1", prefix: 128 });
    assert.deepEqual(read("::ffff:1.2.3.4/128"), { family: "ipv6", address: "::ffff:1.2.3.4", prefix: 128 });
  });

  it("is undefined for any other text", () => {
    const texts = [
      "",
      "10.0.0.0",
      "10.0.0.0/33",
      "10.0.0/8",
      "010.0.0.0/8",
      "::/129",
      "::1%eth0/64",
      "a/8",
      "1.2.3.4/08",
    ];

    assert.deepEqual(
      texts.filter((text) => parseCidr(text) !== undefined),
      [],
    );
  });

  it("is part of a larger one that contains it", () => {
    assert.ok(isPartOf(read("10.1.0.0/16"), read("10.0.0.0/8")));
    assert.ok(isPartOf(read("10.1.2.3/16"), read("10.9.9.9/8")));
    assert.ok(isPartOf(read("fc00::/7"), read("::/0")));
    assert.ok(isPartOf(read("2001:db8:1::/48"), read("2001:db8::/32")));
    assert.ok(isPartOf(read("::ffff:10.1.0.0/112"), read("::ffff:10.0.0.0/104")));
    assert.ok(!isPartOf(read("2001:db9::/48"), read("2001:db8::/32")));
    assert.ok(!isPartOf(read("10.0.0.0/8"), read("10.0.0.0/8")));
    assert.ok(!isPartOf(read("11.0.0.0/16"), read("10.0.0.0/8")));
    assert.ok(!isPartOf(read("10.0.0.0/8"), read("10.1.0.0/16")));
    assert.ok(!isPartOf(read("10.0.0.0/16"), read("::/0")));
  });
});
