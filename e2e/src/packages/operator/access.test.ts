// An operator with exactly the permissions derived from its definition, on a real API server.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "@homeostat/client";
import type { RealCluster } from "@homeostat/kube";
import { ConfigMap, Secret, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { compareAccess, operatorAccess } from "@homeostat/operator";
import { ClusterRole } from "@homeostat/kubernetes/rbac/v1";
import type { AccessRule } from "@homeostat/runtime";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { eventually, install, runAs, type Running } from "./installed.ts";
import { Site, siteOperator } from "./sites.ts";

const need = "apiserver";
const skip = (await reasonToSkip({ need })) ?? false;
const namespace = "site-operator-system";
const sitesIn = "default";

describe("an operator with its derived permissions", { skip }, () => {
  let cluster: RealCluster;
  let client: Client;
  const rules = operatorAccess(siteOperator, { namespace });

  before(async () => {
    cluster = await startCluster({ need });
    client = await Client.fromKubeconfig({
      file: cluster.kubeconfigPath,
      defaults: { fieldManager: "another-manager" },
    });
    await install(client, siteOperator, { namespace });
  });
  after(async () => {
    client.close();
    await cluster.stop();
  });

  const site = (name: string) => client.get(Site, { namespace: sitesIn, name });
  const page = (name: string) => client.get(ConfigMap, { namespace: sitesIn, name });

  /** Waits until the caches are synced, webhooks are served, and this process leads. */
  async function untilReady({ manager }: Running): Promise<void> {
    await eventually("readiness", () => manager.readyChecks().every((check) => check.problem() === undefined));
  }

  /** Makes an operator go through everything that can happen to its objects. */
  async function drive({ recorder }: Running, { instance, own }: { instance: string; own: string }): Promise<void> {
    const prefix = instance;
    // Corrupts the Secret of the certificates.
    const secret = { namespace: own, name: `${instance}-webhook-certificates` };
    const broken = await client.patch(Secret, secret, { json: [{ op: "replace", path: "/data", value: {} }] });
    assert.deepEqual(Object.keys(broken.data ?? {}), []);
    await eventually("the repair of the certificates", async () => {
      const { data = {} } = (await client.get(Secret, secret)) ?? {};
      return Object.keys(data).length > 0;
    });

    // Objects of other owners have the names that the operator wants to use.
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: sitesIn, name: `${prefix}-taken-0` },
    });
    await client.create(ServiceAccount, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: sitesIn, name: `${prefix}-guest` },
    });
    const make = (name: string, extras = 0) =>
      client.create(
        Site,
        Site.default(Site.make({ metadata: { namespace: sitesIn, name }, spec: { color: "red", extras } })),
      );
    await make(`${prefix}-home`, 2);
    await make(`${prefix}-taken`);
    await make(`${prefix}-guest`);
    await eventually("the status of the site", async () => (await site(`${prefix}-home`))?.status?.color === "red");

    // Edits of another client, of the primary object and of an owned object.
    await client.patch(
      ConfigMap,
      { namespace: sitesIn, name: `${prefix}-home-0` },
      { merge: { data: { color: "grey" } } },
    );
    await eventually(
      "the correction of the page",
      async () => (await page(`${prefix}-home-0`))?.data?.["color"] === "red",
    );
    await client.patch(
      Site,
      { namespace: sitesIn, name: `${prefix}-home` },
      { merge: { spec: { color: "blue", extras: 1 } } },
    );
    await eventually("the deletion of the surplus page", async () => (await page(`${prefix}-home-2`)) === undefined);
    await eventually("the new color", async () => (await site(`${prefix}-home`))?.status?.color === "blue");

    // Concurrent writes, until one of them makes the operator read the site again after a conflict.
    const hasReadSite = (): boolean =>
      recorder.used().some(({ verb, resource, subresource }) => {
        return verb === "get" && resource === "sites" && subresource === undefined;
      });
    let color = "";
    for (let i = 0; i < 500 && (i < 10 || !hasReadSite()); i += 1) {
      color = `color-${i}`;
      await client.patch(Site, { namespace: sitesIn, name: `${prefix}-home` }, { merge: { spec: { color } } });
    }
    await eventually("the last color", async () => (await site(`${prefix}-home`))?.status?.color === color);

    for (const name of ["home", "taken", "guest"]) {
      await client.delete(Site, { namespace: sitesIn, name: `${prefix}-${name}` });
    }
    await eventually("the deletion of the site", async () => (await site(`${prefix}-home`)) === undefined);
    await eventually("the deletion of the other site", async () => (await site(`${prefix}-taken`)) === undefined);
  }

  // No request needs it: only the admission plugin OwnerReferencesPermissionEnforcement does, which this server does not run.
  const ownerRight = "update sites.operator.e2e.example.com/finalizers";

  it("does all its work without a denied request or an unused permission", async () => {
    const running = await runAs(cluster, { operator: siteOperator, namespace });
    try {
      await untilReady(running);
      await drive(running, { instance: "site-operator", own: namespace });
    } finally {
      await running.stop();
    }

    assert.deepEqual(running.recorder.refused(), []);
    assert.deepEqual(compareAccess(rules, running.recorder.used()), { missing: [], unused: [ownerRight] });
    assertComparisonFails(
      running,
      rules.filter(({ subresource }) => subresource !== "finalizers"),
    );
  });

  it("does so in the namespaces that it watches, with a Role in each", async () => {
    const options = { instance: "narrow", namespace: "narrow-system", watchNamespaces: [sitesIn] };
    await install(client, siteOperator, options);
    const running = await runAs(cluster, { operator: siteOperator, ...options });
    try {
      await untilReady(running);
      await drive(running, { instance: "narrow", own: "narrow-system" });
    } finally {
      await running.stop();
    }

    assert.deepEqual(running.recorder.refused(), []);
    // Events about its own pod are recorded only when the operator cannot work, which does not happen here.
    const events = ["create", "patch"].map((verb) => `${verb} events.events.k8s.io in narrow-system`);
    const unused = [`${ownerRight} in ${sitesIn}`, ...events];
    const narrow = operatorAccess(siteOperator, options);
    assert.deepEqual(compareAccess(narrow, running.recorder.used()), { missing: [], unused });
  });

  it("reports a missing verb when it is removed, and works when it is granted again", async () => {
    const role = await client.get(ClusterRole, { name: "site-operator" });
    assert.ok(role);
    const less = (role.rules ?? []).map((rule) =>
      rule.resources?.includes("sites/status") ? { ...rule, verbs: ["get"] } : rule,
    );
    await client.update(ClusterRole, { ...role, rules: less });

    const running = await runAs(cluster, { operator: siteOperator, namespace });
    try {
      const problems = (): string[] => running.manager.readyChecks().flatMap((check) => check.problem() ?? []);
      await eventually("the complaint", () => problems().some((problem) => problem.includes("patch")));
      assert.match(problems().join("\n"), /patch.*sites.*status|sites\/status.*patch/);
    } finally {
      await running.stop();
    }
  });
});

/** Checks that the comparison can fail: with a missing verb and with an additional verb. */
function assertComparisonFails({ recorder }: Running, rules: readonly AccessRule[]): void {
  for (const [index, rule] of rules.entries()) {
    for (const verb of rule.verbs) {
      const less = rules.with(index, { ...rule, verbs: rule.verbs.filter((other) => other !== verb) });
      const { missing } = compareAccess(less, recorder.used());
      assert.ok(
        missing.some((entry) => entry.startsWith(`${verb} ${rule.resource}`)),
        `without ${verb} on ${rule.resource}: ${missing.join(", ")}`,
      );
    }
    const more = rules.with(index, { ...rule, verbs: [...rule.verbs, "deletecollection"] });
    assert.equal(compareAccess(more, recorder.used()).unused.length, 1);
  }
}
