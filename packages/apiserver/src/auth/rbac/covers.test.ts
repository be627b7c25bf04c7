import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anyQuestion, anyRule } from "./arbitraries.fixture.test.ts";
import { asRules, covers, describeMissing, missingRules } from "./covers.ts";
import { ruleAllows } from "./rule.ts";

await describe("covers", async () => {
  await it("means that whatever one set of rules allows the other allows", () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 4 }),
        fc.array(anyRule, { maxLength: 2 }),
        anyQuestion,
        (held, wanted, question) => {
          const isAllowed = wanted.some((rule) => ruleAllows(rule, question));

          if (covers(held, wanted) && isAllowed) assert.ok(held.some((rule) => ruleAllows(rule, question)));
        },
      ),
      { numRuns: 2000 },
    );
  });

  await it("holds once what is missing was added", () => {
    fc.assert(
      fc.property(fc.array(anyRule), fc.array(anyRule), (held, wanted) => {
        const missing = asRules(missingRules(held, wanted));

        assert.ok(covers([...held, ...missing], wanted));
        assert.ok(covers(wanted, wanted));
      }),
    );
  });

  await it("needs a right to all names for one to all names", () => {
    const all = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
    const one = { ...all, resourceNames: ["one"] };

    assert.deepEqual([covers([one], [all]), covers([all], [one]), covers([one], [one])], [false, true, true]);
  });

  await it("does not take a right to subresources of all for one to everything", () => {
    const rule = (resource: string): { verbs: string[]; apiGroups: string[]; resources: string[] } => {
      return { verbs: ["get"], apiGroups: [""], resources: [resource] };
    };

    assert.equal(covers([rule("*/scale")], [rule("pods/scale")]), true);
    assert.equal(covers([rule("*/scale")], [rule("*")]), false);
    assert.equal(covers([rule("pods")], [rule("pods/scale")]), false);
    assert.equal(covers([rule("*")], [rule("pods/scale")]), true);
  });
});

await describe("describeMissing", async () => {
  await it("puts verbs on the same thing together and leaves paths alone", () => {
    const wanted = [
      { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods"], resourceNames: ["a"] },
      { verbs: ["watch"], apiGroups: [""], resources: ["pods"] },
      { verbs: ["get", "put"], nonResourceURLs: ["/x"] },
    ];

    const lines = describeMissing(missingRules([], wanted));

    assert.deepEqual(lines, [
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
      '{APIGroups:["apps"], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["put"]}',
    ]);
  });
});
