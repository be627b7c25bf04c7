import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient, KubeconfigError } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import { readArguments } from "./arguments.ts";
import { chronikDemo } from "./chronik/demo.ts";
import { PortTakenError } from "./cluster/embedded.ts";
import { UnusableClusterError } from "./cluster/existing.ts";
import type { Demo } from "./demo.ts";
import { locustDemo } from "./locust/demo.ts";
import { sandboxDemo } from "./sandbox/demo.ts";
import { start } from "./start.ts";
import { tenantDemo } from "./tenant/demo.ts";

/** Locust demo with a sample that finishes in a few seconds. */
function quickLocustDemo(): Demo {
  const demo = locustDemo({});
  return {
    ...demo,
    sample: async (namespace, cluster) =>
      JSON.parse(
        JSON.stringify(await demo.sample(namespace, cluster))
          .replace("--run-time 20s", "--run-time 3s")
          .replace('"timeout":15', '"timeout":1'),
      ),
  };
}

/** Chronik demo with one member per component: each restart takes some seconds. */
function smallChronikDemo(): Demo {
  const demo = chronikDemo();
  return {
    ...demo,
    sample: async (namespace, cluster) =>
      JSON.parse(
        JSON.stringify(await demo.sample(namespace, cluster))
          .replace('"controllers":3', '"controllers":1')
          .replace('"ingestNodes":2', '"ingestNodes":1')
          .replace('"replicationFactor":2', '"replicationFactor":1'),
      ),
  };
}

async function run(words: readonly string[], signal = new AbortController().signal) {
  const written: string[] = [];
  const succeeded = await start(readArguments(words), {
    output: { write: (text) => written.push(text) },
    demos: [quickLocustDemo(), tenantDemo(), smallChronikDemo(), sandboxDemo()],
    signal,
  });
  return { succeeded, text: written.join("") };
}

describe("npm start", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "start-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("runs a cluster, the operators and their samples until they finish, and leaves nothing behind", async () => {
    const { succeeded, text } = await run(["--once"]);

    assert.ok(succeeded, text);
    for (const part of [
      /Kubernetes v1\.36\.\d+, embedded at https:\/\/127\.0\.0\.1:\d+/,
      /locust-k8s-operator started/,
      /In a browser \(the link works once\):\n  http:\/\/127\.0\.0\.1:\d+\/login\?token=[\w-]{43}\n/,
      /kubectl -n homeostat-samples get lotest -w/,
      /Service +checkout-master +created/,
      /Job +checkout-worker +created/,
      /Pod +checkout-worker-\w+ +running/,
      /workers 2\/2 +users \d+\/40 +[\d.,]+ requests\/s/,
      /kubectl get tenants -w/,
      /NetworkPolicy +default-deny-all +created[^]*StatefulSet +acme-redis +created/,
      /StatefulSet +acme-redis +1\/1 ready/,
      /Tenant +acme +Running\n +URL inside the cluster: http:\/\/acme-server\.tenant-acme\.svc:3030/,
      /kubectl -n homeostat-samples get chronikclusters -w/,
      /StatefulSet +events-controller +1\/1 ready/,
      /ChronikCluster events +Running\n +bootstrap servers inside the cluster: events-ingest-bootstrap\.homeostat-samples\.svc/,
      /changing spec\.tuning\.logLevel to debug[^]*Pod +events-controller-0 +terminating[^]*Pod +events-ingest-0 +terminating/,
      /2 of 2 pods restarted, at most 1 unavailable at the same time/,
      /kubectl -n homeostat-samples get sandboxes,routegroups,routetables/,
      /Deployment +pr-42-cart-[0-9a-f]{8} +1\/1 ready/,
      /Sandbox +pr-42 +Running\n +routing key: pr-42\n +fork of cart: 1\/1 ready at http:\/\/pr-42-cart-[0-9a-f]{8}\.homeostat-samples\.svc:80/,
      /RouteTable +cart +key checkout-v2 to cart of pr-42, key pr-42 to cart of pr-42/,
      /RouteGroup +checkout-v2 +key checkout-v2 for pr-42/,
      /Request +without a key +200 from nginx:1\.28 in pod cart-\w+-\w+\n/,
      /Request +with the key pr-42 +200 from nginx:1\.29 in pod pr-42-cart-[0-9a-f]{8}-\w+-\w+\n +x-sandbox-route: sandbox=pr-42; workload=cart\n/,
      /sandboxctl route explain --service homeostat-samples\/cart --key pr-42\n[^]*Outcome: entry cart of sandbox pr-42\n/,
      /LocustTest +checkout +Succeeded, outcome Passed/,
      /passed +failRatio max 0\.01: actual 0/,
      /Stopping\n$/,
    ])
      assert.match(text, part);
    const kubeconfig = /export KUBECONFIG=(\S+)/.exec(text)?.[1] ?? "";
    assert.ok(kubeconfig !== "" && !existsSync(kubeconfig), kubeconfig);
  });

  it("runs on an existing cluster and removes everything it created", async () => {
    await using cluster = await startCluster({ models: [locustModel, redisModel] });
    const file = join(folder, "given");
    await cluster.writeKubeconfig(file);
    const client = createClient(cluster.connection());

    const { succeeded, text } = await run(["--kubeconfig", file, "--once"]);

    assert.ok(succeeded, text);
    assert.match(text, /chronik-operator skipped: its demo requires the embedded cluster, because no images/);
    assert.doesNotMatch(text, /chronik-operator started|get chronikclusters|ChronikCluster/);
    assert.doesNotMatch(text, /Request +without a key/);
    assert.equal(await client.get(Namespace, { name: "homeostat-samples" }), undefined);
    assert.equal(await client.get(Namespace, { name: "tenant-acme" }), undefined);
    assert.equal(await client.get(CustomResourceDefinition, { name: "locusttests.locust.io" }), undefined);
    assert.equal(await client.get(CustomResourceDefinition, { name: "tenants.neurallog.io" }), undefined);
    client.close();
  });

  it("stops while it is starting when the signal aborts", async () => {
    const stopping = new AbortController();
    const running = run([], stopping.signal);
    setTimeout(() => stopping.abort(new Error("stop")), 1_500);

    const { text } = await running;

    assert.match(text, /Stopping\n$/);
  });

  it("reports a port that is in use", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });

    await assert.rejects(run(["--port", String(port)]), (error) => {
      assert.ok(error instanceof PortTakenError, String(error));
      assert.match(error.message, /Port \d+ is already in use\. Choose another with --port N/);
      return true;
    });
    server.close();
  });

  it("reports an invalid or missing kubeconfig", async () => {
    const broken = join(folder, "broken");
    await writeFile(broken, "apiVersion: v1\nkind: Config\nclusters: 5\n");

    await assert.rejects(run(["--kubeconfig", broken]), KubeconfigError);
    await assert.rejects(run(["--kubeconfig", join(folder, "none")]), KubeconfigError);
  });

  it("reports an unreachable cluster", async () => {
    const file = join(folder, "unreachable");
    {
      await using cluster = await startCluster({ parts: "api" });
      await cluster.writeKubeconfig(file);
    }

    await assert.rejects(
      run(["--kubeconfig", file]),
      (error) => error instanceof UnusableClusterError && /Cannot reach the cluster/.test(error.message),
    );
  });

  it("reports all missing permissions at once", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const file = join(folder, "unprivileged");
    await writeFile(file, cluster.kubeconfig({ user: "unprivileged" }));

    await assert.rejects(run(["--kubeconfig", file]), (error) => {
      assert.ok(error instanceof UnusableClusterError, String(error));
      assert.match(error.message, /create customresourcedefinitions\.apiextensions\.k8s\.io/);
      assert.match(error.message, /delete namespaces/);
      return true;
    });
  });

  it("does not overwrite a CRD of another product", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const file = join(folder, "foreign");
    await cluster.writeKubeconfig(file);
    const client = createClient(cluster.connection());
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await client.create(CustomResourceDefinition, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "locusttests.locust.io" },
      spec: {
        group: "locust.io",
        names: { kind: "LocustTest", plural: "locusttests" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });

    await assert.rejects(run(["--kubeconfig", file]), /of another product/);
    client.close();
  });
});
