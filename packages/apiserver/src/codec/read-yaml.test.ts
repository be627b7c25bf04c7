import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DecodeError } from "./decode-error.ts";
import { readYaml, yamlLengthMax } from "./read-yaml.ts";

describe("readYaml", () => {
  it("parses version 1.1, but keeps dates as strings", () => {
    const { value } = readYaml("on: yes\nmode: 0755\nday: 2024-01-02\nletter: y\nbig: 9007199254740993\nhalf: 1.50\n");

    assert.deepEqual(value, {
      true: true,
      mode: 493,
      day: "2024-01-02",
      letter: true,
      big: 9_007_199_254_740_993n,
      half: 1.5,
    });
  });

  it("reports duplicate keys with their line", () => {
    const { value, duplicates } = readYaml("data:\n  a: one\n  b: two\n  a: three\n");

    assert.deepEqual(value, { data: { a: "three", b: "two" } });
    assert.deepEqual(duplicates, ['line 4: key "a" already set in map']);
  });

  it("accepts JSON", () => {
    const { value, duplicates } = readYaml('{"a":{"b":1,"b":2},"__proto__":1}');

    assert.deepEqual(Object.keys(value as object), ["a", "__proto__"]);
    assert.deepEqual(duplicates, ['line 1: key "b" already set in map']);
  });

  it("keeps keys of any name as data", () => {
    const { value } = readYaml("__proto__:\n  x: one\nconstructor: two\n");

    assert.deepEqual(Object.keys(value as object), ["__proto__", "constructor"]);
    assert.equal(Reflect.get({}, "x"), undefined);
  });

  it("refuses documents that are malformed, too long, or expand excessively", () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, n) => `${String.fromCharCode(98 + n)}: &${String.fromCharCode(98 + n)} [${Array.from({ length: 9 }, () => `*${String.fromCharCode(97 + n)}`).join(",")}]`).join("\n")}\n`;

    assert.throws(() => readYaml("a: [1\n"), DecodeError);
    assert.throws(() => readYaml("a: *nowhere\n"), /yaml: unknown anchor 'nowhere' referenced/);
    assert.throws(() => readYaml(`a: ${"x".repeat(yamlLengthMax)}`), /longer than/);
    assert.throws(() => readYaml(bomb), /excessive aliasing/);
    assert.throws(() => readYaml("[".repeat(20_000)), DecodeError);
  });
});
