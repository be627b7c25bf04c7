import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultsOf, historyOf, type Write } from "./history.ts";

/** Parses a history in short notation: `a1` is a write of `a` in term 1. */
const parseHistory = (line: string): Write[] =>
  line
    .split(" ")
    .map((word, n) => ({ version: BigInt(n + 99), writer: word.slice(0, 1), epoch: Number(word.slice(1)) }));

describe("faultsOf", () => {
  it("returns nothing for consecutive terms, for any leaders and any order of the list", () => {
    assert.deepEqual(faultsOf([]), []);
    assert.deepEqual(faultsOf(parseHistory("a1 a1 b2 b2 a3 a4 b7").toReversed()), []);
  });

  it("finds two alternating writers", () => {
    assert.deepEqual(faultsOf(parseHistory("a1 b2 a1 b2")), ["101: a wrote for term 1 after b had in term 2"]);
  });

  it("finds every late write of a replaced leader, also when it leads again", () => {
    assert.equal(faultsOf(parseHistory("a1 b2 a1 a1 a1 b2")).length, 3);
    assert.deepEqual(faultsOf(parseHistory("a1 b2 a3 a1")), ["102: a wrote for term 1 after a had in term 3"]);
  });

  it("finds two writers in one term", () => {
    assert.deepEqual(faultsOf(parseHistory("a1 a1 b1")), ["101: b wrote in term 1, which is a's"]);
  });

  it("orders by number and not by text, and ignores objects of other writers", () => {
    const item = (resourceVersion: string, data?: object): object => ({ metadata: { resourceVersion }, data });
    const items = [item("1000", { writer: "b", epoch: "2" }), item("999", { writer: "a", epoch: "1" }), item("5")];

    const history = historyOf({ items });

    assert.equal(history.length, 2);
    assert.deepEqual(faultsOf(history), []);
  });
});
