import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AnchorIndex } from "./anchors.ts";
import { compileMatch, compileServiceSelector, effectiveLabels, type MatchNode } from "./match.ts";

describe("match trees", () => {
  const labels = { feature: "checkout-v2", team: "payments" };
  const cases: readonly [name: string, node: MatchNode | undefined, expected: boolean][] = [
    ["an absent tree", undefined, false],
    ["a label", { label: { key: "feature", value: "checkout-*" } }, true],
    ["a label with another value", { label: { key: "team", value: "web" } }, false],
    ["an absent label, even with *", { label: { key: "owner", value: "*" } }, false],
    ["a label named like a property of every object", { label: { key: "constructor", value: "*" } }, false],
    ["a glob that is not valid", { label: { key: "team", value: "[payments" } }, false],
    ["a selector", { selector: { matchLabels: { team: "payments" } } }, true],
    ["an empty selector", { selector: {} }, true],
    [
      "a selector for an absent label",
      { selector: { matchExpressions: [{ key: "x", operator: "DoesNotExist" }] } },
      true,
    ],
    ["an invalid selector", { selector: { matchExpressions: [{ key: "team", operator: "Like" }] } }, false],
    ["any", { any: [{ label: { key: "team", value: "web" } }, { label: { key: "team", value: "pay*" } }] }, true],
    ["any of nothing", { any: [] }, false],
    ["all", { all: [{ label: { key: "team", value: "*" } }, { label: { key: "feature", value: "*" } }] }, true],
    ["all with one that fails", { all: [{ label: { key: "team", value: "*" } }, { any: [] }] }, false],
    ["all of nothing", { all: [] }, false],
    ["a node without fields", {}, false],
    ["a node with two fields", { label: { key: "team", value: "*" }, any: [{ selector: {} }] }, false],
  ];
  for (const [name, node, expected] of cases) {
    it(`${expected ? "match" : "do not match"} with ${name}`, () => {
      assert.equal(compileMatch(node)(labels), expected);
    });

    it(`are found by labels with ${name}`, () => {
      const index = new AnchorIndex<string>();
      index.add("group", node);

      if (expected) assert.ok(index.candidates(labels).has("group"));
      index.remove("group", node);
      assert.equal(index.candidates(labels).size, 0);
    });
  }

  it("see labels of the spec before those of the metadata", () => {
    const merged = effectiveLabels({ team: "web", tool: "ci" }, { team: "payments" });

    assert.deepEqual(merged, { team: "payments", tool: "ci" });
  });
});

describe("selectors of Services", () => {
  it("select all Services if they are absent, and none if they are invalid", () => {
    assert.ok(compileServiceSelector(undefined)({}));
    assert.ok(!compileServiceSelector({ matchLabels: { "not a key": "x" } })({ "not a key": "x" }));
  });
});

describe("the index of match trees", () => {
  it("does not return trees that need labels which a sandbox lacks", () => {
    const index = new AnchorIndex<string>();
    index.add("literal", { all: [{ label: { key: "a", value: "*" } }, { label: { key: "team", value: "web" } }] });
    index.add("key", { label: { key: "feature", value: "x*" } });
    index.add("open", { any: [{ selector: {} }, { label: { key: "a", value: "1" } }] });

    assert.deepEqual([...index.candidates({ team: "payments", a: "1" })], ["open"]);
    assert.deepEqual([...index.candidates({ team: "web" })].sort(), ["literal", "open"]);
    assert.deepEqual([...index.candidates({ feature: "y" })].sort(), ["key", "open"]);
  });
});
