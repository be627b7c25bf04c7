// The Chronik operator on a real API server with the real controllers and scheduler. Pods are not started: the suite reports them as ready.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ChronikCluster, chronikOperator, labels } from "@homeostat/chronik-operator";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { Event } from "@homeostat/kubernetes/events/v1";
import { operatorManifests } from "@homeostat/operator";
import { reasonToSkipOwnCluster } from "../../../harness/own-cluster.ts";
import type { OperatorProcess } from "../../../harness/operator-process.ts";
import { repository } from "../../../harness/repository.ts";
import { createNode, zonesOf } from "./kubelets.ts";
import { type AuditRecord, namespace, operatorNamespace, Stage } from "./stage.ts";

const skip = (await reasonToSkipOwnCluster("control-plane")) ?? false;

/** A small production cluster that is spread over zones. Search nodes may run in one zone only, as the user asks. */
const demo = {
  apiVersion: "chronik.stream/v1alpha1",
  kind: "ChronikCluster",
  metadata: { name: "demo", namespace },
  spec: {
    version: "v1.4.2",
    controllers: 3,
    ingestNodes: 3,
    searchNodes: 2,
    storage: { size: "1Gi", search: { medium: "emptyDir" } },
    metastore: { database: "embedded" },
    antiAffinity: "required",
    membership: "Static",
    updateStrategy: { minReadySeconds: 0, restartDelaySeconds: 0, quorumCheck: "Readiness" },
    template: {
      search: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["b"] }] },
              ],
            },
          },
        },
      },
    },
  },
};

/** A cluster that cannot be created: another owner has a Service that it needs. */
const conflicted = {
  ...demo,
  metadata: { name: "conflicted", namespace },
  spec: {
    version: "v1.4.2",
    controllers: 1,
    ingestNodes: 1,
    storage: { size: "1Gi" },
    metastore: { database: "embedded" },
    tuning: { replicationFactor: 1, minInsyncReplicas: 1 },
  },
};
const foreignService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "conflicted-ingest", namespace },
  spec: { ports: [{ port: 1 }] },
};

const writes: ReadonlySet<string> = new Set(["create", "update", "patch", "delete"]);

/** Reports whether a request changes an object of a cluster. Leases and events are written by every replica. */
function isClusterWrite({ verb, resource, code }: AuditRecord): boolean {
  const isOther = ["leases", "events", "selfsubjectaccessreviews", "serviceaccounts/token"].includes(resource);
  return writes.has(verb) && !isOther && code < 400;
}

describe("the Chronik operator on a real control plane", { skip, timeout: 600_000 }, () => {
  let stage: Stage;
  let first: OperatorProcess;
  let second: OperatorProcess;

  before(async () => {
    stage = await Stage.open();
    first = await stage.startOperator("first");
    await stage.apply(demo, foreignService, conflicted);
    await stage.eventually("the lease of the first operator", async () =>
      (await holder()) === "first" ? true : undefined,
    );
    second = await stage.startOperator("second");
  });
  after(() => stage?.[Symbol.asyncDispose]());

  async function lease(): Promise<Lease | undefined> {
    const { items } = await stage.client.list(Lease, { namespace: operatorNamespace });
    return items[0];
  }

  async function holder(): Promise<string> {
    return (await lease())?.spec?.holderIdentity?.split("_")[0] ?? "";
  }

  async function podsOf(component: string): Promise<readonly Pod[]> {
    const labelSelector = `${labels.cluster}=demo,${labels.clusterComponent}=${component}`;
    return (await stage.client.list(Pod, { namespace, labelSelector })).items;
  }

  it("is waited for by kubectl, in a namespace that enforces the Pod Security level restricted", async () => {
    const output = await stage.kubectl(
      ..."wait chronikcluster/demo --for=condition=Ready --timeout=2m -n".split(" "),
      namespace,
    );

    assert.match(output, /chronikcluster\.chronik\.stream\/demo condition met/);
    const counts = await Promise.all(
      ["controller", "ingest", "search"].map(async (each) => (await podsOf(each)).length),
    );
    assert.deepEqual(counts, [3, 3, 2]);
    const { items } = await stage.client.list(Event, { namespace });
    assert.deepEqual(
      items.filter(({ reason }) => reason === "FailedCreate"),
      [],
    );
  });

  it("is placed by the scheduler: controllers in different zones, members on different nodes, search where the user says", async () => {
    const zones = await zonesOf(stage.client);
    const nodesOf = async (component: string): Promise<readonly string[]> =>
      (await podsOf(component)).map(({ spec }) => spec.nodeName ?? "");
    const zonesFor = (nodes: readonly string[]): string[] => nodes.map((node) => zones.get(node) ?? "").toSorted();

    const controllers = await nodesOf("controller");
    const ingest = await nodesOf("ingest");
    const search = await nodesOf("search");

    assert.deepEqual(zonesFor(controllers), ["a", "b", "c"]);
    assert.deepEqual(zonesFor(ingest), ["a", "b", "c"]);
    assert.deepEqual(search.toSorted(), ["b-1", "b-2"]);
  });

  it("is scaled by kubectl", async () => {
    await stage.kubectl("-n", namespace, "scale", "chronikcluster/demo", "--replicas=4");
    const status = await stage.eventually("four ingest nodes", async () => {
      const found = (await stage.get("demo"))?.status;
      return found?.readyReplicas?.ingestNodes === 4 ? found : undefined;
    });

    assert.equal(status.desiredReplicas?.ingestNodes, 4);
    assert.equal((await podsOf("ingest")).length, 4);
  });

  it("joins the log, the event, status.lastError and the audit log of a failed reconcile by one ID", async () => {
    const error = await stage.eventually("the error", async () => (await stage.get("conflicted"))?.status?.lastError);
    const id = error.correlationId ?? "";

    assert.equal(error.reason, "ResourceConflict");
    assert.match(id, /^[0-9a-f-]{36}$/);
    const event = await stage.eventually("the event", async () => {
      const { items } = await stage.client.list(Event, { namespace });
      return items.find(({ reason, regarding }) => reason === "ResourceConflict" && regarding?.name === "conflicted");
    });
    assert.equal(event.metadata.annotations?.["homeostat.dev/reconcile-id"], id);
    const lines = first.log.split("\n").filter((line) => line.includes(id));
    assert.ok(
      lines.some((line) => line.includes('"reconcileID"') && line.includes("Reconcile failed")),
      first.log,
    );
    const audited = await stage.eventually("the audit log", () => {
      const found = stage.audit().filter((record) => record.id === id);
      return found.some(({ resource }) => resource === "chronikclusters/status") ? found : undefined;
    });
    assert.deepEqual([...new Set(audited.map(({ user }) => user))], ["first"]);
  });

  it("exports a trace of the failed reconcile: steps below the reconcile, requests below their steps, with the class of the error", async () => {
    const id = (await stage.get("conflicted"))?.status?.lastError?.correlationId ?? "";
    const root = await stage.eventually("the trace", () =>
      stage.collector.spans.find(({ traceId, parentId }) => traceId === id.replaceAll("-", "") && parentId === ""),
    );

    const steps = stage.collector.childrenOf(root);
    const requests = steps.flatMap((step) =>
      stage.collector.childrenOf(step).map(({ name }) => `${step.name}: ${name}`),
    );
    assert.equal(root.name, "reconcile ChronikCluster");
    assert.equal(root.attributes["error.class"], "permanent");
    assert.equal(root.attributes["error.reason"], "ResourceConflict");
    assert.equal(root.resource["service.instance.id"], "first");
    const names = steps.map(({ name }) => name);
    for (const step of ["finalizer", "validate", "prerequisites", "phase", "observe", "objects"])
      assert.ok(names.includes(step), names.join());
    assert.equal(steps.find(({ name }) => name === "objects")?.attributes["error.type"], "MANAGED_OBJECTS_FAILED");
    assert.ok(requests.includes("objects: k8s create serviceaccounts"), requests.join("\n"));
    assert.ok(requests.includes("phase: k8s patch chronikclusters.chronik.stream/status"), requests.join("\n"));
    const unknown = stage.collector.spans.filter(({ name, parentId }) => name.startsWith("k8s ") && parentId === "");
    assert.deepEqual(unknown, []);
  });

  it("is explained by the commands of the runbook", async () => {
    const page = readFileSync(join(repository, "docs/reference/chronik-runbook.md"), "utf8");
    const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, text = ""]) => text.trim().split("\n"));
    const inline = [...page.matchAll(/`(kubectl [^`]+)`/g)].map(([, text = ""]) => text);
    // The operator of this suite is a process, not a pod. The test of the guide runs this command.
    const commands = [...blocks, ...inline].filter((line) => !line.startsWith("kubectl logs "));

    const outputs: string[] = [];
    for (const line of commands)
      outputs.push(
        await stage.shell(line.replaceAll("NAMESPACE", namespace).replaceAll(/\bNAME\b(?!:)/g, "conflicted")),
      );

    assert.ok(commands.length >= 5, commands.join("\n"));
    for (const output of outputs) assert.notEqual(output.trim(), "");
    const text = outputs.join("\n");
    assert.match(text, /conflicted +Failed/);
    assert.match(text, /Reason: +ResourceConflict/);
  });

  it("goes on within 20 seconds when the leader is killed, and never has two writers", async () => {
    const before = (await lease())?.spec?.renewTime ?? "";
    assert.equal(await holder(), "first");

    await first.kill();
    const taken = await stage.eventually("the second operator", async () =>
      (await holder()) === "second" ? lease() : undefined,
    );
    await stage.client.patch(ChronikCluster, { namespace, name: "demo" }, { merge: { spec: { ingestNodes: 5 } } });
    await stage.eventually("the new count", async () =>
      (await stage.get("demo"))?.status?.readyReplicas?.ingestNodes === 5 ? true : undefined,
    );

    const takenAt = Date.parse(taken.spec?.acquireTime ?? "");
    assert.ok(takenAt - Date.parse(before) < 20_000, `from ${before} to ${taken.spec?.acquireTime}`);
    const written = stage.audit().filter(isClusterWrite);
    const lastOfFirst = Math.max(...written.filter(({ user }) => user === "first").map(({ at }) => at));
    const firstOfSecond = Math.min(...written.filter(({ user }) => user === "second").map(({ at }) => at));
    assert.ok(lastOfFirst < firstOfSecond, "both operators wrote at the same time");
    assert.ok(firstOfSecond >= takenAt - 1, "the second operator wrote before it had the lease");
    assert.ok(second.isRunning, second.log);
  });

  it("says why the scheduler cannot place a pod, and goes on when there is a node for it", async () => {
    await stage.client.patch(ChronikCluster, { namespace, name: "demo" }, { merge: { spec: { ingestNodes: 7 } } });
    const message = await stage.eventually("a reason", async () => {
      const { status } = (await stage.get("demo")) ?? {};
      const found = status?.conditions?.find(({ type }) => type === "IngestNodesReady")?.message;
      // Until its claim is bound, a pod cannot be scheduled for another reason.
      return found?.includes("anti-affinity") === true ? found : undefined;
    });
    const pending = await stage.client.get(Pod, { namespace, name: "demo-ingest-6" });
    await createNode(stage.client, { zone: "a", name: "a-3" });
    await stage.eventually("seven ingest nodes", async () =>
      (await stage.get("demo"))?.status?.readyReplicas?.ingestNodes === 7 ? true : undefined,
    );
    const placed = await stage.client.get(Pod, { namespace, name: "demo-ingest-6" });

    // Members of a component never share a node, and there are six.
    assert.match(
      message,
      /^6\/7 ingest nodes ready; demo-ingest-6 cannot be scheduled: 0\/6 nodes are available: 6 node\(s\) didn't match pod anti-affinity rules/,
    );
    assert.deepEqual([pending?.status?.phase, pending?.spec.nodeName], ["Pending", undefined]);
    assert.equal(placed?.spec.nodeName, "a-3");
  });

  it("keeps its objects from changes by other users, if the policies are installed", async () => {
    const options = {
      namespace: operatorNamespace,
      serviceAccountName: "second",
      extras: { objectProtection: true, warningPolicy: false },
    };
    const policies = operatorManifests(chronikOperator(), options).filter(({ kind }) =>
      kind.startsWith("ValidatingAdmissionPolicy"),
    );
    await stage.apply(...policies);
    await stage.kubectl("create", "clusterrolebinding", "jane", "--clusterrole=cluster-admin", "--user=jane");
    const asJane = async (words: string): Promise<string> => {
      try {
        return await stage.kubectl("--as=jane", "-n", namespace, ...words.split(" "));
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    };
    // The API server needs a moment to load a policy.
    const denials = await stage.eventually("the policies", async () => {
      const answers = [
        await asJane("annotate --overwrite service demo-ingest note=x"),
        await asJane("scale statefulset demo-ingest --replicas=7"),
        await asJane("annotate --overwrite statefulset demo-ingest note=x"),
      ];
      return answers.every((answer) => answer.includes("denied request")) ? answers : undefined;
    });
    const allowed = await asJane("annotate pod demo-ingest-0 note=x");
    const annotations = { "example.com/note": "y" };
    await stage.client.patch(
      ChronikCluster,
      { namespace, name: "demo" },
      { merge: { spec: { network: { serviceAnnotations: annotations } } } },
    );
    await stage.eventually("a change by the operator", async () => {
      const service = await stage.client.get(Service, { namespace, name: "demo-ingest-bootstrap" });
      return service?.metadata.annotations?.["example.com/note"] === "y" ? true : undefined;
    });
    await asJane("annotate chronikcluster demo chronik.stream/force-delete=true");
    await asJane("delete chronikcluster demo --timeout=1m");
    await stage.eventually("the garbage collection", async () => {
      const labelSelector = `${labels.cluster}=demo`;
      const left = [
        ...(await stage.client.list(StatefulSet, { namespace, labelSelector })).items,
        ...(await stage.client.list(Service, { namespace, labelSelector })).items,
        ...(await stage.client.list(Pod, { namespace, labelSelector })).items,
      ];
      return left.length === 0 ? true : undefined;
    });

    for (const denial of denials)
      assert.match(denial, /change the ChronikCluster instead of its objects, or add your user to the variable users/);
    assert.match(allowed, /pod\/demo-ingest-0 annotated/);
  });
});
