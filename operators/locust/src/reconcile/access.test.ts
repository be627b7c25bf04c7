import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ClusterRole } from "@homeostat/kubernetes/rbac/v1";
import { operatorAccess } from "@homeostat/operator";
import { grant, type Right } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.ts";
import { LocustTest } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";
import { locustOperator } from "../operator.ts";
import { readSettings } from "../settings/settings.ts";

/** Permissions of the operator: group, resource, verbs. It cannot read Secrets or ConfigMaps. */
const rights: readonly Right[] = [
  ["locust.io", "locusttests", "get list watch update patch"],
  ["locust.io", "locusttests/status", "get update patch"],
  ["locust.io", "locusttests/finalizers", "update"],
  ["batch", "jobs", "get list watch create delete patch"],
  ["", "services", "get list watch create delete"],
  ["", "pods", "get list watch"],
  ["", "events", "create patch list"],
  ["events.k8s.io", "events", "create patch list"],
  ["coordination.k8s.io", "leases", "get list watch create update patch"],
];

/** Permissions for optional features of a test or the installation. */
const further: readonly Right[] = [
  ["", "configmaps", "get create update patch delete"],
  ["", "pods/proxy", "get create"],
];

/** Permissions for the Secret with the webhook certificate, and for the configurations that contain its CA. */
const ofCertificates: readonly Right[] = [
  ["", "secrets", "create get update"],
  ["apiextensions.k8s.io", "customresourcedefinitions", "get update"],
  ["admissionregistration.k8s.io", "validatingwebhookconfigurations", "get update"],
];

/** Permission of the webhook that checks whether a user can read the objects that a test references. */
const ofWebhooks: readonly Right[] = [["authorization.k8s.io", "subjectaccessreviews", "create"]];

const user = "system:serviceaccount:locust:operator";

describe("the permissions of the operator", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
    await grant(bench.client, { name: "locust", user, rights });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("are exactly those of its definition", () => {
    for (const access of ["podIP", "apiProxy"]) {
      const { settings } = readSettings({ LIVE_STATS_ACCESS: access });
      const needed = operatorAccess(locustOperator({ settings }));
      const allowed = new Map(
        [...rights, ...further, ...ofCertificates, ...ofWebhooks].map(([group, resource, verbs]) => [
          `${group}/${resource}`,
          verbs,
        ]),
      );

      for (const { group, resource, subresource, verbs } of needed) {
        const place = `${group}/${resource}${subresource === undefined ? "" : `/${subresource}`}`;
        const missing = verbs.filter((verb) => !(allowed.get(place) ?? "").split(" ").includes(verb));
        assert.deepEqual(missing, [], place);
      }
    }
  });

  it("are enough for a run, an edit, a pod that fails, a second run, a stop and a deletion", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace, { user });
    await bench.create(namespace, "a");
    const annotate = async (annotation: string, value: string): Promise<void> => {
      const merge = { metadata: { annotations: { [annotation]: value } } };
      await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge });
    };

    await bench.phase(namespace, "a", "Running");
    await bench.pod(namespace, "a-worker", "w", {
      containerStatuses: [
        {
          name: "a-worker",
          state: { waiting: { reason: "ContainerCreating" } },
          ready: false,
          restartCount: 0,
          image: "",
          imageID: "",
        },
      ],
    });
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge: { spec: { worker: { replicas: 3 } } } });
    await bench.pass(140_000);
    await bench.endJob(namespace, "a-master", "Failed");
    await bench.phase(namespace, "a", "Failed");
    await annotate(annotations.rerun, "again");
    await bench.waitFor(namespace, "a", ({ status }) => status?.run === 2 && status.phase === "Running");
    await annotate(annotations.stop, "enough");
    await bench.phase(namespace, "a", "Failed");
    await bench.client.delete(LocustTest, { namespace, name: "a" });
    await bench.until(
      "the test is deleted",
      async () => (await bench.client.get(LocustTest, { namespace, name: "a" })) === undefined,
    );
    await bench.pass(1_000);

    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error" || level === "warn"),
      [],
    );
    assert.ok(!operator.sent.some(({ path }) => /secrets|configmaps/.test(path)));
    assert.ok(
      operator.sent.some(({ path }) => path.includes("reason%3DFailedMount") || path.includes("reason=FailedMount")),
    );
  });

  it("may lack listing events: hanging pods are then treated as slow", async () => {
    const role = { name: "locust" };
    const rules = rights
      .map(([group, resource, verbs]) => ({ apiGroups: [group], resources: [resource], verbs: verbs.split(" ") }))
      .map((rule) => (rule.resources[0] === "events" ? { ...rule, verbs: ["create", "patch"] } : rule));
    const before = await bench.client.get(ClusterRole, role);
    await bench.client.patch(ClusterRole, role, { merge: { rules } });
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace, { user });
    await bench.create(namespace, "a");

    await bench.pass(20_000);
    const test = await bench.get(namespace, "a");
    await bench.client.patch(ClusterRole, role, { merge: { rules: before?.rules ?? [] } });

    // The start of the operator must not depend on this permission.
    assert.equal(test.status?.phase, "Running");
  });
});
