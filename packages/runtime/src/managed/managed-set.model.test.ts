import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findFailure, type Spec } from "../testing/managed-model.ts";

/** Number of random histories of about two dozen reconciles each. `npm test` runs a sample. */
const histories = Number(process.env["HOMEOSTAT_MANAGED_HISTORIES"] ?? 1_000);

describe("managed objects over random histories", () => {
  it("never leave an orphan, never change an object of another owner, and reach the desired state", async () => {
    assert.equal(await findFailure({}, histories), undefined);
  });

  it("do so as well if unchanged sets are neither built nor compared", async () => {
    const inputsOf = (specs: readonly Spec[]): string =>
      JSON.stringify(specs.map(({ type: { kind }, ...rest }) => ({ kind, ...rest })));
    assert.equal(await findFailure({ inputsOf }, histories), undefined);
  });
});
