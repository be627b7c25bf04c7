import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultsOf, historyOf, type Write } from "./history.ts";

/** A history told in one line: `a1` is a write of `a` for term 1. */
const told = (line: string): Write[] =>
  line
    .split(" ")
    .map((word, n) => ({ version: BigInt(n + 99), writer: word.slice(0, 1), epoch: Number(word.slice(1)) }));

describe("the judge of histories", () => {
  it("finds nothing in terms that follow each other, whoever has them and in whatever order they are listed", () => {
    assert.deepEqual(faultsOf([]), []);
    assert.deepEqual(faultsOf(told("a1 a1 b2 b2 a3 a4 b7").toReversed()), []);
  });

  it("finds two writers that take turns", () => {
    assert.deepEqual(faultsOf(told("a1 b2 a1 b2")), ["101: a wrote for term 1 after b had in term 2"]);
  });

  it("finds every late write of a leader that was replaced, also after it leads again", () => {
    assert.equal(faultsOf(told("a1 b2 a1 a1 a1 b2")).length, 3);
    assert.deepEqual(faultsOf(told("a1 b2 a3 a1")), ["102: a wrote for term 1 after a had in term 3"]);
  });

  it("finds two writers that both believe to have the same term", () => {
    assert.deepEqual(faultsOf(told("a1 a1 b1")), ["101: b wrote in term 1, which is a's"]);
  });

  it("orders by number and not by text, and leaves out what no candidate wrote", () => {
    const item = (resourceVersion: string, data?: object): object => ({ metadata: { resourceVersion }, data });
    const items = [item("1000", { writer: "b", epoch: "2" }), item("999", { writer: "a", epoch: "1" }), item("5")];

    const history = historyOf({ items });

    assert.equal(history.length, 2);
    assert.deepEqual(faultsOf(history), []);
  });
});
