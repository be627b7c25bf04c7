// The roles, the policy for namespaces and the webhooks of the operator, installed on an embedded API server.

import assert from "node:assert/strict";
import { get } from "node:https";
import { after, before, describe, it } from "node:test";
import type { Client } from "@homeostat/client";
import { ConflictError, ForbiddenError, InvalidError, systemClock } from "@homeostat/core";
import { ValidatingAdmissionPolicy } from "@homeostat/kubernetes/admissionregistration/v1";
import { SubjectAccessReview } from "@homeostat/kubernetes/authorization/v1";
import type { TokenRequest } from "@homeostat/kubernetes/authentication/v1";
import { Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { ClusterRoleBinding, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { type InstalledOperator, installOperator } from "@homeostat/operator-testing";
import { Tenant } from "../api/tenant.ts";
import { tenantOperator } from "../operator.ts";

const home = "neurallog-system";
const account = `system:serviceaccount:${home}:neurallog-operator`;
const operator = tenantOperator();
describe("the installed operator", () => {
  let installed: InstalledOperator;
  let client: Client;

  before(async () => {
    installed = await installOperator(operator, home);
    ({ client } = installed);
  });
  after(() => installed[Symbol.asyncDispose]());

  it("grants admins, editors and viewers their verbs, and none of them Secrets or writes to policies", async () => {
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant-roles" } });
    for (const role of ["admin", "editor", "viewer"]) {
      await client.create(RoleBinding, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: `neurallog-${role}s`, namespace: "tenant-roles" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `neurallog-tenant-${role}` },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: role }],
      });
    }
    const questions = [
      "get /pods",
      "get /pods/log",
      "get /configmaps",
      "list apps/deployments",
      "get networking.k8s.io/networkpolicies",
      "get /resourcequotas",
      "create /pods",
      "patch apps/deployments",
      "update apps/statefulsets/scale",
      "delete /services",
      "create /pods/exec",
      "get /secrets",
      "list /secrets",
      "watch /secrets",
      "create /secrets",
      "create networking.k8s.io/networkpolicies",
      "patch networking.k8s.io/networkpolicies",
      "delete networking.k8s.io/networkpolicies",
      "patch /resourcequotas",
      "patch /limitranges",
      "create rbac.authorization.k8s.io/rolebindings",
      "create /serviceaccounts/token",
      "delete /namespaces",
    ];
    const answers: Record<string, string[]> = {};
    for (const user of ["admin", "editor", "viewer"]) {
      for (const question of questions) {
        const [verb = "", what = ""] = question.split(" ");
        const [group = "", resource = "", subresource = ""] = what.split("/");
        const { status } = await client.create(SubjectAccessReview, {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          metadata: {},
          spec: { user, resourceAttributes: { namespace: "tenant-roles", verb, group, resource, subresource } },
        });
        if (status?.allowed === true) (answers[user] ??= []).push(question);
      }
    }

    assert.deepEqual(answers, {
      viewer: questions.slice(0, 6),
      editor: questions.slice(0, 10),
      admin: questions.slice(0, 11),
    });
  });

  it("denies the direct deletion of a tenant namespace", async () => {
    const label = { "neurallog.io/managed-by": "tenant-operator" };
    const make = (name: string, labels: Record<string, string>): Promise<Namespace> =>
      client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
    await client.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "people" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "people" }],
    });
    for (const name of ["tenant-kept", "tenant-own", "tenant-named", "tenant-masters"]) await make(name, label);
    await make("plain", {});

    await assert.rejects(installed.clientOf("jack").delete(Namespace, { name: "tenant-kept" }), (error) => {
      assert.ok(error instanceof ForbiddenError);
      assert.match(
        error.message,
        /delete the Tenant instead of its namespace, or add your user to the variable users of the ValidatingAdmissionPolicy neurallog-operator-namespaces/,
      );
      return true;
    });
    await installed.clientOf("jack").delete(Namespace, { name: "plain" });
    await installed.clientOf(account).delete(Namespace, { name: "tenant-own" });
    await installed.clientOf("root", "system:masters").delete(Namespace, { name: "tenant-masters" });
    await client.patch(
      ValidatingAdmissionPolicy,
      { name: "neurallog-operator-namespaces" },
      { json: [{ op: "replace", path: "/spec/variables/0", value: { name: "users", expression: "['jane']" } }] },
    );
    await installed.clientOf("jane").delete(Namespace, { name: "tenant-named" });
  });

  it("shows metrics with the names of tenants only to accounts that may read them", async () => {
    await client.create(Tenant, { ...Tenant.make({ metadata: { name: "measured" } }), spec: { paused: true } });
    await client.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "prometheus" },
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: "neurallog-operator-metrics-reader",
      },
      subjects: [{ kind: "ServiceAccount", name: "prometheus", namespace: "default" }],
    });
    const [reader, other] = [await tokenOf("prometheus"), await tokenOf("other")];
    const name = /^neurallog_tenant_condition\{.*tenant="measured"/m;
    for (let left = 600; !name.test((await scrape(reader)).text); left -= 1) {
      assert.ok(left > 0, "the tenant never appeared in the metrics");
      await systemClock.sleep(50);
    }

    const refused = await Promise.all([undefined, "forged", other].map((token) => scrape(token)));

    assert.deepEqual(
      refused.map(({ status }) => status),
      [401, 401, 403],
    );
    for (const { text } of refused) assert.doesNotMatch(text, /measured/);
  });

  /** Creates a service account and returns a token for it. */
  async function tokenOf(name: string): Promise<string> {
    const metadata = { name, namespace: "default" };
    await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    const { body } = await client.raw({
      method: "POST",
      path: `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec: {} }),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const { status } = JSON.parse(Buffer.concat(pieces).toString()) as TokenRequest;
    return status?.token ?? "";
  }

  function scrape(token?: string): Promise<{ readonly status: number; readonly text: string }> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = {
      host: "127.0.0.1",
      port: installed.metricsPort,
      path: "/metrics",
      headers,
      agent: false,
      rejectUnauthorized: false,
    };
    return new Promise((resolve, reject) => {
      get(options, (response) => {
        let text = "";
        response.on("data", (piece: Buffer) => (text += piece.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      }).on("error", reject);
    });
  }

  it("sets defaults and denies invalid tenants, taken namespaces and deletion of protected tenants", async () => {
    const make = (name: string, spec: object): Promise<Tenant> =>
      client.create(Tenant, { ...Tenant.make({ metadata: { name } }), spec });

    const { spec } = await make("defaulted", { paused: true });
    assert.equal(spec.server.image, "neurallog/server:latest");
    await assert.rejects(make("bad", { version: "x", redis: { config: { port: "1" } } }), (error) => {
      assert.ok(error instanceof InvalidError);
      assert.match(
        error.message,
        /Tenant\.neurallog\.io "bad" is invalid: \[spec\.version: .*, spec\.redis\.config\[port\]: /,
      );
      return true;
    });
    const root = {
      podSecurity: { enforce: "privileged" },
      access: { admins: [{ kind: "User", name: "system:anonymous" }] },
    };
    await assert.rejects(make("root", root), (error) => {
      assert.ok(error instanceof InvalidError);
      assert.match(
        error.message,
        /\[spec\.podSecurity\.enforce: .* weaker than baseline, .*, spec\.access\.admins\[0\]\.name: .* reserved/,
      );
      return true;
    });
    await assert.rejects(make("roles", { paused: true }), (error) => {
      assert.ok(error instanceof ConflictError);
      assert.match(error.message, /namespace "tenant-roles" already exists and is not owned by this Tenant/);
      return true;
    });
    await make("safe", { paused: true, deletionProtection: true });
    await assert.rejects(client.delete(Tenant, { name: "safe" }), (error) => {
      assert.ok(error instanceof ForbiddenError);
      assert.match(error.message, /tenant is protected from deletion; set spec\.deletionProtection to false first/);
      return true;
    });
    await client.patch(Tenant, { name: "safe" }, { merge: { spec: { deletionProtection: false } } });
    await client.delete(Tenant, { name: "safe" });
  });
});
