import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { describe, it } from "node:test";
import { rowOfResponse } from "./response-table.ts";

describe("rowOfResponse", () => {
  const unlisted = rowOfResponse({ status: 999 });

  it("has a row for every HTTP error status, except for unused ones", () => {
    const missing = Object.keys(STATUS_CODES)
      .map(Number)
      .filter((status) => status >= 300 && rowOfResponse({ status }) === unlisted);

    // 418 is a joke, and 509 was never standardized.
    assert.deepEqual(missing, [418, 509]);
  });

  it("never classifies transient statuses as terminal", () => {
    for (const status of [401, 408, 409, 410, 412, 421, 423, 425, 429]) {
      assert.equal(rowOfResponse({ status }).errorClass, "transient", String(status));
    }
  });

  it("looks up causes before reasons, and reasons before the status", () => {
    assert.equal(rowOfResponse({ status: 500 }).errorClass, "unknown");
    assert.equal(rowOfResponse({ status: 500, reason: "ServerTimeout" }).errorClass, "transient");
    assert.equal(
      rowOfResponse({ status: 409, reason: "Conflict", causes: [{ reason: "x" }, { reason: "FieldManagerConflict" }] })
        .errorClass,
      "unknown",
    );
  });

  it("finds no row for inherited property names", () => {
    assert.equal(
      rowOfResponse({ status: 999, reason: "constructor", causes: [{ reason: "__proto__" }, {}] }),
      unlisted,
    );
  });
});
