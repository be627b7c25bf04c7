import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { effectiveFormat, findTextFormat } from "./registry.ts";

/** Valid and invalid strings of each format, according to kube-openapi of Kubernetes 1.36. */
const table: Readonly<Record<string, { readonly yes: readonly string[]; readonly no: readonly string[] }>> = {
  bsonobjectid: { yes: ["507f1f77bcf86cd799439011"], no: ["507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901x"] },
  byte: { yes: ["YQ==", "YWI=", "YWJj"], no: ["", "YQ=", "Y===", "YQ==YQ==", "YQ-_"] },
  cidr: {
    yes: ["1.2.3.4/8", "01.2.3.4/032", "::/0", "::ffff:1.2.3.4/100", "00001::/3"],
    no: ["1.2.3.4", "1.2.3.4/33", "::1/129", "1.2.3.4/", "1.2.3.4/+8"],
  },
  creditcard: { yes: ["4111111111111111", "5500 0000 0000 0004"], no: ["4111111111111112", "1234"] },
  date: { yes: ["2024-02-29", "0000-01-01"], no: ["2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1"] },
  "date-time": {
    yes: ["2024-02-29T12:00:00Z", "2024-02-29t12:00:00.123+01:00", "2024-02-29T12:00:00x1z", "2024-02-29T12:00:00ztx"],
    no: ["2024-02-29T24:00:00Z", "2024-02-29T12:00:00", "2024-02-29T12:00:60Z", "2023-02-29T12:00:00Z", "T"],
  },
  duration: {
    yes: ["1h", "1h30m", "0", "-1.5s", "1.s", "1µs", "1μs", "5 days", "10 MINUTES", "3 weeks 2 foo", "9999999999999h"],
    no: ["", "1", ".s", "99999999999999999999h", "1mon", "days 5"],
  },
  email: {
    yes: ["a@b", "A <a@b.c>", '"x y"@z', "a@[1.2.3.4]", "a@b (c)", "g: a@b;", "=?utf-8?q?x?= <a@b>", "é@é", "<a@b>"],
    no: ["", "a", "a@", "a.@b", "g:;", "g: a@b, c@d;", "=?foo?q?x?= <a@b>", "a@b, c@d", "a@[1.2]", "(c) a@b"],
  },
  hexcolor: { yes: ["#fff", "FFFFFF"], no: ["#ffff", "#ggg"] },
  hostname: {
    yes: ["a", "a-", "a-b", "example.com", "ü.com", "😀.com"],
    no: ["", "ab-c", "a.b", "a..bc", "a_b", "x.co1", "-a", `${"a".repeat(64)}.com`],
  },
  ipv4: { yes: ["1.2.3.4", "01.2.3.004", "::ffff:1.2.3.4"], no: ["256.1.1.1", "1.2.3", "1.2.3.4.5", "::1"] },
  ipv6: {
    yes: ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"],
    no: ["1::2::3", "fe80::1%eth0", "00001::", "1:2", ":1", "1.2.3.4"],
  },
  isbn: { yes: ["0321751043", "978-0321751041", "0-8044-2957-X"], no: ["0321751044", "978"] },
  "k8s-long-name": { yes: ["a.b-c", "a"], no: ["a..b", "a-.b", "A", "a".repeat(254)] },
  "k8s-short-name": { yes: ["a-b", "0"], no: ["a.b", "a-", "a".repeat(64)] },
  mac: {
    yes: ["01:23:45:67:89:ab", "01-23-45-67-89-AB-cd-ef", "0123.4567.89ab", "0123456789ab"],
    no: ["01:23-45:67:89:ab", "01:23:45:67:89"],
  },
  password: { yes: ["", "anything"], no: [] },
  rgbcolor: { yes: ["rgb(0,1,255)", "rgb( 25 , 9,1 )"], no: ["rgb(0,1,256)", "rgb(01,1,1)"] },
  ssn: { yes: ["123-45-6789", "123 45 6789"], no: ["123456789", "123-456789"] },
  uri: {
    yes: [
      "http://a.b/c?d#e",
      "mailto:a@b",
      "/p",
      "*",
      "pg://a:1,b:2/x",
      "http://[fe80::1%25en0]:80/",
      "foo:bar",
      "http://ü/",
    ],
    no: ["", "?x", "a", "/p%zz", "http://a:b:1", "http://a%41b/", "http://[1.2.3.4]", "http://h\n/", ":x"],
  },
  uuid: { yes: ["01234567-89ab-cdef-0123-456789abcdef", "0123456789ABcdef0123456789abcdef"], no: ["01234567-89ab"] },
  uuid3: { yes: ["01234567-89ab-3def-0123-456789abcdef"], no: ["01234567-89ab-4def-0123-456789abcdef"] },
  uuid4: { yes: ["01234567-89ab-4def-8123-456789abcdef"], no: ["01234567-89ab-4def-0123-456789abcdef"] },
  uuid5: { yes: ["01234567-89ab-5def-a123-456789abcdef"], no: ["01234567-89ab-4def-8123-456789abcdef"] },
};

describe("findTextFormat", () => {
  for (const [format, { yes, no }] of Object.entries(table)) {
    it(`accepts valid and rejects invalid strings of the format ${format}`, () => {
      const check = findTextFormat(format);

      for (const text of yes) assert.equal(check?.(text), true, JSON.stringify(text));
      for (const text of no) assert.equal(check?.(text), false, JSON.stringify(text));
    });
  }

  it("ignores dashes in format names, and returns undefined for unknown formats", () => {
    assert.equal(findTextFormat("datetime"), findTextFormat("date-time"));
    assert.equal(findTextFormat("no-such-format"), undefined);
    assert.equal(findTextFormat("__proto__"), undefined);
  });

  it("takes linear time for any string", () => {
    const seeds = Object.entries(table).flatMap(([format, { yes }]) => yes.map((text) => ({ format, text })));
    const pieces = [
      "a",
      "0",
      ".",
      ":",
      "-",
      "/",
      "%",
      "@",
      "[",
      "]",
      "(",
      ")",
      "<",
      '"',
      ",",
      " ",
      "\\",
      "=?",
      "é",
      "😀",
      "\n",
      "1".repeat(5_000),
      "(".repeat(5_000),
      "a@".repeat(2_000),
    ] as const;
    fuzz({
      count: 100_000,
      seed: 12,
      input: (chance) => {
        const { format, text } = chance.pick(seeds);
        const at = chance.int(text.length + 1);
        return { format, text: text.slice(0, at) + chance.pick(pieces) + text.slice(at + chance.int(3)) };
      },
      run: ({ format, text }) => {
        assert.equal(typeof findTextFormat(format)?.(text), "boolean");
      },
      isExpected: () => false,
    });
  });
});

describe("effectiveFormat", () => {
  it("drops formats that do not match the type", () => {
    assert.equal(effectiveFormat("int32", ["integer"]), "int32");
    assert.equal(effectiveFormat("int32", ["number"]), "");
    assert.equal(effectiveFormat("double", ["number"]), "double");
    assert.equal(effectiveFormat("ipv4", ["string"]), "ipv4");
    assert.equal(effectiveFormat("ipv4", []), "ipv4");
    assert.equal(effectiveFormat("ipv4", ["object"]), "");
    assert.equal(effectiveFormat("int64", ["string"]), "");
    assert.equal(effectiveFormat("made-up", ["string"]), "");
  });
});
