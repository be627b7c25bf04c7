import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { CompressionFault } from "./compression-fault.ts";
import { FieldTable } from "./field-table.ts";
import { HpackDecoder } from "./hpack-decoder.ts";
import { encodeFields } from "./literal-writer.ts";

const limits = { fieldsMax: 200, listBytesMax: 32_768 };

function scan(hex: string): FieldTable {
  const table = new FieldTable(limits);
  table.scan(Buffer.from(hex.replace(/\s/g, ""), "hex"), 0);
  return table;
}

function fieldsOf(table: FieldTable): [string, string][] {
  return Array.from({ length: table.count }, (_, index) => [table.nameAt(index), table.valueAt(index)]);
}

describe("FieldTable", () => {
  it("reads indexed fields, and literals with and without Huffman coding", () => {
    const table = scan(
      "82 86 04 0c 2f73616d706c652f70617468 41 8cf1e3c2e5f23a6ba0ab90f4ff 10 08 70617373776f7264 06 736563726574",
    );

    assert.deepEqual(fieldsOf(table), [
      [":method", "GET"],
      [":scheme", "http"],
      [":path", "/sample/path"],
      [":authority", "www.example.com"],
      ["password", "secret"],
    ]);
    assert.equal(table.problem, undefined);
  });

  it("finds repeated names and those with Huffman coding", () => {
    const table = scan("40 88 25a849e95ba97d7f 01 31 00 0a 637573746f6d2d6b6579 01 32 00 01 61 01 33");

    assert.deepEqual(table.get("custom-key"), ["1", "2"]);
    assert.equal(table.get("a"), "3");
    assert.equal(table.get("b"), undefined);
  });

  it("keeps a copy that later blocks do not change", () => {
    const table = scan("20 82 00 01 61 01 33");

    const copy = table.copy();
    table.scan(Buffer.from("83", "hex"), 0);

    assert.deepEqual(fieldsOf(copy), [
      [":method", "GET"],
      ["a", "3"],
    ]);
  });

  const faults: readonly [name: string, hex: string][] = [
    ["an index of the dynamic table", "be"],
    ["a name of the dynamic table", "7e 01 61"],
    ["index 0", "80"],
    ["a table size update other than 0", "21"],
    ["a table size update after a field", "82 20"],
    ["a name that ends after the block", "00 05 61"],
    ["a value that ends after the block", "00 01 61 02 62"],
    ["an invalid Huffman code of a name", "00 84 ffffffff 01 61"],
    ["an invalid Huffman code of a value", "00 01 61 81 18"],
  ];
  for (const [name, hex] of faults) it(`refuses ${name}`, () => assert.throws(() => scan(hex), CompressionFault));

  const malformed: readonly [name: string, field: readonly [string, string]][] = [
    ["an upper-case name", ["Accept", "a"]],
    ["an empty name", ["", "a"]],
    ["a name with a space", ["a b", "a"]],
    ["a name with a colon", ["a:b", "a"]],
    ["an unknown pseudo-header field", [":foo", "a"]],
    ["a line feed in a value", ["a", "b\nc"]],
    ["a carriage return in a value", ["a", "b\rc"]],
    ["a NUL in a value", ["a", "b\0c"]],
    ["a space before a value", ["a", " b"]],
    ["a tab after a value", ["a", "b\t"]],
    ["connection", ["connection", "close"]],
    ["keep-alive", ["keep-alive", "timeout=5"]],
    ["proxy-connection", ["proxy-connection", "close"]],
    ["transfer-encoding", ["transfer-encoding", "chunked"]],
    ["upgrade", ["upgrade", "websocket"]],
  ];
  for (const [name, field] of malformed) {
    it(`marks ${name} as malformed`, () => {
      const table = new FieldTable(limits);

      table.scan(encodeFields([[":method", "GET"], field]), 0);

      assert.notEqual(table.problem, undefined);
    });
  }

  it("marks Huffman codes of forbidden bytes as malformed", () => {
    // NUL has the code 1111111111000, followed by padding.
    assert.notEqual(scan("00 01 61 82 ffc7").problem, undefined);
    // A space has the code 010100.
    assert.notEqual(scan("00 01 61 81 53").problem, undefined);
  });

  it("marks a pseudo-header field after a regular field as malformed", () => {
    assert.notEqual(scan("00 01 61 01 62 82").problem, undefined);
  });

  const sized = (valueLength: number): FieldTable => {
    const table = new FieldTable({ fieldsMax: 3, listBytesMax: 100 });
    table.scan(encodeFields([["a", "b".repeat(valueLength)]]), 0);
    return table;
  };

  it("marks lists above the limits as too large", () => {
    const four = new FieldTable({ fieldsMax: 3, listBytesMax: 1_000 });
    four.scan(Buffer.from("82828282", "hex"), 0);

    assert.equal(sized(66).isTooLarge, false);
    assert.equal(sized(67).isTooLarge, false);
    assert.equal(sized(68).isTooLarge, true);
    assert.equal(four.isTooLarge, true);
  });

  it("reads what the decoder reads, or refuses it", () => {
    const seeds = [
      "828604 0c2f73616d706c652f70617468 418cf1e3c2e5f23a6ba0ab90f4ff",
      "4088 25a849e95ba97d7f 8925a849e95bb8e8b4bf 1008 70617373776f7264 06 736563726574",
      "2082 87 84 0f0d 02 3130 00 07 6261676761676 5 03 613d62",
    ].map((hex) => Buffer.from(hex.replace(/\s/g, ""), "hex"));

    const { accepted } = fuzz({
      count: 10_000,
      input: (chance) => {
        const bytes = Buffer.from(chance.pick(seeds));
        for (let edits = chance.int(3); edits > 0; edits -= 1) bytes[chance.int(bytes.length)] = chance.int(256);
        return bytes.subarray(0, chance.int(4) === 0 ? chance.int(bytes.length + 1) : bytes.length);
      },
      run: (bytes) => {
        const table = new FieldTable(limits);
        table.scan(bytes, 0);
        const { fields } = new HpackDecoder(0).decode(bytes, 0, bytes.length, 32_768);
        assert.deepEqual(fieldsOf(table), fields);
      },
      isExpected: (error) => error instanceof CompressionFault,
    });

    assert.ok(accepted > 1_000 && accepted < 9_500, `${accepted} accepted`);
  });
});
