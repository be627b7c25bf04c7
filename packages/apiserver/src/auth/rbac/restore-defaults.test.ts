import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultPolicy } from "./default-policy.ts";
import type { ClusterRoleBindingObject, ClusterRoleObject } from "./objects.ts";
import { restoreBinding, restoreRole } from "./restore-defaults.ts";

const { clusterRoles, clusterRoleBindings, roles, roleBindings, release } = defaultPolicy();
const roleNamed = (name: string): ClusterRoleObject => {
  const found = clusterRoles.find(({ metadata }) => metadata.name === name);
  assert.ok(found !== undefined);
  return found;
};
const basic = roleNamed("system:basic-user");
const binding = clusterRoleBindings.find(({ metadata }) => metadata.name === "system:basic-user");
const isProtected = { "rbac.authorization.kubernetes.io/autoupdate": "false" };

describe("the default policy", () => {
  it("is complete and of the release it names", () => {
    assert.match(release, /^v1\.36\.\d+$/);
    assert.deepEqual(
      [clusterRoles, clusterRoleBindings, roles, roleBindings].map((list) => list.length),
      [69, 50, 7, 7],
    );
    assert.deepEqual(roleNamed("cluster-admin").rules, [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ]);
  });

  it("binds only roles that exist", () => {
    const names = new Set(
      [...clusterRoles, ...roles].map(
        ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""} ${metadata.name ?? ""}`,
      ),
    );

    for (const { metadata, roleRef } of [...clusterRoleBindings, ...roleBindings]) {
      const namespace = roleRef.kind === "Role" ? (metadata.namespace ?? "") : "";
      assert.ok(names.has(`${roleRef.kind} ${namespace} ${roleRef.name}`), roleRef.name);
    }
  });
});

describe("restoreRole", () => {
  it("creates a missing role and leaves a correct one unchanged", () => {
    assert.deepEqual(restoreRole(basic, undefined), { do: "create", object: basic });
    for (const role of clusterRoles) assert.deepEqual(restoreRole(role, role), { do: "nothing" });
  });

  it("restores removed rules, labels and annotations, and keeps additions", () => {
    const own = { verbs: ["get"], apiGroups: ["x"], resources: ["y"] };
    const stored: ClusterRoleObject = {
      ...basic,
      metadata: { name: "system:basic-user", labels: { mine: "yes" } },
      rules: [own],
    };

    const mending = restoreRole(basic, stored);

    assert.ok(mending.do === "update");
    assert.deepEqual(mending.object.metadata.labels, { "kubernetes.io/bootstrapping": "rbac-defaults", mine: "yes" });
    assert.deepEqual(mending.object.rules?.slice(0, 2), [
      own,
      { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews"] },
    ]);
    assert.deepEqual(restoreRole(basic, mending.object), { do: "nothing" });
  });

  it("does nothing if the annotation opts out", () => {
    const stored: ClusterRoleObject = { ...basic, metadata: { annotations: isProtected }, rules: [] };

    assert.deepEqual(restoreRole(basic, stored), { do: "nothing" });
  });

  it("restores the selectors of an aggregated role, and removes them from others", () => {
    const view = roleNamed("view");
    const other = { matchLabels: { a: "b" } };
    const lost = restoreRole(view, { ...view, aggregationRule: { clusterRoleSelectors: [other] } });
    const odd = restoreRole(basic, { ...basic, aggregationRule: { clusterRoleSelectors: [other] } });

    assert.ok(lost.do === "update" && odd.do === "update");
    assert.deepEqual(lost.object.aggregationRule?.clusterRoleSelectors, [
      other,
      { matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
    ]);
    assert.equal(odd.object.aggregationRule, null);
  });

  it("does not change the rules of an aggregated role", () => {
    const view = roleNamed("view");

    assert.deepEqual(restoreRole(view, { ...view, rules: [{ verbs: ["get"], nonResourceURLs: ["/"] }] }), {
      do: "nothing",
    });
  });
});

describe("restoreBinding", () => {
  assert.ok(binding !== undefined);

  it("adds missing subjects and keeps additional ones", () => {
    const own = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" };
    const stored: ClusterRoleBindingObject = { ...binding, subjects: [own] };

    const mending = restoreBinding(binding, stored);

    assert.ok(mending.do === "update");
    assert.deepEqual(mending.object.subjects, [own, ...(binding.subjects ?? [])]);
    assert.deepEqual(restoreBinding(binding, mending.object), { do: "nothing" });
  });

  it("replaces a binding to another role, unless the annotation opts out", () => {
    const stored: ClusterRoleBindingObject = { ...binding, roleRef: { ...binding.roleRef, name: "other" } };

    assert.deepEqual(restoreBinding(binding, stored), { do: "replace", object: binding });
    assert.deepEqual(restoreBinding(binding, { ...stored, metadata: { annotations: isProtected } }), { do: "nothing" });
    assert.deepEqual(restoreBinding(binding, undefined), { do: "create", object: binding });
  });
});
