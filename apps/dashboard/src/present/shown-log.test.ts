import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LogLines } from "../api/types.ts";
import { appendLines, emptyLog } from "./shown-log.ts";

function message(first: number, count: number, rest: Partial<LogLines> = {}): LogLines {
  const lines = Array.from({ length: count }, (_, index) => ({ at: "", text: `${first + index}` }));
  return { first, lines, omitted: 0, isRestarted: false, ...rest };
}

describe("the log that the page shows", () => {
  it("keeps the last lines, and counts the others", () => {
    const log = appendLines(appendLines(emptyLog, message(0, 1_500)), message(1_500, 1_000, { omitted: 7 }));

    assert.deepEqual([log.lines.length, log.lines[0]?.text, log.lines.at(-1)?.text], [2_000, "500", "2499"]);
    assert.equal(log.omitted, 507);
  });

  it("begins again with the first lines of a new stream, with new numbers for the lines", () => {
    const before = appendLines(emptyLog, message(0, 3));

    const log = appendLines(before, message(0, 2));

    assert.deepEqual(
      log.lines.map(({ index, text }) => [index, text]),
      [
        [3, "0"],
        [4, "1"],
      ],
    );
  });

  it("marks restarts until their lines are gone", () => {
    const restarted = appendLines(appendLines(emptyLog, message(0, 2)), message(2, 1, { isRestarted: true }));

    assert.deepEqual(restarted.restarts, [2]);
    assert.deepEqual(appendLines(restarted, message(3, 2_000)).restarts, []);
  });
});
