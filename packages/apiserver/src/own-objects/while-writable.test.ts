import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StorageStoppedError } from "../storage/errors.ts";
import { whileWritable } from "./while-writable.ts";

describe("whileWritable", () => {
  it("skips the write while the storage accepts no writes", () => {
    whileWritable(() => {
      throw new StorageStoppedError({ cause: new Error("The disk is full.") });
    });
  });

  it("rethrows every other error", () => {
    assert.throws(() => whileWritable(() => assert.fail("a mistake")), /a mistake/);
  });
});
