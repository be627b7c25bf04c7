import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goQuote } from "./go-quote.ts";
import { nodeOfUserName, serviceAccountUserName, splitServiceAccountUserName, withAuthenticatedGroup } from "./user.ts";

await describe("names of users", async () => {
  await it("lead back to the service account", () => {
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

  await it("lead back to the node", () => {
    assert.equal(nodeOfUserName("system:node:a.b"), "a.b");
    assert.deepEqual(["system:node:", "system:node:A", "node:a"].map(nodeOfUserName), [
      undefined,
      undefined,
      undefined,
    ]);
  });
});

await describe("withAuthenticatedGroup", async () => {
  await it("adds the group once, and never to the unknown", () => {
    const groupsOf = (name: string, ...groups: string[]): readonly string[] =>
      withAuthenticatedGroup({ name, uid: "", groups, extra: {} }).groups;

    assert.deepEqual(groupsOf("ann", "red"), ["red", "system:authenticated"]);
    assert.deepEqual(groupsOf("ann", "system:authenticated", "red"), ["system:authenticated", "red"]);
    assert.deepEqual(groupsOf("ann", "system:unauthenticated"), ["system:unauthenticated"]);
    assert.deepEqual(groupsOf("system:anonymous"), []);
  });
});

await describe("goQuote", async () => {
  const rows: [text: string, quoted: string][] = [
    ["plain text", '"plain text"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ["\n\t\r\u0007\b\f\v", '"\\n\\t\\r\\a\\b\\f\\v"'],
    ["\u0000\u001f\u007f", '"\\x00\\x1f\\x7f"'],
    ["ü 中 😀", '"ü 中 😀"'],
    ["\u00a0\u200b\u{e0001}", '"\\u00a0\\u200b\\U000e0001"'],
    ["\u0085", '"\\u0085"'],
  ];
  for (const [text, quoted] of rows) {
    await it(`writes ${quoted}`, () => {
      assert.equal(goQuote(text), quoted);
    });
  }
});
