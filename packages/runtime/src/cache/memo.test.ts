import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Memo } from "./memo.ts";

/** Reads like the store: a missing value is created and kept. Returns true if it was there. */
function read(memo: Memo<string>, slot: number, bytes = 10): boolean {
  if (memo.get(slot) !== undefined) return true;
  memo.set(slot, `value ${slot}`, bytes);
  return false;
}

function held(memo: Memo<string>, slots: number): number {
  return Array.from({ length: slots }, (_, slot) => memo.peek(slot)).filter((value) => value !== undefined).length;
}

describe("Memo", () => {
  it("keeps values that were just read", () => {
    const memo = new Memo<string>();

    read(memo, 1);
    read(memo, 2);

    assert.ok(read(memo, 1));
    assert.equal(memo.peek(2), "value 2");
  });

  it("holds few values after a scan, even if each is read twice in a row", () => {
    const memo = new Memo<string>({ countMax: 1000 });

    for (let slot = 0; slot < 10_000; slot += 1) {
      read(memo, slot);
      read(memo, slot);
    }

    assert.equal(held(memo, 10_000), 125);
  });

  it("keeps values that are read repeatedly, whatever else is scanned", () => {
    const memo = new Memo<string>({ countMax: 100 });
    for (let round = 0; round < 2; round += 1) for (let slot = 0; slot < 80; slot += 1) read(memo, slot);

    for (let slot = 1000; slot < 9000; slot += 1) read(memo, slot);

    const found = Array.from({ length: 80 }, (_, slot) => memo.peek(slot) !== undefined);
    assert.ok(found.filter(Boolean).length >= 67, `of 80 there are ${found.filter(Boolean).length}`);
  });

  it("keeps a value that was read often after its object has changed", () => {
    const memo = new Memo<string>({ countMax: 80 });
    for (let round = 0; round < 2; round += 1) for (let slot = 0; slot < 40; slot += 1) read(memo, slot);

    memo.delete(0);
    memo.set(0, "new", 10);
    for (let slot = 100; slot < 130; slot += 1) read(memo, slot);

    assert.equal(memo.peek(0), "new");
  });

  it("holds nothing after clear, and keeps values that were read often from their next read on", () => {
    const memo = new Memo<string>({ countMax: 80 });
    for (let round = 0; round < 2; round += 1) for (let slot = 0; slot < 40; slot += 1) read(memo, slot);

    memo.clear();
    assert.equal(held(memo, 40), 0);
    for (let slot = 0; slot < 40; slot += 1) read(memo, slot);

    assert.ok(held(memo, 40) >= 30, `of 40 there are ${held(memo, 40)}`);
  });

  it("never exceeds its limits on count and bytes", () => {
    for (const countMax of [0, 1, 2, 3, 7, 50]) {
      const memo = new Memo<string>({ countMax, bytesMax: 4000 });
      for (let i = 0; i < 2000; i += 1) {
        read(memo, (i * 7919) % 101, 1 + ((i * 31) % 500));

        assert.ok(held(memo, 101) <= countMax, `${held(memo, 101)} of ${countMax}`);
      }
    }
    const memo = new Memo<string>({ bytesMax: 4000 });
    for (let i = 0; i < 300; i += 1) read(memo, i % 60, 100);
    assert.ok(held(memo, 60) <= 40);
    memo.set(0, "long", 501);
    assert.equal(memo.peek(0), undefined);
  });
});
