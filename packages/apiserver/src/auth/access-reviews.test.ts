import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reviewAccess, reviewLocalAccess, reviewOwnAccess, reviewOwnRules } from "./access-reviews.ts";
import { forbiddenAnswer } from "./attributes.ts";
import { RbacPolicy } from "./rbac/policy.ts";
import { Refusal } from "./refusal.ts";
import type { User } from "./user.ts";

const ann: User = { name: "ann", uid: "", groups: [], extra: {} };
const policy = new RbacPolicy([
  {
    kind: "ClusterRole",
    metadata: { name: "r" },
    rules: [
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [] },
      { verbs: ["get"], nonResourceURLs: ["/x"] },
    ],
  },
  {
    kind: "ClusterRoleBinding",
    metadata: { name: "b" },
    roleRef: { kind: "ClusterRole", name: "r" },
    subjects: [{ kind: "User", name: "ann" }],
  },
]);
const resourceAttributes = { verb: "get", resource: "pods", namespace: "a" };

function statusOf(answer: unknown): unknown {
  assert.ok(!(answer instanceof Refusal) && typeof answer === "object" && answer !== null && "status" in answer);
  return answer.status;
}

function messageOf(answer: unknown): string {
  assert.ok(answer instanceof Refusal);
  return answer.status.message ?? "";
}

await describe("access reviews", async () => {
  await it("say whether and why", () => {
    const reason = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "ann"';

    assert.deepEqual(statusOf(reviewAccess({ spec: { user: "ann", resourceAttributes } }, policy)), {
      allowed: true,
      reason,
    });
    assert.deepEqual(statusOf(reviewAccess({ spec: { user: "ben", resourceAttributes } }, policy)), { allowed: false });
    assert.deepEqual(
      statusOf(reviewOwnAccess({ spec: { nonResourceAttributes: { verb: "get", path: "/x" } } }, ann, policy)),
      { allowed: true, reason },
    );
    assert.deepEqual(statusOf(reviewLocalAccess({ spec: { user: "ann", resourceAttributes } }, "a", policy)), {
      allowed: true,
      reason,
    });
  });

  await it("do not know what they cannot read of selectors, and say so", () => {
    const fieldSelector = {
      requirements: [
        { key: "a", operator: "In", values: ["x"] },
        { key: "b", operator: "Exists" },
      ],
    };
    const labelSelector = { rawSelector: "a in (" };
    const spec = { user: "ben", resourceAttributes: { ...resourceAttributes, fieldSelector, labelSelector } };

    assert.deepEqual(statusOf(reviewAccess({ spec }, policy)), {
      allowed: false,
      evaluationError:
        "spec.resourceAttributes.fieldSelector partially ignored due to parse error; " +
        "spec.resourceAttributes.labelSelector ignored due to parse error",
    });
  });

  await it("refuse questions that ask nothing, of nobody, or elsewhere", () => {
    assert.equal(
      messageOf(reviewAccess({ spec: {} }, policy)),
      '.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of ' +
        'nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of ' +
        "user or group must be specified]",
    );
    assert.match(
      messageOf(reviewLocalAccess({ spec: { user: "ann", resourceAttributes } }, "b", policy)),
      /spec\.resourceAttributes\.namespace: Invalid value: "a": must match metadata\.namespace$/,
    );
  });

  await it("list the rules one has", () => {
    assert.deepEqual(statusOf(reviewOwnRules({ spec: { namespace: "a" } }, ann, policy)), {
      resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
      incomplete: false,
    });
    assert.equal(messageOf(reviewOwnRules({}, ann, policy)), "no namespace on request");
  });
});

await describe("forbiddenAnswer", async () => {
  const pods = { user: ann, verb: "list", group: "", resource: "pods", subresource: "", namespace: "", name: "" };
  const rows: [attributes: Parameters<typeof forbiddenAnswer>[0], reason: string, message: string][] = [
    [pods, "", 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope'],
    [
      { ...pods, namespace: "a" },
      "",
      'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "a"',
    ],
    [
      { ...pods, verb: "get", group: "apps", resource: "deployments", subresource: "scale", namespace: "a", name: "x" },
      "why",
      'deployments.apps "x" is forbidden: User "ann" cannot get resource "deployments/scale" in API group "apps" in the namespace "a": why',
    ],
    [
      { user: { ...ann, name: "<a>&\n" }, verb: "get", path: "/x" },
      "",
      'forbidden: User "&lt;a&gt;&amp;\\n" cannot get path "/x"',
    ],
  ];
  for (const [attributes, reason, message] of rows) {
    await it(`says ${message}`, () => {
      const { status } = forbiddenAnswer(attributes, reason);

      assert.equal(status.message, message);
      assert.equal(status.code, 403);
    });
  }
});
