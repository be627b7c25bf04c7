import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Attributes } from "../attributes.ts";
import { isPathRequest } from "../attributes.ts";
import type { User } from "../user.ts";
import { anyBinding, anyQuestion, anyRole, anyRule } from "./arbitraries.fixture.test.ts";
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

await describe("RbacPolicy", async () => {
  await it("allows everything to system:masters and says no reason", () => {
    const policy = new RbacPolicy();

    const decision = policy.authorize(podsOf("a", { ...ann, groups: ["system:masters"] }));

    assert.deepEqual(decision, { isAllowed: true, reason: "" });
  });

  await it("names the binding, the role and the first subject that fits", () => {
    const subjects = [
      { kind: "Group", name: "blue" },
      { kind: "Group", name: "red" },
      { kind: "User", name: "ann" },
    ];
    const policy = new RbacPolicy([reader, binding("b", subjects)]);

    const { reason } = policy.authorize(podsOf("a"));

    assert.equal(reason, 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "red"');
  });

  await it("names a service account by its name and namespace, in this order", () => {
    const user: User = { ...ann, name: "system:serviceaccount:a:sa" };
    const policy = new RbacPolicy([reader, binding("b", [{ kind: "ServiceAccount", name: "sa" }], "a")]);

    const { reason } = policy.authorize(podsOf("a", user));

    assert.equal(reason, 'RBAC: allowed by RoleBinding "b/a" of ClusterRole "reader" to ServiceAccount "sa/a"');
    assert.equal(policy.authorize(podsOf("b", user)).isAllowed, false);
    assert.equal(policy.authorize(podsOf("", user)).isAllowed, false);
  });

  await it("takes a service account without namespace in a binding of the cluster for nobody", () => {
    const user: User = { ...ann, name: "system:serviceaccount:a:sa" };
    const policy = new RbacPolicy([reader, binding("b", [{ kind: "ServiceAccount", name: "sa" }])]);

    assert.equal(policy.authorize(podsOf("a", user)).isAllowed, false);
  });

  await it("tells of roles that are missing when nothing else allows it, each once", () => {
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

  await it("follows changes of subjects and deletions at once", () => {
    const policy = new RbacPolicy([reader, binding("b", [{ kind: "User", name: "ann" }])]);

    policy.put(binding("b", [{ kind: "User", name: "ben" }]));

    assert.equal(policy.authorize(podsOf("a")).isAllowed, false);
    assert.equal(policy.authorize(podsOf("a", { ...ann, name: "ben" })).isAllowed, true);
    policy.remove(binding("b", []));
    assert.equal(policy.authorize(podsOf("a", { ...ann, name: "ben" })).isAllowed, false);
  });

  await it("lets everybody discover, and the unknown see health and version alone", () => {
    const { clusterRoles, clusterRoleBindings } = defaultPolicy();
    const policy = new RbacPolicy([...clusterRoles, ...clusterRoleBindings]);
    const known: User = { ...ann, groups: ["system:authenticated"] };
    const unknown: User = { ...ann, name: "system:anonymous", groups: ["system:unauthenticated"] };
    const may = (user: User, path: string): boolean => policy.authorize({ user, verb: "get", path }).isAllowed;

    assert.deepEqual([may(known, "/apis"), may(known, "/version"), may(known, "/metrics")], [true, true, false]);
    assert.deepEqual([may(unknown, "/apis"), may(unknown, "/version"), may(unknown, "/healthz")], [false, true, true]);
  });

  await it("decides as one would who reads every binding", () => {
    fc.assert(
      fc.property(fc.array(anyRole), fc.array(anyBinding), anyQuestion, (roles, bindings, question) => {
        const latest = new Map(
          [...roles, ...bindings].map((object) => [`${object.kind} ${rbacKey(object.metadata)}`, object]),
        );

        const { isAllowed } = new RbacPolicy([...roles, ...bindings]).authorize(question);

        assert.equal(isAllowed, naive([...latest.values()], question));
      }),
      { numRuns: 1000 },
    );
  });

  await it("knows no difference between being told at once and being told of every change", () => {
    const change = fc.record({ object: fc.oneof(anyRole, anyBinding), isDeleted: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), anyQuestion, (changes, question) => {
        const policy = new RbacPolicy();
        const left = new Map<string, RbacObject>();
        for (const { object, isDeleted } of changes) {
          const key = `${object.kind} ${rbacKey(object.metadata)}`;
          if (isDeleted) left.delete(key);
          else left.set(key, object);
          if (isDeleted) policy.remove(object);
          else policy.put(object);
        }

        assert.deepEqual(policy.authorize(question), new RbacPolicy(left.values()).authorize(question));
      }),
      { numRuns: 500 },
    );
  });

  await it("never takes a right away when a rule is added", () => {
    fc.assert(
      fc.property(
        fc.array(anyRole, { minLength: 1 }),
        fc.array(anyBinding),
        anyRule,
        anyQuestion,
        (roles, bindings, rule, question) => {
          const before = new RbacPolicy([...roles, ...bindings]).authorize(question).isAllowed;
          const last = roles.at(-1);
          assert.ok(last !== undefined);
          const wider = { ...last, rules: [...(last.rules ?? []), rule] };

          const after = new RbacPolicy([...roles, wider, ...bindings]).authorize(question).isAllowed;

          assert.ok(after || !before);
        },
      ),
      { numRuns: 500 },
    );
  });
});

function naive(objects: readonly RbacObject[], question: Attributes): boolean {
  const namespace = isPathRequest(question) ? "" : question.namespace;
  return objects.some((object) => {
    if (object.kind !== "RoleBinding" && object.kind !== "ClusterRoleBinding") return false;
    if (object.kind === "RoleBinding" && object.metadata.namespace !== namespace) return false;
    if (firstSubject(object, question.user) === undefined) return false;
    const { kind, name } = object.roleRef;
    const role = objects.find(
      (other) =>
        other.kind === kind &&
        other.metadata.name === name &&
        (kind === "ClusterRole" || other.metadata.namespace === object.metadata.namespace),
    );
    return role !== undefined && "rules" in role && role.rules?.some((rule) => ruleAllows(rule, question)) === true;
  });
}
