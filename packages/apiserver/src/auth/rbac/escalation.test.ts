import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { User } from "../user.ts";
import { checkBindingWrite, checkRoleWrite, type RbacWrite } from "./escalation.ts";
import { type AnyBinding, type AnyRole, type RbacObject, rbacGroup } from "./objects.ts";
import { RbacPolicy } from "./policy.ts";
import { checkRoleRef } from "./role-ref.ts";
import type { Rule } from "./rule.ts";

const ann: User = { name: "ann", uid: "", groups: ["red"], extra: {} };
const pods: Rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const secrets: Rule = { verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"] };
const grant = (...rules: Rule[]): RbacObject[] => [
  { kind: "ClusterRole", metadata: { name: "held" }, rules },
  {
    kind: "ClusterRoleBinding",
    metadata: { name: "b" },
    roleRef: { kind: "ClusterRole", name: "held" },
    subjects: [{ kind: "User", name: "ann" }],
  },
];
const role = (...rules: Rule[]): AnyRole => ({ kind: "Role", metadata: { name: "new", namespace: "a" }, rules });
const write = <T>(next: T, held: readonly Rule[], more: Partial<RbacWrite<T>> = {}): RbacWrite<T> => {
  return { user: ann, namespace: "a", requestName: "", next, policy: new RbacPolicy(grant(...held)), ...more };
};

describe("checkRoleWrite", () => {
  it("allows permissions that the user has", () => {
    assert.equal(checkRoleWrite(write(role(pods), [pods, secrets])), undefined);
  });

  it("lists the permissions that the user does not have", () => {
    const refusal = checkRoleWrite(write(role(pods, secrets), [pods]));

    assert.deepEqual(refusal?.status, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'roles.rbac.authorization.k8s.io "new" is forbidden: user "ann" (groups=["red"]) is attempting to grant RBAC ' +
        'permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      reason: "Forbidden",
      details: { name: "new", group: rbacGroup, kind: "roles" },
      code: 403,
    });
  });

  it("allows everything for system:masters and for users with the verb escalate", () => {
    const masters: User = { ...ann, groups: ["system:masters"] };
    const escalate: Rule = { verbs: ["escalate"], apiGroups: [rbacGroup], resources: ["roles"] };

    assert.equal(checkRoleWrite(write(role(secrets), [], { user: masters })), undefined);
    assert.equal(checkRoleWrite(write(role(secrets), [escalate])), undefined);
  });

  it("allows the garbage collector to remove finalizers and owners", () => {
    const previous = { ...role(secrets), metadata: { name: "new", namespace: "a", finalizers: ["x"], uid: "1" } };
    const collected = { ...role(secrets), metadata: { name: "new", namespace: "a", uid: "1" } };
    const labelled = { ...role(secrets), metadata: { ...previous.metadata, labels: { a: "b" } } };

    assert.equal(checkRoleWrite(write<AnyRole>(collected, [], { previous })), undefined);
    assert.equal(checkRoleWrite(write<AnyRole>(labelled, [], { previous }))?.status.code, 403);
  });

  it("requires all permissions for an aggregated role, old or new", () => {
    const sum: AnyRole = {
      kind: "ClusterRole",
      metadata: { name: "sum" },
      aggregationRule: { clusterRoleSelectors: [{}] },
      rules: [],
    };
    const plain: AnyRole = { kind: "ClusterRole", metadata: { name: "sum" }, rules: [] };
    const all: Rule[] = [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ];
    const message =
      'clusterroles.rbac.authorization.k8s.io "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule';

    assert.equal(checkRoleWrite(write(sum, [pods]))?.status.message, message);
    assert.equal(checkRoleWrite(write(plain, [pods], { previous: sum }))?.status.message, message);
    assert.equal(checkRoleWrite(write(sum, all)), undefined);
  });
});

describe("checkBindingWrite", () => {
  const binding = (kind: string, name: string): AnyBinding => {
    return {
      kind: "RoleBinding",
      metadata: { name: "new", namespace: "a" },
      roleRef: { apiGroup: rbacGroup, kind, name },
    };
  };

  it("allows a role whose permissions the user has or may bind", () => {
    const bind: Rule = {
      verbs: ["bind"],
      apiGroups: [rbacGroup],
      resources: ["clusterroles"],
      resourceNames: ["gone"],
    };

    assert.equal(checkBindingWrite(write(binding("ClusterRole", "held"), [pods])), undefined);
    assert.equal(checkBindingWrite(write(binding("ClusterRole", "gone"), [bind])), undefined);
  });

  it("returns 404 for a role that does not exist", () => {
    const refusal = checkBindingWrite(write(binding("Role", "gone"), [pods]));

    assert.equal(refusal?.status.code, 404);
    assert.equal(refusal?.status.message, 'rolebindings.rbac.authorization.k8s.io "gone" not found');
  });

  it("lists missing permissions and unresolved roles", () => {
    const policy = new RbacPolicy([
      ...grant(pods),
      role(secrets),
      {
        ...binding("ClusterRole", "lost"),
        metadata: { name: "x", namespace: "a" },
        subjects: [{ kind: "Group", name: "red" }],
      },
    ]);

    const refusal = checkBindingWrite(write(binding("Role", "new"), [], { policy }));

    assert.equal(
      refusal?.status.message,
      'rolebindings.rbac.authorization.k8s.io "new" is forbidden: user "ann" (groups=["red"]) is attempting to grant ' +
        'RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}; ' +
        'resolution errors: [rolebindings.rbac.authorization.k8s.io "lost" not found]',
    );
  });

  it("refuses a change of the roleRef", () => {
    const refusal = checkRoleRef(binding("Role", "a"), binding("ClusterRole", "b"));

    assert.equal(
      refusal?.status.message,
      'RoleBinding.rbac.authorization.k8s.io "new" is invalid: roleRef: Invalid value: ' +
        '{"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"b"}: cannot change roleRef',
    );
    assert.equal(checkRoleRef(binding("Role", "a"), binding("Role", "a")), undefined);
  });
});
