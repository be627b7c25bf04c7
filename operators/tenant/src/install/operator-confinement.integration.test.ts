// The policy that confines the operator's account, on an API server that enforces it: the account may write everything that
// tenants need and nothing elsewhere, although its permissions are cluster-wide.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { ForbiddenError, type KubeObject, type ResourceType } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { ConfigMap, Namespace, Secret, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { operatorManifests } from "@homeostat/operator";
import { annotations, labels, manager } from "../api/identity.ts";
import { Tenant, type TenantInput } from "../api/tenant.ts";
import { tenantOperator } from "../operator.ts";
import { Bench } from "../testing/bench.ts";

const home = "neurallog-system";
const account = `system:serviceaccount:${home}:neurallog-operator`;
const installed = new Set(["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ClusterRole"]);

describe("the confinement of the operator's account", () => {
  let bench: Bench;
  let confined: Client;

  before(async () => {
    bench = await Bench.start();
    confined = createClient(bench.cluster.transport({ user: account, group: "system:serviceaccounts" }));
    for (const name of [home, "shop"]) await bench.namespace(name);
    await bench.namespace("tenant-foreign");
    await bench.namespace("other", { labels: { [labels.managedBy]: manager } });
    await bench.namespace("tenant-owned", { labels: { [labels.managedBy]: manager } });
    // More permissions than the operator has: denials below come only from the policy.
    await bench.client.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "everything" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: account }],
    });
    for (const object of operatorManifests(tenantOperator()).filter(({ kind }) => installed.has(kind))) {
      const [group = "", version = ""] = object.apiVersion.split("/");
      const type = await bench.client.mapper.byKind({ group, version, kind: object.kind });
      assert.ok(type, object.kind);
      await bench.client.create(type, object);
    }
  });
  after(async () => {
    confined[Symbol.dispose]();
    await bench[Symbol.asyncDispose]();
  });

  const object = <T extends KubeObject>(type: ResourceType<T>, metadata: KubeObject["metadata"], more = {}): T =>
    ({
      apiVersion: type.group === "" ? type.version : `${type.group}/${type.version}`,
      kind: type.kind,
      metadata,
      ...more,
    }) as T;

  async function assertDenied(write: Promise<unknown>, what: RegExp): Promise<void> {
    await assert.rejects(write, (error) => {
      assert.ok(error instanceof ForbiddenError, String(error));
      assert.match(error.message, /ValidatingAdmissionPolicy 'neurallog-operator-confinement' .* denied request: /);
      assert.match(error.message, what);
      assert.match(error.message, /may write only to tenant namespaces and to its own objects/);
      return true;
    });
  }

  for (const namespace of ["default", "kube-system", "shop", "tenant-foreign", "other"]) {
    it(`denies writes to the namespace ${namespace}`, async () => {
      const secret = await bench.client.create(
        Secret,
        object(Secret, { name: "theirs", namespace }, { data: { password: "eA==" } }),
      );
      const key = { name: "theirs", namespace };
      const where = new RegExp(`in namespace ${namespace}:`);

      await assertDenied(confined.create(Secret, object(Secret, { name: "new", namespace })), /CREATE \/secrets/);
      await assertDenied(
        confined.patch(Secret, key, { merge: { metadata: { labels: { a: "b" } } } }),
        /UPDATE \/secrets/,
      );
      await assertDenied(confined.delete(Secret, key), /DELETE \/secrets/);
      await assertDenied(
        confined.create(
          RoleBinding,
          object(
            RoleBinding,
            { name: "more", namespace },
            {
              roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
            },
          ),
        ),
        where,
      );
      await assertDenied(confined.create(ServiceAccount, object(ServiceAccount, { name: "x", namespace })), where);
      assert.deepEqual(await bench.client.get(Secret, key), secret);
    });
  }

  it("denies changes to namespaces that are not a tenant's, and their creation", async () => {
    const mark = { [labels.managedBy]: manager };
    for (const name of ["default", "kube-system", "shop", "tenant-foreign", "other"]) {
      const relabel = { metadata: { labels: { ...mark, "pod-security.kubernetes.io/enforce": "privileged" } } };
      await assertDenied(confined.patch(Namespace, { name }, { merge: relabel }), /UPDATE \/namespaces/);
    }
    await assertDenied(confined.delete(Namespace, { name: "shop" }), /DELETE \/namespaces/);
    await assertDenied(confined.delete(Namespace, { name: "other" }), /DELETE \/namespaces/);
    await assertDenied(confined.create(Namespace, object(Namespace, { name: "tenant-bare" })), /CREATE \/namespaces/);
    await assertDenied(
      confined.create(Namespace, object(Namespace, { name: "elsewhere", labels: mark })),
      /CREATE \/namespaces/,
    );
  });

  it("denies writes to other cluster-scoped objects, and to other objects in the operator's namespace", async () => {
    const roles = object(ClusterRole, { name: "more" }, { rules: [] });
    const workload = {
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } },
      },
    };
    await assertDenied(confined.create(ClusterRole, roles), /CREATE rbac\.authorization\.k8s\.io\/clusterroles/);
    await assertDenied(
      confined.create(Tenant, Tenant.make({ metadata: { name: "mine" } })),
      /CREATE neurallog\.io\/tenants/,
    );
    await assertDenied(
      confined.create(Deployment, object(Deployment, { name: "x", namespace: home }, workload)),
      /CREATE apps\/deployments in namespace neurallog-system/,
    );
    await assertDenied(
      confined.create(ConfigMap, object(ConfigMap, { name: "x", namespace: home })),
      /CREATE \/configmaps in namespace neurallog-system/,
    );
  });

  it("allows the Lease and the Secret of the operator, and the content of tenant namespaces", async () => {
    const lease = await confined.create(Lease, object(Lease, { name: "lease", namespace: home }, { spec: {} }));
    await confined.update(Lease, { ...lease, spec: { holderIdentity: "a" } });
    await confined.create(Secret, object(Secret, { name: "cert", namespace: home }));

    await assertDenied(confined.delete(Secret, { name: "cert", namespace: home }), /DELETE \/secrets/);
    await confined.create(Secret, object(Secret, { name: "x", namespace: "tenant-owned" }));
    await confined.delete(Secret, { name: "x", namespace: "tenant-owned" });
  });

  it("does not affect other accounts", async () => {
    await bench.client.create(ConfigMap, object(ConfigMap, { name: "free", namespace: "shop" }));
    await bench.client.patch(Namespace, { name: "shop" }, { merge: { metadata: { labels: { a: "b" } } } });
  });

  it("does not block the operator", async () => {
    await using operator = await bench.run({ user: account });
    await bench.namespace("tenant-adopted", { annotations: { [annotations.allowAdoption]: "adopted" } });
    const spec: TenantInput["spec"] = {
      resources: { cpu: { request: "2", limit: "4" }, memory: { request: "2Gi", limit: "4Gi" } },
      access: { admins: [{ kind: "Group", name: "ops" }] },
      namespaceMetadata: { labels: { team: "a" } },
    };
    for (const name of ["acme", "adopted"]) await bench.create(name, spec);
    for (const name of ["acme", "adopted"]) await bench.running(name);

    // A label that another client removes is restored, and so is a deleted object.
    await bench.client.patch(
      Namespace,
      { name: "tenant-acme" },
      { merge: { metadata: { labels: { [labels.managedBy]: null } } } },
    );
    await bench.client.delete(Service, { namespace: "tenant-acme", name: "acme-server" });
    await bench.until("the label is back", async () => {
      const namespace = await bench.client.get(Namespace, { name: "tenant-acme" });
      return namespace?.metadata.labels?.[labels.managedBy] === manager;
    });
    await bench.until("the Service is back", async () =>
      (await bench.objects("tenant-acme")).includes("Service acme-server"),
    );
    await bench.annotate("acme", annotations.rotate, "1");
    await bench.waitFor(
      "acme",
      ({ status }) => status?.redisCredentials?.token === "1" && status.redisCredentials.step === "done",
    );
    await bench.change("adopted", { deletionPolicy: "Retain", access: null });
    await bench.running("adopted");
    await bench.change("adopted", { deletionPolicy: "Delete" });
    await bench.running("adopted");
    for (const name of ["acme", "adopted"]) await bench.client.delete(Tenant, { name });
    for (const name of ["acme", "adopted"]) await bench.untilDeleted(name);

    const denied = operator.lines.filter(
      ({ level, error }) => level === "error" || /denied|forbidden/i.test(String(error)),
    );
    assert.deepEqual(denied, []);
    assert.equal(await bench.client.get(Namespace, { name: "tenant-acme" }), undefined);
    const returned = await bench.existing(Namespace, { name: "tenant-adopted" });
    assert.equal(returned.metadata.labels?.[labels.managedBy], undefined);
    assert.ok((await bench.events("acme")).length > 0, "events about tenants are recorded");
  });
});
