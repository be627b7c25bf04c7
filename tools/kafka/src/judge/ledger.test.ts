import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Comparison, Ledger } from "./ledger.ts";

const sent = (offset: number, value: string): string =>
  JSON.stringify({ name: "producer_send_success", topic: "t", partition: 1, offset, value });

describe("the ledger of the judge", () => {
  it("counts acknowledgements, failures and gaps", () => {
    const ledger = new Ledger();
    ledger.note("a log line", 0);
    ledger.note(sent(0, "a"), 1_000);
    ledger.note(sent(1, "b"), 1_500);
    ledger.note('{"name":"producer_send_error","value":"c"}', 1_600);

    assert.deepEqual(ledger.counts(1_700), { acknowledged: 2, failed: 1, longestGapMs: 500 });
    assert.equal(ledger.counts(9_500).longestGapMs, 8_000, "includes the time since the last one");
  });

  it("finds records that are missing, or have another value at their place", () => {
    const ledger = new Ledger();
    for (const [offset, value] of ["a", "b", "c"].entries()) ledger.note(sent(offset, value), 0);
    const comparison = new Comparison(ledger.snapshot());
    comparison.note("Partition:1\tOffset:0\ta");
    comparison.note("Partition:1\tOffset:1\tx");
    comparison.note("Partition:2\tOffset:2\tc");
    comparison.note("Processed a total of 3 messages");

    assert.deepEqual(comparison.missing, ["1:1=b", "1:2=c"]);
    assert.equal(comparison.isComplete, false);
    comparison.note("Partition:1\tOffset:1\tb");
    comparison.note("Partition:1\tOffset:2\tc");
    assert.equal(comparison.isComplete, true);
    assert.equal(comparison.read, 5);
  });
});
