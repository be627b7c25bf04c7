import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { aggregatedRules, aggregationChanges } from "./aggregate.ts";
import { anyAttributes, anyRule } from "../../testing/random-roles.ts";
import { defaultPolicy } from "./default-policy.ts";
import type { ClusterRoleObject } from "./objects.ts";
import { type Rule, ruleAllows } from "./rule.ts";

const sum = (name: string, label: string, labels: Record<string, string> = {}): ClusterRoleObject => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] };
  return { kind: "ClusterRole", metadata: { name, labels }, aggregationRule, rules: null };
};
const part = (name: string, label: string, rules: readonly Rule[]): ClusterRoleObject => {
  return { kind: "ClusterRole", metadata: { name, labels: { [label]: "true" } }, rules };
};

describe("aggregatedRules", () => {
  it("allow exactly what one of the aggregated roles allows", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyRule, { maxLength: 2 })), anyAttributes, (lists, attributes) => {
        const parts = lists.map((rules, n) => part(`p${n}`, n % 3 === 0 ? "other" : "mine", rules));

        const rules = aggregatedRules(sum("sum", "mine"), [...parts, sum("sum", "mine")]);

        const expected = parts
          .filter(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, "mine"))
          .some((each) => each.rules?.some((rule) => ruleAllows(rule, attributes)));
        assert.equal(
          rules.some((rule) => ruleAllows(rule, attributes)),
          expected,
        );
        assert.equal(new Set(rules.map((rule) => JSON.stringify(rule))).size, rules.length);
      }),
    );
  });

  it("are ordered by role name", () => {
    const rule = (verb: string): Rule => ({ verbs: [verb], nonResourceURLs: ["/"] });
    const parts = [part("b", "x", [rule("two")]), part("a", "x", [rule("one")]), part("c", "x", [rule("one")])];

    assert.deepEqual(aggregatedRules(sum("s", "x"), parts), [rule("one"), rule("two")]);
  });
});

describe("aggregationChanges", () => {
  it("fill the default roles, so that admin includes edit and edit includes view", () => {
    const changes = new Map(
      aggregationChanges(defaultPolicy().clusterRoles).map((role) => [role.metadata.name, role.rules]),
    );

    assert.deepEqual([...changes.keys()], ["admin", "edit", "view"]);
    const [admin = [], edit = [], view = []] = ["admin", "edit", "view"].map((name) => changes.get(name));
    const has = (rules: readonly Rule[], rule: Rule): boolean =>
      rules.some((other) => JSON.stringify(other) === JSON.stringify(rule));
    assert.ok(edit.every((rule) => has(admin, rule)) && view.every((rule) => has(edit, rule)));
    assert.ok(view.length > 10 && edit.length > view.length && admin.length > edit.length);
  });

  it("reach a stable state even if aggregated roles select each other", () => {
    const rule: Rule = { verbs: ["get"], nonResourceURLs: ["/"] };
    const roles = [
      sum("a", "to-a", { "to-b": "true" }),
      sum("b", "to-b", { "to-a": "true" }),
      part("p", "to-a", [rule]),
    ];

    const changes = aggregationChanges(roles);

    assert.deepEqual(
      changes.map(({ metadata, rules }) => [metadata.name, rules]),
      [
        ["a", [rule]],
        ["b", [rule]],
      ],
    );
    assert.deepEqual(aggregationChanges([...changes, part("p", "to-a", [rule])]), []);
  });

  it("follow a long chain to its end", () => {
    const rule: Rule = { verbs: ["get"], nonResourceURLs: ["/"] };
    const chain = Array.from({ length: 20 }, (_, n) =>
      sum(`s${String(20 - n).padStart(2, "0")}`, `to-${n + 1}`, { [`to-${n}`]: "true" }),
    );

    const changes = aggregationChanges([...chain, part("p", "to-20", [rule])]);

    assert.equal(changes.length, 20);
  });

  it("follow every selector", () => {
    const rule = (verb: string): Rule => ({ verbs: [verb], nonResourceURLs: ["/"] });
    const clusterRoleSelectors = [{ matchLabels: { y: "true" } }, {}, { matchLabels: { x: "true" } }];
    const both: ClusterRoleObject = {
      kind: "ClusterRole",
      metadata: { name: "s" },
      aggregationRule: { clusterRoleSelectors },
    };

    const [change] = aggregationChanges([both, part("a", "x", [rule("one")]), part("b", "y", [rule("two")])]);

    assert.deepEqual(change?.rules, [rule("two"), rule("one")]);
  });

  it("return nothing if all rules are up to date", () => {
    assert.deepEqual(aggregationChanges([part("p", "x", [])]), []);
  });
});
