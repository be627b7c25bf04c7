import assert from "node:assert/strict";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { names, namespaceOf, Tenant, type TenantInput } from "@homeostat/tenant-operator";
import { describeInstall } from "../../../harness/install-suite.ts";
import type { Installed } from "../../../harness/installed.ts";
import { importImages } from "../stories/images.ts";
import { commonSpec } from "../stories/stage.ts";

const path = "/apis/neurallog.io/v1/tenants";

// No volume provisioner runs in this cluster.
const spec = {
  server: commonSpec.server,
  redis: { ...commonSpec.redis, persistence: { enabled: false } },
};

await describeInstall("the Tenant operator in a real cluster", {
  operator: "tenant",
  namespace: "neurallog-system",
  deployment: "neurallog-operator",
  lease: "neurallog-operator.neurallog.io",
  prepare: importImages,
  byChart: {
    title: "the operator serves its webhooks and keeps a tenant running although its leader is killed",
    play: async (installed) => {
      const wrong = { ...spec, server: { ...spec.server, env: [{ name: "PORT", value: "1" }] } };
      const networkPolicy = { allowedNamespaces: ["Not_A_Name"] };
      await installed.refuses(path, tenantNamed("wrong", { ...wrong, networkPolicy }), [/PORT/, /Not_A_Name/]);
      const weak = { ...spec, podSecurity: { enforce: "privileged" } } as const;
      await installed.refuses(path, tenantNamed("weak", weak), [/spec\.podSecurity\.enforce.* weaker than baseline/]);
      await installed.create(path, tenantNamed("acme", spec));
      await running(installed, "acme");
      await isConfined(installed, "acme");
      await hidesItsMetrics(installed);
      await survivesItsLeader(installed, "acme");
      await keepsItsNamespace(installed, "acme");
      await isDeletedWithItsNamespace(installed, "acme");
    },
  },
  byManifests: {
    title: "the operator starts a tenant",
    play: async (installed) => {
      await installed.create(path, tenantNamed("globex", spec));
      const tenant = await running(installed, "globex");

      assert.equal(tenant.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "TenantReady");
      await isDeletedWithItsNamespace(installed, "globex");
    },
  },
});

function tenantNamed(name: string, wanted: TenantInput["spec"]): object {
  return { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name }, spec: wanted };
}

async function running(installed: Installed, name: string): Promise<Tenant> {
  return installed.eventually(`${name} to run`, async () => {
    const tenant = await installed.client.get(Tenant, { name });
    return tenant?.status?.phase === "Running" ? tenant : undefined;
  });
}

/** Kills the leader's pod and deletes an object of the tenant: the other replica creates it again. */
async function survivesItsLeader(installed: Installed, name: string): Promise<void> {
  const { client } = installed;
  const namespace = namespaceOf(name);
  const set = await client.get(StatefulSet, { namespace, name: names.redis(name) });
  const killed = await installed.killLeader();
  // A killed pod may keep working for a moment.
  await installed.eventually("another leader", async () => {
    const leader = await installed.leader();
    return leader !== "" && leader !== killed ? leader : undefined;
  });
  await client.delete(Service, { namespace, name: names.server(name) });
  await installed.eventually("the recreation of the Service", () =>
    client.get(Service, { namespace, name: names.server(name) }),
  );
  const same = await client.get(StatefulSet, { namespace, name: names.redis(name) });
  assert.equal(same?.metadata.uid, set?.metadata.uid, "Redis was created twice");
  assert.equal(same?.metadata.generation, set?.metadata.generation, "Redis was written again");
}

/** Checks that a user who may delete any namespace cannot delete the namespace of a tenant. */
async function keepsItsNamespace(installed: Installed, name: string): Promise<void> {
  await installed.kubectl("create", "clusterrolebinding", "eve", "--clusterrole=cluster-admin", "--user=eve");
  const problem = await installed.kubectl("delete", "namespace", namespaceOf(name), "--as=eve").then(
    () => "it was deleted",
    (error: unknown) => String(error),
  );
  assert.match(problem, /delete the Tenant instead of its namespace/);
}

/** Checks that the operator's account can write only to tenant namespaces, although RBAC allows it everywhere. */
async function isConfined(installed: Installed, name: string): Promise<void> {
  const account = "system:serviceaccount:neurallog-system:neurallog-operator";
  const write = (namespace: string): Promise<string> =>
    installed
      .kubectl("create", "secret", "generic", "probe", "-n", namespace, `--as=${account}`, "--dry-run=server")
      .catch((error: unknown) => String(error));
  assert.match(
    await installed.kubectl("auth", "can-i", "create", "secrets", "-n", "default", `--as=${account}`),
    /^yes/,
  );
  for (const namespace of ["default", "kube-system"]) {
    // The API server takes a moment to enforce a new policy.
    await installed.eventually(`the denial of writes to ${namespace}`, async () =>
      (await write(namespace)).includes("may write only to tenant namespaces") ? true : undefined,
    );
  }
  assert.match(await write(namespaceOf(name)), /secret\/probe created/);
}

/** Checks that the operator denies requests without credentials: the API server forwards none to Services. */
async function hidesItsMetrics(installed: Installed): Promise<void> {
  const page = "/api/v1/namespaces/neurallog-system/services/https:neurallog-operator-metrics:metrics/proxy/metrics";
  const response = await installed.kubectl("get", "--raw", page).catch((error: unknown) => String(error));
  assert.match(response, /Unauthorized|must be logged in|provide credentials/);
}

async function isDeletedWithItsNamespace(installed: Installed, name: string): Promise<void> {
  const { client } = installed;
  await client.delete(Tenant, { name });
  await installed.eventually(`the deletion of ${name}`, async () =>
    (await client.get(Tenant, { name })) === undefined ? true : undefined,
  );
  assert.equal(await client.get(Namespace, { name: namespaceOf(name) }), undefined);
}
