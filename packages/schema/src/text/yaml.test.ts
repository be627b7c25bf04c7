import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toYaml } from "./yaml.ts";

describe("toYaml", () => {
  it("writes objects and lists in block style", () => {
    const text = toYaml({
      kind: "Tenant",
      metadata: { name: "a", labels: {} },
      list: [1, "two", { a: 1, b: [true, null] }, [], [[1], [2, 3]]],
      gone: undefined,
    });

    assert.equal(
      text,
      [
        "kind: Tenant",
        "metadata:",
        "  name: a",
        "  labels: {}",
        "list:",
        "- 1",
        "- two",
        "- a: 1",
        "  b:",
        "  - true",
        "  - null",
        "- []",
        "- - - 1",
        "  - - 2",
        "    - 3",
        "",
      ].join("\n"),
    );
  });

  it("quotes every string that a parser could read as another type", () => {
    const tricky = [
      "",
      " a",
      "a ",
      "yes",
      "No",
      "TRUE",
      "off",
      "y",
      "null",
      "~",
      "1",
      "1_000",
      "0x1F",
      "1e3",
      ".5",
      "-",
      "- x",
      "12:30:45",
      "2026-01-31",
      "=",
      "<<",
      "a: b",
      "a #b",
      "#a",
      "[a]",
      "{a}",
      "&a",
      "*a",
      "!a",
      "|",
      ">",
      "%a",
      "@a",
      "`a",
      "'a'",
      '"a"',
      "a\\b",
      "a\tb",
      "---",
      "ü",
    ];

    for (const text of tricky) assert.equal(toYaml({ a: text }), `a: ${JSON.stringify(text)}\n`);
  });

  it("does not quote words", () => {
    for (const text of [
      "Tenant",
      "shop.example.com/v1",
      "/spec/a",
      "two words",
      "x-kubernetes-list-type",
      "yesterday",
    ]) {
      assert.equal(toYaml({ a: text }), `a: ${text}\n`);
    }
  });

  it("quotes keys by the same rules, and writes very long keys as explicit keys", () => {
    assert.equal(toYaml({ yes: 1, "a b": 2, "1": 3 }), '"1": 3\n"yes": 1\na b: 2\n');
    assert.equal(toYaml({ ["k".repeat(1001)]: 1 }), `? "${"k".repeat(1001)}"\n: 1\n`);
  });

  it("writes multi-line strings as literal blocks if that is lossless", () => {
    assert.equal(toYaml({ a: "one\n  two\n\nthree" }), "a: |-\n  one\n    two\n\n  three\n");
    assert.equal(toYaml({ a: "one\ntwo\n" }), "a: |\n  one\n  two\n");
    assert.equal(toYaml({ a: "one\ntwo\n\n" }), "a: |+\n  one\n  two\n\n");
    assert.equal(toYaml(["one\ntwo"]), "- |-\n  one\n  two\n");
    assert.equal(toYaml({ a: "one\ntwo " }), 'a: "one\\ntwo "\n');
    assert.equal(toYaml({ a: " one\ntwo" }), 'a: " one\\ntwo"\n');
    assert.equal(toYaml("one\ntwo"), '"one\\ntwo"\n');
  });

  it("escapes characters that YAML treats as line breaks or forbids", () => {
    assert.equal(toYaml({ a: "x\u2028\u0085\ufeff\u007f\0" }), 'a: "x\\u2028\\u0085\\ufeff\\u007f\\u0000"\n');
    assert.equal(toYaml({ a: "\ud800" }), 'a: "\ufffd"\n');
    assert.equal(toYaml({ a: "😀" }), 'a: "😀"\n');
  });

  it("writes numbers that YAML 1.1 reads as numbers", () => {
    assert.equal(
      toYaml([1e21, 1.5e-7, -0, 123456789012345, 0.5]),
      "- 1.0e+21\n- 1.5e-7\n- 0\n- 123456789012345\n- 0.5\n",
    );
  });

  it("rejects values that are not JSON, and cyclic values", () => {
    const loop: unknown[] = [];
    loop.push(loop);

    for (const value of [{ a: () => 1 }, [NaN], { a: 1n }, { a: new Date(0) }, loop]) {
      assert.throws(() => toYaml(value), TypeError);
    }
  });
});
