import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeOfUserName, serviceAccountUserName, splitServiceAccountUserName, withAuthenticatedGroup } from "./user.ts";

describe("user names", () => {
  it("can be split into the namespace and name of a service account", () => {
    assert.deepEqual(splitServiceAccountUserName(serviceAccountUserName("a", "b.c")), { namespace: "a", name: "b.c" });
    for (const odd of [
      "ann",
      "system:serviceaccount:a",
      "system:serviceaccount:a:b:c",
      "system:serviceaccount:A:b",
      "system:serviceaccount::b",
    ]) {
      assert.equal(splitServiceAccountUserName(odd), undefined);
    }
  });

  it("can be split into the name of a node", () => {
    assert.equal(nodeOfUserName("system:node:a.b"), "a.b");
    assert.deepEqual(["system:node:", "system:node:A", "node:a"].map(nodeOfUserName), [
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("withAuthenticatedGroup", () => {
  it("adds the group once, and never to the anonymous user", () => {
    const groupsOf = (name: string, ...groups: string[]): readonly string[] =>
      withAuthenticatedGroup({ name, uid: "", groups, extra: {} }).groups;

    assert.deepEqual(groupsOf("ann", "red"), ["red", "system:authenticated"]);
    assert.deepEqual(groupsOf("ann", "system:authenticated", "red"), ["system:authenticated", "red"]);
    assert.deepEqual(groupsOf("ann", "system:unauthenticated"), ["system:unauthenticated"]);
    assert.deepEqual(groupsOf("system:anonymous"), []);
  });
});
