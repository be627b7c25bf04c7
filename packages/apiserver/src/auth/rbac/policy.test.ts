import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Attributes } from "../attributes.ts";
import { isPathRequest } from "../attributes.ts";
import type { User } from "../user.ts";
import { anyBinding, anyAttributes, anyRole, anyRule } from "../../testing/random-roles.ts";
import { defaultPolicy } from "./default-policy.ts";
import { type AnyBinding, type RbacObject, rbacKey } from "./objects.ts";
import { RbacPolicy } from "./policy.ts";
import { ruleAllows } from "./rule.ts";
import { firstSubject } from "./subjects.ts";

const ann: User = { name: "ann", uid: "", groups: ["red"], extra: {} };
const podsOf = (namespace: string, user = ann): Attributes => {
  return { user, verb: "list", group: "", resource: "pods", subresource: "", namespace, name: "" };
};
const reader: RbacObject = {
  kind: "ClusterRole",
  metadata: { name: "reader" },
  rules: [{ verbs: ["list"], apiGroups: [""], resources: ["pods"] }],
};
const binding = (name: string, subjects: AnyBinding["subjects"], namespace?: string, role = "reader"): AnyBinding => {
  const roleRef = { kind: "ClusterRole", name: role };
  return namespace === undefined
    ? { kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects: subjects ?? [] }
    : { kind: "RoleBinding", metadata: { name, namespace }, roleRef, subjects: subjects ?? [] };
};

describe("RbacPolicy", () => {
  it("allows everything for system:masters without a reason", () => {
    const policy = new RbacPolicy();

    const decision = policy.authorize(podsOf("a", { ...ann, groups: ["system:masters"] }));

    assert.deepEqual(decision, { isAllowed: true, reason: "" });
  });

  it("names the binding, the role and the first matching subject", () => {
    const subjects = [
      { kind: "Group", name: "blue" },
      { kind: "Group", name: "red" },
      { kind: "User", name: "ann" },
    ];
    const policy = new RbacPolicy([reader, binding("b", subjects)]);

    const { reason } = policy.authorize(podsOf("a"));

    assert.equal(reason, 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "red"');
  });

  it("names a service account by name and namespace, in this order", () => {
    const user: User = { ...ann, name: "system:serviceaccount:a:sa" };
    const policy = new RbacPolicy([reader, binding("b", [{ kind: "ServiceAccount", name: "sa" }], "a")]);

    const { reason } = policy.authorize(podsOf("a", user));

    assert.equal(reason, 'RBAC: allowed by RoleBinding "b/a" of ClusterRole "reader" to ServiceAccount "sa/a"');
    assert.equal(policy.authorize(podsOf("b", user)).isAllowed, false);
    assert.equal(policy.authorize(podsOf("", user)).isAllowed, false);
  });

  it("ignores a service account without namespace in a ClusterRoleBinding", () => {
    const user: User = { ...ann, name: "system:serviceaccount:a:sa" };
    const policy = new RbacPolicy([reader, binding("b", [{ kind: "ServiceAccount", name: "sa" }])]);

    assert.equal(policy.authorize(podsOf("a", user)).isAllowed, false);
  });

  it("reports missing roles once if no other binding allows the request", () => {
    const subjects = [
      { kind: "User", name: "ann" },
      { kind: "Group", name: "red" },
    ];
    const role: AnyBinding = { ...binding("r", subjects, "a"), roleRef: { kind: "Role", name: "gone" } };
    const policy = new RbacPolicy([binding("b", subjects), role]);

    const one = policy.authorize(podsOf(""));
    const two = policy.authorize(podsOf("a"));

    const cluster = 'clusterrole.rbac.authorization.k8s.io "reader" not found';
    assert.deepEqual(one, { isAllowed: false, reason: `RBAC: ${cluster}` });
    assert.deepEqual(two, {
      isAllowed: false,
      reason: `RBAC: [${cluster}, role.rbac.authorization.k8s.io "gone" not found]`,
    });
    policy.put(reader);
    assert.equal(policy.authorize(podsOf("a")).isAllowed, true);
  });

  it("applies changes and deletions immediately", () => {
    const policy = new RbacPolicy([reader, binding("b", [{ kind: "User", name: "ann" }])]);

    policy.put(binding("b", [{ kind: "User", name: "ben" }]));

    assert.equal(policy.authorize(podsOf("a")).isAllowed, false);
    assert.equal(policy.authorize(podsOf("a", { ...ann, name: "ben" })).isAllowed, true);
    policy.remove(binding("b", []));
    assert.equal(policy.authorize(podsOf("a", { ...ann, name: "ben" })).isAllowed, false);
  });

  it("allows discovery for all users, and only health and version for anonymous ones", () => {
    const { clusterRoles, clusterRoleBindings } = defaultPolicy();
    const policy = new RbacPolicy([...clusterRoles, ...clusterRoleBindings]);
    const known: User = { ...ann, groups: ["system:authenticated"] };
    const unknown: User = { ...ann, name: "system:anonymous", groups: ["system:unauthenticated"] };
    const may = (user: User, path: string): boolean => policy.authorize({ user, verb: "get", path }).isAllowed;

    assert.deepEqual([may(known, "/apis"), may(known, "/version"), may(known, "/metrics")], [true, true, false]);
    assert.deepEqual([may(unknown, "/apis"), may(unknown, "/version"), may(unknown, "/healthz")], [false, true, true]);
  });

  it("decides like a search through all bindings", () => {
    fc.assert(
      fc.property(fc.array(anyRole), fc.array(anyBinding), anyAttributes, (roles, bindings, attributes) => {
        const latest = new Map(
          [...roles, ...bindings].map((object) => [`${object.kind} ${rbacKey(object.metadata)}`, object]),
        );

        const { isAllowed } = new RbacPolicy([...roles, ...bindings]).authorize(attributes);

        assert.equal(isAllowed, decideBySearch([...latest.values()], attributes));
      }),
      { numRuns: 1000 },
    );
  });

  it("gives the same decisions with all objects at once and with single changes", () => {
    const change = fc.record({ object: fc.oneof(anyRole, anyBinding), isDeleted: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), anyAttributes, (changes, attributes) => {
        const policy = new RbacPolicy();
        const left = new Map<string, RbacObject>();
        for (const { object, isDeleted } of changes) {
          const key = `${object.kind} ${rbacKey(object.metadata)}`;
          if (isDeleted) left.delete(key);
          else left.set(key, object);
          if (isDeleted) policy.remove(object);
          else policy.put(object);
        }

        assert.deepEqual(policy.authorize(attributes), new RbacPolicy(left.values()).authorize(attributes));
      }),
      { numRuns: 500 },
    );
  });

  it("never removes a permission when a rule is added", () => {
    fc.assert(
      fc.property(
        fc.array(anyRole, { minLength: 1 }),
        fc.array(anyBinding),
        anyRule,
        anyAttributes,
        (roles, bindings, rule, attributes) => {
          const before = new RbacPolicy([...roles, ...bindings]).authorize(attributes).isAllowed;
          const last = roles.at(-1);
          assert.ok(last !== undefined);
          const wider = { ...last, rules: [...(last.rules ?? []), rule] };

          const after = new RbacPolicy([...roles, wider, ...bindings]).authorize(attributes).isAllowed;

          assert.ok(after || !before);
        },
      ),
      { numRuns: 500 },
    );
  });
});

function decideBySearch(objects: readonly RbacObject[], attributes: Attributes): boolean {
  const namespace = isPathRequest(attributes) ? "" : attributes.namespace;
  return objects.some((object) => {
    if (object.kind !== "RoleBinding" && object.kind !== "ClusterRoleBinding") return false;
    if (object.kind === "RoleBinding" && object.metadata.namespace !== namespace) return false;
    if (firstSubject(object, attributes.user) === undefined) return false;
    const { kind, name } = object.roleRef;
    const role = objects.find(
      (other) =>
        other.kind === kind &&
        other.metadata.name === name &&
        (kind === "ClusterRole" || other.metadata.namespace === object.metadata.namespace),
    );
    return role !== undefined && "rules" in role && role.rules?.some((rule) => ruleAllows(rule, attributes)) === true;
  });
}
