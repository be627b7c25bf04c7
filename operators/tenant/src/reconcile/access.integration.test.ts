import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ClusterRole } from "@homeostat/kubernetes/rbac/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { operatorAccess } from "@homeostat/operator";
import { grant, type Right } from "@homeostat/operator-testing";
import { annotations } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import { tenantOperator } from "../operator.ts";
import { Bench } from "../testing/bench.ts";

/** Permissions of the operator: group, resource, verbs. */
const rights: readonly Right[] = [
  ["neurallog.io", "tenants", "get list watch patch"],
  ["neurallog.io", "tenants/status", "patch"],
  ["neurallog.io", "tenants/finalizers", "update"],
  ["", "namespaces", "get list watch create patch delete"],
  ...["services", "configmaps", "serviceaccounts", "resourcequotas", "limitranges"].map(
    (resource) => ["", resource, "get list watch create patch delete"] as const,
  ),
  ["", "secrets", "get create patch delete"],
  ["", "persistentvolumeclaims", "get list watch patch"],
  ["", "pods", "get list watch"],
  ["", "events", "create patch list"],
  ["events.k8s.io", "events", "create patch"],
  ["apps", "statefulsets", "get list watch create patch delete"],
  ["apps", "deployments", "get list watch create patch delete"],
  ["networking.k8s.io", "networkpolicies", "get list watch create patch delete"],
  ["rbac.authorization.k8s.io", "rolebindings", "get list watch create patch delete"],
  ["rbac.authorization.k8s.io", "clusterroles", "bind"],
  ["policy", "poddisruptionbudgets", "get list watch create patch delete"],
  ["storage.k8s.io", "storageclasses", "get"],
  ["apiextensions.k8s.io", "customresourcedefinitions", "get"],
];

/** Permissions that every operator needs for its Lease, its webhook configurations and authentication of metrics readers. */
const common: ReadonlySet<string> = new Set([
  "authentication.k8s.io/tokenreviews",
  "authorization.k8s.io/subjectaccessreviews",
  "coordination.k8s.io/leases",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
]);

const user = "system:serviceaccount:neurallog-system:neurallog-operator";

describe("the permissions of the operator", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
    await grant(bench.client, { name: "tenants", user, rights });
    const apiVersion = "rbac.authorization.k8s.io/v1";
    for (const role of ["admin", "editor", "viewer"]) {
      const name = `neurallog-tenant-${role}`;
      await bench.client.create(ClusterRole, { apiVersion, kind: "ClusterRole", metadata: { name }, rules: [] });
    }
  });
  after(() => bench[Symbol.asyncDispose]());

  it("are those of its definition", () => {
    const allowed = new Map(rights.map(([group, resource, verbs]) => [`${group}/${resource}`, verbs]));

    for (const { group, resource, subresource, verbs, names } of operatorAccess(tenantOperator(), {
      webhooks: false,
    })) {
      const place = `${group}/${resource}${subresource === undefined ? "" : `/${subresource}`}`;
      if (common.has(place)) continue;
      const missing = verbs.filter((verb) => !(allowed.get(place) ?? "").split(" ").includes(verb));
      assert.deepEqual(missing, [], place);
      assert.ok(!verbs.includes("*") && !verbs.includes("update") === (subresource !== "finalizers"), place);
      if (resource === "clusterroles" || resource === "customresourcedefinitions")
        assert.ok((names?.length ?? 0) > 0, place);
    }
  });

  it("are sufficient from the creation to the deletion of a tenant", async () => {
    await using operator = await bench.run({ user });
    await bench.create("acme", {
      resources: { cpu: { request: "2", limit: "4" }, memory: { request: "2Gi", limit: "4Gi" } },
      access: { admins: [{ kind: "Group", name: "ops" }], viewers: [{ kind: "User", name: "eve" }] },
      server: { replicas: 2 },
    });
    await bench.running("acme");
    await bench.client.delete(Service, { namespace: "tenant-acme", name: "acme-server" });
    await bench.change("acme", {
      access: null,
      resources: null,
      networkPolicy: { allowedNamespaces: ["ingress"] },
      server: { replicas: 1 },
    });
    await bench.running("acme");
    await bench.annotate("acme", annotations.rotate, "1");
    await bench.waitFor(
      "acme",
      ({ status }) => status?.redisCredentials?.token === "1" && status.redisCredentials.step === "done",
    );
    await bench.change("acme", { hibernation: { enabled: true } });
    await bench.phase("acme", "Hibernated");
    await bench.client.delete(Tenant, { name: "acme" });
    await bench.untilDeleted("acme");

    const forbidden = operator.lines.filter(
      ({ level, error }) => level === "error" || /forbidden/i.test(String(error)),
    );
    assert.deepEqual(forbidden, []);
    assert.ok(
      !operator.sent.some(({ method, path }) => method === "GET" && /\/secrets(?:\?|$)/.test(path)),
      "Secrets are never listed",
    );
  });
});
