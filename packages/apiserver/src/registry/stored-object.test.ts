import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeStored, findShared } from "./stored-object.ts";

function partOf(object: Record<string, unknown>): string | undefined {
  const bytes = encodeStored(object);
  const found = findShared(bytes);
  return found === undefined ? undefined : Buffer.from(bytes.subarray(found.start, found.end)).toString();
}

describe("findShared", () => {
  it("returns the range of the first fieldsV1", () => {
    const [first, second] = [{ "f:spec": { 'k:{"name":"}\\"{"}': {} } }, { "f:status": {} }];
    const managedFields = [
      { manager: "a", fieldsV1: first },
      { manager: "b", fieldsV1: second },
    ];

    assert.equal(partOf({ metadata: { managedFields }, spec: { a: "}" } }), JSON.stringify(first));
  });

  it("returns undefined without fieldsV1, and for a string that contains the key", () => {
    assert.equal(partOf({ metadata: {} }), undefined);
    assert.equal(partOf({ metadata: { annotations: { last: '{"fieldsV1":{"f:a":{}}}' } } }), undefined);
  });

  it("returns undefined for truncated bytes", () => {
    assert.equal(findShared(Buffer.from('{"fieldsV1":{"a":{')), undefined);
  });
});
