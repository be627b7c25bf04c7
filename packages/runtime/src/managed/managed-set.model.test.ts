import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findFailure } from "./model.fixture.test.ts";

/** Each history has about two dozen reconciles. HOMEOSTAT_HISTORIES asks for more. */
const histories = Number(process.env["HOMEOSTAT_HISTORIES"] ?? 250);

describe("managed objects over random histories", () => {
  it("never leaves an orphan, never changes an object of another owner, and becomes what is desired", async () => {
    assert.equal(await findFailure({}, histories), undefined);
  });
});
