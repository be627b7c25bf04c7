import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anyAttributes, anyRule } from "../../testing/random-roles.ts";
import { asRules, covers, describeMissing, missingRules } from "./covers.ts";
import { ruleAllows } from "./rule.ts";

describe("covers", () => {
  it("returns true only if every request allowed by one set is allowed by the other", () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 4 }),
        fc.array(anyRule, { maxLength: 2 }),
        anyAttributes,
        (held, requested, attributes) => {
          const isAllowed = requested.some((rule) => ruleAllows(rule, attributes));

          if (covers(held, requested) && isAllowed) assert.ok(held.some((rule) => ruleAllows(rule, attributes)));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("returns true after the missing rules were added", () => {
    fc.assert(
      fc.property(fc.array(anyRule), fc.array(anyRule), (held, requested) => {
        const missing = asRules(missingRules(held, requested));

        assert.ok(covers([...held, ...missing], requested));
        assert.ok(covers(requested, requested));
      }),
    );
  });

  it("requires a rule for all names to cover a rule for all names", () => {
    const all = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
    const one = { ...all, resourceNames: ["one"] };

    assert.deepEqual([covers([one], [all]), covers([all], [one]), covers([one], [one])], [false, true, true]);
  });

  it("does not treat a subresource of all resources as all resources", () => {
    const rule = (resource: string): { verbs: string[]; apiGroups: string[]; resources: string[] } => {
      return { verbs: ["get"], apiGroups: [""], resources: [resource] };
    };

    assert.equal(covers([rule("*/scale")], [rule("pods/scale")]), true);
    assert.equal(covers([rule("*/scale")], [rule("*")]), false);
    assert.equal(covers([rule("pods")], [rule("pods/scale")]), false);
    assert.equal(covers([rule("*")], [rule("pods/scale")]), true);
  });
});

describe("describeMissing", () => {
  it("combines verbs on the same resource, but not on paths", () => {
    const requested = [
      { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods"], resourceNames: ["a"] },
      { verbs: ["watch"], apiGroups: [""], resources: ["pods"] },
      { verbs: ["get", "put"], nonResourceURLs: ["/x"] },
    ];

    const lines = describeMissing(missingRules([], requested));

    assert.deepEqual(lines, [
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
      '{APIGroups:["apps"], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["put"]}',
    ]);
  });
});
