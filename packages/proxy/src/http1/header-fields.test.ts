import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/fuzz";
import { HeaderFields } from "./header-fields.ts";

function fieldsOf(text: string): HeaderFields {
  const fields = new HeaderFields();
  assert.equal(fields.parse(text, 0, 1_000), undefined);
  return fields;
}

describe("HeaderFields", () => {
  it("tells names of the same length, first and last character apart", () => {
    const fields = fieldsOf("x-ab: 1\r\nX-CB: 2\r\nx-ab: 3\r\n");

    assert.deepEqual(fields.get("x-ab"), ["1", "3"]);
    assert.equal(fields.get("x-cb"), "2");
    assert.equal(fields.get("x-db"), undefined);
  });

  it("does not take a name that begins with another one for it, whatever its length", () => {
    for (const length of [65_535, 65_536, 65_537, 131_072, 131_073]) {
      const name = `host${"x".repeat(length - 1)}t`;
      const fields = fieldsOf(`${name}: 1\r\n`);

      assert.equal(fields.get("host"), undefined, `${length}`);
      assert.equal(fields.get(name), "1");
    }
  });

  it("drops the fields of a name, and keeps all others byte for byte", () => {
    const long = `host${"x".repeat(65_535)}t`;
    const fields = fieldsOf(`Host: a\r\nX-One:  1 \r\nhost: b\r\n${long}: c\r\nx-two: 2\r\n`);
    fields.drop("host");
    fields.drop("");

    assert.equal(fields.text(), `X-One:  1 \r\n${long}: c\r\nx-two: 2\r\n`);
  });

  it("finds the same fields as a parser by patterns", () => {
    const random = new SeededRandom(7);
    const names = ["a", "aa", "ab", "ba", "aba", "aca", "host", "HOST", "hast", "most", "x-host", "a-b-c", "A-C-C"];
    for (let round = 0; round < 2_000; round += 1) {
      const lines = Array.from({ length: random.int(40) }, (_, index) => `${random.pick(names)}: ${index}\r\n`);
      const text = lines.join("");
      const fields = fieldsOf(text);

      for (const name of new Set(names.map((each) => each.toLowerCase()))) {
        const values = Array.from(text.matchAll(new RegExp(`^${name}: (\\d+)\\r$`, "gim")), ([, value]) => value ?? "");
        const expected = values.length > 1 ? values : values[0];
        assert.deepEqual(fields.get(name), expected, `${name} in ${JSON.stringify(text)}`);
      }
    }
  });
});
