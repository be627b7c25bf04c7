import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Cidr, isPartOf, parseCidr } from "./cidr.ts";

function read(text: string): Cidr {
  const cidr = parseCidr(text);
  assert.ok(cidr !== undefined, text);
  return cidr;
}

describe("a block of addresses", () => {
  it("is read in every way of writing it", () => {
    assert.deepEqual(read("10.1.2.3/8"), { family: 4, first: 10n << 24n, prefix: 8 });
    assert.deepEqual(read("0.0.0.0/0"), { family: 4, first: 0n, prefix: 0 });
    assert.deepEqual(read("::/0"), { family: 6, first: 0n, prefix: 0 });
    assert.deepEqual(read("2001:db8::1/128"), { family: 6, first: (0x2001_0db8n << 96n) + 1n, prefix: 128 });
    assert.deepEqual(read("1:2:3:4:5:6:7:8/128"), {
      family: 6,
      first: 0x0001_0002_0003_0004_0005_0006_0007_0008n,
      prefix: 128,
    });
    assert.deepEqual(read("::ffff:1.2.3.4/128"), { family: 6, first: 0xffff_0102_0304n, prefix: 128 });
  });

  it("is nothing else", () => {
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

  it("is part of another that is larger and holds it", () => {
    assert.ok(isPartOf(read("10.1.0.0/16"), read("10.0.0.0/8")));
    assert.ok(isPartOf(read("fc00::/7"), read("::/0")));
    assert.ok(!isPartOf(read("10.0.0.0/8"), read("10.0.0.0/8")));
    assert.ok(!isPartOf(read("11.0.0.0/16"), read("10.0.0.0/8")));
    assert.ok(!isPartOf(read("10.0.0.0/8"), read("10.1.0.0/16")));
    assert.ok(!isPartOf(read("10.0.0.0/16"), read("::/0")));
  });
});
