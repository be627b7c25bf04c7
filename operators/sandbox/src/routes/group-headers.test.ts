import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { groupHeadersOf, type HeaderOwner } from "./group-headers.ts";

describe("groupHeadersOf", () => {
  const aGroup = (
    routingKey: string | undefined,
    routingKeyHeader: string,
    fields: Partial<HeaderOwner> = {},
  ): HeaderOwner => ({
    routingKey,
    routingKeyHeader,
    routeKeys: [],
    isDeleting: false,
    ...fields,
  });

  it("joins groups with the same header, whatever the case of its name", () => {
    const headers = groupHeadersOf([
      aGroup("key-b", "X-Team"),
      aGroup("key-a", "x-team", { routeKeys: ["key-c", "key-a"] }),
      aGroup("key-d", "X-Beta"),
    ]);

    assert.deepEqual(headers, [
      { name: "x-beta", routingKeys: ["key-d"] },
      { name: "x-team", routingKeys: ["key-a", "key-b", "key-c"] },
    ]);
  });

  it("leaves out groups that are deleted or own no key", () => {
    assert.deepEqual(groupHeadersOf([aGroup("key-a", "x-a", { isDeleting: true }), aGroup(undefined, "x-b")]), []);
  });
});
