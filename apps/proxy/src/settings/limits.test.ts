import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { defaultProgramLimits, parseLimits } from "./limits.ts";

describe("limits of the command line", () => {
  it("are the defaults without a text", () => {
    assert.deepEqual(parseLimits(""), defaultProgramLimits);
  });

  it("replace the defaults that they name", () => {
    assert.deepEqual(parseLimits("connectMs=2000,retriesMax=0,shutdownDelayMs=0"), {
      ...defaultProgramLimits,
      connectMs: 2_000,
      retriesMax: 0,
      shutdownDelayMs: 0,
    });
  });

  for (const text of [
    "connectMs",
    "connectMs=",
    "connectMs=0",
    "connectMs=1s",
    "connectMs=2147483648",
    "other=1",
    "retriesMax=2",
    "toString=1",
  ])
    it(`refuse ${text}`, () => {
      assert.throws(() => parseLimits(text), UsageError);
    });
});
