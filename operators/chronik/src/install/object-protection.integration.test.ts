import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { ForbiddenError } from "@homeostat/core";
import { ValidatingAdmissionPolicy } from "@homeostat/kubernetes/admissionregistration/v1";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { operatorChart, operatorManifests } from "@homeostat/operator";
import { applyManifests } from "@homeostat/operator-testing";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { chronikOperator } from "../operator.ts";
import { Bench, namespace } from "../testing/bench.ts";
import { warningPolicyName } from "./warning-policy.ts";

const home = "chronik-operator-system";
const account = `system:serviceaccount:${home}:chronik-operator`;

describe("the protection of the objects of clusters", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    const policies = operatorManifests(chronikOperator(), { extras: { objectProtection: true } }).filter(
      ({ kind, metadata }) => kind.startsWith("ValidatingAdmissionPolicy") && metadata.name !== warningPolicyName,
    );
    await applyManifests(bench.client, policies);
    // Only the policies decide in this test.
    await bench.client.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "everyone" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:authenticated" }],
    });
    operator = await bench.run({ user: account });
    const metric = { name: "lag", targetType: "Value", targetValue: "1" } as const;
    const searchNodes = { minReplicas: 1, maxReplicas: 3, customMetrics: [metric] };
    await bench.create("one", { controllers: 1, ingestNodes: 2, searchNodes: 1, autoscaling: { searchNodes } });
    await bench.running("one");
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  const as = (user: string, group = "people"): Client => createClient(bench.cluster.transport({ user, group }));
  const note = { merge: { metadata: { annotations: { "example.com/note": "x" } } } };
  const service = { namespace, name: "one-ingest" };

  async function scale(client: Client, path: string, replicas: number): Promise<void> {
    await client.raw({
      method: "PATCH",
      path: `/apis/${path}/scale`,
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ spec: { replicas } }),
    });
  }

  it("denies changes and deletions to people, and says what to do instead", async () => {
    const jane = as("jane");
    const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
      "change a Service": () => jane.patch(Service, service, note),
      "remove the label of a Service": () =>
        jane.patch(Service, service, { merge: { metadata: { labels: { "app.kubernetes.io/managed-by": null } } } }),
      "change a StatefulSet": () => jane.patch(StatefulSet, service, { merge: { spec: { replicas: 0 } } }),
      "delete a ConfigMap": () => jane.delete(ConfigMap, { namespace, name: "one-config" }),
      "delete a budget": () => jane.delete(PodDisruptionBudget, { namespace, name: "one-ingest-pdb" }),
      "scale a StatefulSet": () => scale(jane, `apps/v1/namespaces/${namespace}/statefulsets/one-ingest`, 0),
      "scale a Deployment": () => scale(jane, `apps/v1/namespaces/${namespace}/deployments/one-search`, 0),
    };

    for (const [what, attempt] of Object.entries(attempts))
      await assert.rejects(attempt(), (error) => {
        assert.ok(error instanceof ForbiddenError, `${what}: ${String(error)}`);
        assert.match(
          error.message,
          /change the ChronikCluster instead of its objects, or add your user to the variable/,
        );
        return true;
      });
  });

  it("lets people change clusters, pods, claims, scale targets and objects of others", async () => {
    const jane = as("jane");

    await jane.patch(ChronikCluster, { namespace, name: "one" }, note);
    await jane.patch(Pod, { namespace, name: "one-ingest-0" }, note);
    await jane.patch(PersistentVolumeClaim, { namespace, name: "data-one-ingest-0" }, note);
    await scale(jane, `chronik.stream/v1alpha1/namespaces/${namespace}/chroniknodegroups/one-search`, 1);
    await jane.patch(ChronikNodeGroup, { namespace, name: "one-search" }, note);
    const metadata = { namespace, name: "other" };
    await jane.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
    await jane.patch(ConfigMap, metadata, note);
    await jane.delete(ConfigMap, metadata);
  });

  for (const [who, user, group] of [
    [
      "the garbage collector",
      "system:serviceaccount:kube-system:generic-garbage-collector",
      "system:serviceaccounts:kube-system",
    ],
    [
      "the autoscaler",
      "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
      "system:serviceaccounts:kube-system",
    ],
    ["the controller manager", "system:kube-controller-manager", "system:authenticated"],
    ["a kubelet", "system:node:n1", "system:nodes"],
    ["an administrator of the group system:masters", "root", "system:masters"],
  ] as const) {
    it(`does not restrict ${who}`, async () => {
      const client = as(user, group);

      await client.patch(Service, service, note);
      await client.patch(
        Deployment,
        { namespace, name: "one-search" },
        { merge: { status: {} } },
        { subresource: "status" },
      );
      await scale(client, `apps/v1/namespaces/${namespace}/statefulsets/one-ingest`, 2);
    });
  }

  it("exempts the users of its variable, for emergencies", async () => {
    const value = { name: "users", expression: "['jack']" };
    const json = [{ op: "replace" as const, path: "/spec/variables/0", value }];
    await bench.client.patch(ValidatingAdmissionPolicy, { name: "chronik-operator-objects" }, { json });

    await as("jack").patch(Service, service, note);
  });

  it("does not restrict the operator: it changes, scales and deletes clusters", async () => {
    await bench.change("one", { ingestNodes: 1, autoscaling: null, config: { common: { a: "1" } } });
    await bench.running("one");
    await as("jane").delete(ChronikCluster, { namespace, name: "one" });
    await bench.untilDeleted("one");
    await bench.until("no object is left", async () => (await bench.objects("one")).length === 0);
  });

  it("is an option of the manifests and of the chart, and off by default", () => {
    const chart = operatorChart(chronikOperator());
    const template = chart.get("templates/extra-object-protection.yaml") ?? "";

    assert.match(chart.get("values.yaml") ?? "", /^ {2}objectProtection: false$/m);
    assert.match(
      template,
      /'system:serviceaccount:\{\{ \$\.Release\.Namespace \}\}:\{\{ include "chronik-operator\.serviceAccount" \$ \}\}'/,
    );
    assert.match(template, /\.Values\.extras\.objectProtection/);
    const kinds = operatorManifests(chronikOperator()).map(({ kind, metadata }) => `${kind} ${metadata.name ?? ""}`);
    assert.ok(!kinds.includes("ValidatingAdmissionPolicy chronik-operator-objects"));
  });
});
