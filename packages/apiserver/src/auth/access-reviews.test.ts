import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reviewAccess, reviewLocalAccess, reviewOwnAccess, reviewOwnRules } from "./access-reviews.ts";
import { forbiddenRefusal } from "./attributes.ts";
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

function statusOf(review: unknown): unknown {
  assert.ok(!(review instanceof Refusal) && typeof review === "object" && review !== null && "status" in review);
  return review.status;
}

function messageOf(review: unknown): string {
  assert.ok(review instanceof Refusal);
  return review.status.message ?? "";
}

describe("access reviews", () => {
  it("return the decision and its reason", () => {
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

  it("report selectors that cannot be parsed", () => {
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

  it("refuse reviews without attributes, without a user, or for another namespace", () => {
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

  it("list the rules of the user", () => {
    assert.deepEqual(statusOf(reviewOwnRules({ spec: { namespace: "a" } }, ann, policy)), {
      resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
      incomplete: false,
    });
    assert.equal(messageOf(reviewOwnRules({}, ann, policy)), "no namespace on request");
  });
});

describe("forbiddenAnswer", () => {
  const pods = { user: ann, verb: "list", group: "", resource: "pods", subresource: "", namespace: "", name: "" };
  const rows: [attributes: Parameters<typeof forbiddenRefusal>[0], reason: string, message: string][] = [
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
    it(`says ${message}`, () => {
      const { status } = forbiddenRefusal(attributes, reason);

      assert.equal(status.message, message);
      assert.equal(status.code, 403);
    });
  }
});
