import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultPolicy } from "./default-policy.ts";
import type { ClusterRoleBindingObject, ClusterRoleObject } from "./objects.ts";
import { restoreBinding, restoreRole } from "./reconcile.ts";

const { clusterRoles, clusterRoleBindings, roles, roleBindings, release } = defaultPolicy();
const roleNamed = (name: string): ClusterRoleObject => {
  const found = clusterRoles.find(({ metadata }) => metadata.name === name);
  assert.ok(found !== undefined);
  return found;
};
const basic = roleNamed("system:basic-user");
const binding = clusterRoleBindings.find(({ metadata }) => metadata.name === "system:basic-user");
const isProtected = { "rbac.authorization.kubernetes.io/autoupdate": "false" };

await describe("the default policy", async () => {
  await it("is that of the release it names, whole", () => {
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

  await it("leads every binding to a role that is there", () => {
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

await describe("mendRole", async () => {
  await it("creates what is missing and leaves alone what is right", () => {
    assert.deepEqual(restoreRole(basic, undefined), { do: "create", object: basic });
    for (const role of clusterRoles) assert.deepEqual(restoreRole(role, role), { do: "nothing" });
  });

  await it("adds the rules, labels and annotations that were taken away, and keeps what was added", () => {
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

  await it("does nothing to an object whose owner asked so", () => {
    const stored: ClusterRoleObject = { ...basic, metadata: { annotations: isProtected }, rules: [] };

    assert.deepEqual(restoreRole(basic, stored), { do: "nothing" });
  });

  await it("gives a sum its selectors back, and takes them from what is none", () => {
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

  await it("does not touch the rules a sum was filled with", () => {
    const view = roleNamed("view");

    assert.deepEqual(restoreRole(view, { ...view, rules: [{ verbs: ["get"], nonResourceURLs: ["/"] }] }), {
      do: "nothing",
    });
  });
});

await describe("mendBinding", async () => {
  assert.ok(binding !== undefined);

  await it("adds subjects that are missing and keeps those that were added", () => {
    const own = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" };
    const stored: ClusterRoleBindingObject = { ...binding, subjects: [own] };

    const mending = restoreBinding(binding, stored);

    assert.ok(mending.do === "update");
    assert.deepEqual(mending.object.subjects, [own, ...(binding.subjects ?? [])]);
    assert.deepEqual(restoreBinding(binding, mending.object), { do: "nothing" });
  });

  await it("makes anew what leads to another role, unless its owner asked to leave it", () => {
    const stored: ClusterRoleBindingObject = { ...binding, roleRef: { ...binding.roleRef, name: "other" } };

    assert.deepEqual(restoreBinding(binding, stored), { do: "replace", object: binding });
    assert.deepEqual(restoreBinding(binding, { ...stored, metadata: { annotations: isProtected } }), { do: "nothing" });
    assert.deepEqual(restoreBinding(binding, undefined), { do: "create", object: binding });
  });
});
