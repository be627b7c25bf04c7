import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError } from "../errors/argument-error.ts";
import { asStored } from "./stored.ts";

const metadata = { name: "a", uid: "u", resourceVersion: "1" };

describe("asStored", () => {
  it("freezes an object of an API server, and types its name as present", () => {
    const stored = asStored({ apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata }, data: { a: "1" } });

    const name: string = stored.metadata.name;

    assert.equal(name, "a");
    assert.ok(Object.isFrozen(stored.data));
  });

  it("refuses an object that was never stored", () => {
    for (const field of ["name", "uid", "resourceVersion"]) {
      const object = { metadata: { ...metadata, [field]: undefined } };

      assert.throws(
        () => asStored(object),
        (error) => error instanceof ArgumentError && error.message.includes(field),
      );
    }
    for (const invalid of [null, 1, "a", [], {}, { metadata: null }])
      assert.throws(() => asStored(invalid), ArgumentError);
  });
});
