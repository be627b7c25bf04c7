import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { describe, it } from "node:test";
import { rowOfAnswer } from "./answer-table.ts";

describe("the table of answers", () => {
  const unlisted = rowOfAnswer({ status: 999 });

  it("has a row for every status of HTTP that is no success, but for jokes and the long forgotten", () => {
    const missing = Object.keys(STATUS_CODES)
      .map(Number)
      .filter((status) => status >= 300 && rowOfAnswer({ status }) === unlisted);

    // 418: a teapot. 509: never standardised.
    assert.deepEqual(missing, [418, 509]);
  });

  it("calls nothing terminal that passes by itself, whatever its first digit", () => {
    for (const status of [401, 408, 409, 410, 412, 421, 423, 425, 429]) {
      assert.equal(rowOfAnswer({ status }).errorClass, "transient", String(status));
    }
  });

  it("asks causes before reasons, and reasons before the status", () => {
    assert.equal(rowOfAnswer({ status: 500 }).errorClass, "unknown");
    assert.equal(rowOfAnswer({ status: 500, reason: "ServerTimeout" }).errorClass, "transient");
    assert.equal(
      rowOfAnswer({ status: 409, reason: "Conflict", causes: [{ reason: "x" }, { reason: "FieldManagerConflict" }] })
        .errorClass,
      "unknown",
    );
  });

  it("finds nothing under names that objects inherit", () => {
    assert.equal(rowOfAnswer({ status: 999, reason: "constructor", causes: [{ reason: "__proto__" }, {}] }), unlisted);
  });
});
