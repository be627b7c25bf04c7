import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CompressionFault } from "./compression-fault.ts";
import { HpackDecoder } from "./hpack-decoder.ts";
import { IntegerReader, writeInteger } from "./prefix-integer.ts";

type Fields = readonly (readonly [string, string])[];

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replace(/\s/g, ""), "hex");
}

function decode(decoder: HpackDecoder, hex: string): Fields {
  const bytes = bytesOf(hex);
  return decoder.decode(bytes, 0, bytes.length, 65_536).fields;
}

const firstRequest: Fields = [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/"],
  [":authority", "www.example.com"],
];
const secondRequest: Fields = [...firstRequest, ["cache-control", "no-cache"]];
const thirdRequest: Fields = [
  [":method", "GET"],
  [":scheme", "https"],
  [":path", "/index.html"],
  [":authority", "www.example.com"],
  ["custom-key", "custom-value"],
];
const date = "Mon, 21 Oct 2013 20:13:21 GMT";
const location = "https://www.example.com";
const firstResponse: Fields = [
  [":status", "302"],
  ["cache-control", "private"],
  ["date", date],
  ["location", location],
];
const secondResponse: Fields = [
  [":status", "307"],
  ["cache-control", "private"],
  ["date", date],
  ["location", location],
];
const thirdResponse: Fields = [
  [":status", "200"],
  ["cache-control", "private"],
  ["date", "Mon, 21 Oct 2013 20:13:22 GMT"],
  ["location", location],
  ["content-encoding", "gzip"],
  ["set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"],
];

describe("examples of RFC 7541, appendix C", () => {
  const integers: readonly [value: number, bits: number, hex: string][] = [
    [10, 5, "0a"],
    [1337, 5, "1f9a0a"],
    [42, 8, "2a"],
  ];
  for (const [value, bits, hex] of integers) {
    it(`C.1: reads and writes ${value} with a prefix of ${bits} bits`, () => {
      const bytes = bytesOf(hex);
      const reader = new IntegerReader();
      const written = Buffer.alloc(8);

      assert.equal(reader.read(bytes, 0, { end: bytes.length, bits }), value);
      assert.equal(reader.at, bytes.length);
      assert.equal(written.toString("hex", 0, writeInteger(written, 0, 0, (1 << bits) - 1, value)), hex);
    });
  }

  const single: readonly [name: string, hex: string, field: readonly [string, string]][] = [
    [
      "C.2.1: literal with indexing",
      "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
      ["custom-key", "custom-header"],
    ],
    ["C.2.2: literal without indexing", "040c 2f73 616d 706c 652f 7061 7468", [":path", "/sample/path"]],
    ["C.2.3: literal never indexed", "1008 7061 7373 776f 7264 0673 6563 7265 74", ["password", "secret"]],
    ["C.2.4: indexed", "82", [":method", "GET"]],
  ];
  for (const [name, hex, field] of single) it(name, () => assert.deepEqual(decode(new HpackDecoder(), hex), [field]));

  it("C.3: requests without Huffman coding", () => {
    const decoder = new HpackDecoder();

    assert.deepEqual(decode(decoder, "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d"), firstRequest);
    assert.deepEqual(decode(decoder, "8286 84be 5808 6e6f 2d63 6163 6865"), secondRequest);
    assert.deepEqual(
      decode(decoder, "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"),
      thirdRequest,
    );
  });

  it("C.4: requests with Huffman coding", () => {
    const decoder = new HpackDecoder();

    assert.deepEqual(decode(decoder, "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff"), firstRequest);
    assert.deepEqual(decode(decoder, "8286 84be 5886 a8eb 1064 9cbf"), secondRequest);
    assert.deepEqual(decode(decoder, "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf"), thirdRequest);
  });

  it("C.5: responses without Huffman coding, with evictions", () => {
    const decoder = new HpackDecoder(256);

    assert.deepEqual(
      decode(
        decoder,
        `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
         2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
      ),
      firstResponse,
    );
    assert.deepEqual(decode(decoder, "4803 3330 37c1 c0bf"), secondResponse);
    assert.deepEqual(
      decode(
        decoder,
        `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970
         7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61
         6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31`,
      ),
      thirdResponse,
    );
  });

  it("C.6: responses with Huffman coding, with evictions", () => {
    const decoder = new HpackDecoder(256);

    assert.deepEqual(
      decode(
        decoder,
        `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d
         29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
      ),
      firstResponse,
    );
    assert.deepEqual(decode(decoder, "4883 640e ffc1 c0bf"), secondResponse);
    assert.deepEqual(
      decode(
        decoder,
        `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2
         e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
      ),
      thirdResponse,
    );
  });
});

describe("HpackDecoder", () => {
  const faults: readonly [name: string, hex: string][] = [
    ["index 0", "80"],
    ["an index beyond the tables", "be"],
    ["a name index beyond the tables", "7f 00 01 61"],
    ["a table size update after a field", "82 20"],
    ["a table size update above the limit", "3f e2 1f"],
    ["an integer without end", "ff ff ff ff ff ff 01"],
    ["a block that ends inside an integer", "ff 80"],
    ["a block that ends inside a name", "40 05 61"],
    ["a block that ends inside a value", "40 01 61 05 62"],
    ["a block that ends before a value", "40 01 61"],
    ["Huffman padding of eight bits", "40 01 61 82 1f ff"],
    ["Huffman padding of zeros", "40 01 61 81 18"],
    ["the Huffman code of EOS", "40 01 61 84 ff ff ff ff"],
  ];
  for (const [name, hex] of faults)
    it(`refuses ${name}`, () => assert.throws(() => decode(new HpackDecoder(), hex), CompressionFault));

  it("evicts everything when the table becomes smaller", () => {
    const decoder = new HpackDecoder();
    decode(decoder, "4001 6101 62");

    assert.deepEqual(decode(decoder, "be"), [["a", "b"]]);
    decode(decoder, "20");
    assert.throws(() => decode(decoder, "be"), CompressionFault);
  });

  it("refuses updates above the size that the peer has acknowledged", () => {
    const decoder = new HpackDecoder();
    decode(decoder, "4001 6101 62");

    decoder.limitTable(0);

    // The peer goes on using its table until it sends an update.
    assert.deepEqual(decode(decoder, "be"), [["a", "b"]]);
    assert.equal(decoder.isTableEmpty, false);
    assert.throws(() => decode(decoder, "21"), CompressionFault);
    assert.deepEqual(decode(decoder, "20 82"), [[":method", "GET"]]);
    assert.equal(decoder.isTableEmpty, true);
  });

  it("keeps the table up to date when the list is too large, and collects no more fields", () => {
    const decoder = new HpackDecoder();
    const bomb = Buffer.concat([bytesOf("4001 6101 62"), Buffer.alloc(10_000, 0xbe), bytesOf("4001 6301 64")]);

    const { fields, isTooLarge } = decoder.decode(bomb, 0, bomb.length, 1_024);

    assert.equal(isTooLarge, true);
    assert.ok(fields.length <= 32);
    assert.deepEqual(decode(decoder, "be bf"), [
      ["c", "d"],
      ["a", "b"],
    ]);
  });
});
