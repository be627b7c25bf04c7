import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SeededRandom } from "@homeostat/core";
import { Slabs } from "./slabs.ts";

function put(slabs: Slabs, slot: number, text: string): void {
  const bytes = Buffer.from(text);
  slabs.put(slot, bytes, { start: 0, cutStart: bytes.length, cutEnd: bytes.length, end: bytes.length });
}

describe("Slabs", () => {
  it("return the last entry of every slot, whatever happened to the others", () => {
    const action = fc.record({
      slot: fc.nat(30),
      length: fc.oneof(fc.nat(200), fc.nat(9000)),
      what: fc.constantFrom("put", "put", "remove", "tidy"),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const slabs = new Slabs({ slabBytesMax: 1 });
        const model = new Map<number, string>();

        for (const [step, { slot, length, what }] of actions.entries()) {
          const text = `${step}:`.padEnd(length, String(slot));
          if (what === "put") {
            put(slabs, slot, text);
            model.set(slot, text);
          } else if (what === "remove") {
            slabs.remove(slot);
            model.delete(slot);
          } else slabs.compact();

          for (let i = 0; i <= 30; i += 1) assert.equal(slabs.text(i), model.get(i));
          assert.equal(
            slabs.liveBytes,
            [...model.values()].reduce((sum, text) => sum + text.length, 0),
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  it("leave out the cut part", () => {
    const slabs = new Slabs();
    const bytes = Buffer.from("..keep this, not that, and this..");

    slabs.put(3, bytes, { start: 2, cutStart: 11, cutEnd: 21, end: 31 });

    assert.equal(slabs.text(3), "keep this, and this");
    assert.ok(slabs.matches(3, 5, Buffer.from("xthisx"), 1, 5));
    assert.ok(!slabs.matches(3, 15, Buffer.from("this!"), 0, 5), "past the end");
    assert.equal(slabs.view(3)?.toString(), "keep this, and this");
  });

  it("keep old bytes unchanged until they are compacted", () => {
    const slabs = new Slabs();
    put(slabs, 0, "before");
    const view = slabs.view(0);

    put(slabs, 0, "after");
    for (let i = 1; i < 5000; i += 1) put(slabs, i, "some other entry");

    assert.equal(view?.toString(), "before");
  });

  it("hold little more than the current entries, however often they change", () => {
    const slabs = new Slabs();
    const random = new SeededRandom("churn");
    const entry = "x".repeat(2000);
    for (let i = 0; i < 5000; i += 1) put(slabs, i, entry);
    let most = 0;

    for (let i = 0; i < 100_000; i += 1) {
      put(slabs, random.int(5000), entry.slice(random.int(400)));
      slabs.compact();
      most = Math.max(most, slabs.heldBytes / slabs.liveBytes);
    }

    assert.ok(most < 1.3, `held ${most.toFixed(2)} times what was current`);
  });

  it("free memory when most entries are removed, and use little for few entries", () => {
    const slabs = new Slabs();
    for (let i = 0; i < 5000; i += 1) put(slabs, i, "x".repeat(2000));

    for (let i = 10; i < 5000; i += 1) {
      slabs.remove(i);
      slabs.compact();
    }

    assert.ok(slabs.heldBytes < 1_200_000, `${slabs.heldBytes} bytes for ten entries`);
    const small = new Slabs();
    put(small, 0, "one entry");
    assert.ok(small.heldBytes <= 16 * 1024);
  });
});
