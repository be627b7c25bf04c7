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
import { PortTakenError } from "./cluster/embedded.ts";
import { UnusableClusterError } from "./cluster/given.ts";
import type { Exhibit } from "./exhibit.ts";
import { locustExhibit } from "./locust/exhibit.ts";
import { start } from "./start.ts";
import { tenantExhibit } from "./tenant/exhibit.ts";

/** The load tests with a sample that is over in a few seconds. */
function quickExhibit(): Exhibit {
  const exhibit = locustExhibit({});
  return {
    ...exhibit,
    sample: async (namespace) =>
      JSON.parse(
        JSON.stringify(await exhibit.sample(namespace))
          .replace("--run-time 20s", "--run-time 3s")
          .replace('"timeout":15', '"timeout":1'),
      ),
  };
}

async function run(words: readonly string[], signal = new AbortController().signal) {
  const written: string[] = [];
  const isWell = await start(readArguments(words), {
    output: { write: (text) => written.push(text) },
    exhibits: [quickExhibit(), tenantExhibit()],
    signal,
  });
  return { isWell, text: written.join("") };
}

describe("npm start", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "start-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("runs a cluster, the operators and their samples to their ends, and leaves nothing behind", async () => {
    const { isWell, text } = await run(["--once"]);

    assert.ok(isWell, text);
    for (const part of [
      /Kubernetes v1\.36\.\d+, embedded at https:\/\/127\.0\.0\.1:\d+/,
      /locust-k8s-operator runs/,
      /kubectl -n homeostat-samples get lotest -w/,
      /Service +checkout-master +is made/,
      /Job +checkout-worker +is made/,
      /Pod +checkout-worker-\w+ +runs/,
      /workers 2\/2 +users \d+\/40 +[\d.,]+ requests\/s/,
      /kubectl get tenants -w/,
      /NetworkPolicy default-deny-all +is made[^]*StatefulSet +acme-redis +is made/,
      /StatefulSet +acme-redis +has 1 of 1 ready/,
      /Tenant +acme +Running\n +its server, within the cluster: http:\/\/acme-server\.tenant-acme\.svc:3030/,
      /LocustTest +checkout +Succeeded, outcome Passed/,
      /kept +failRatio max 0\.01: is 0/,
      /Stopping\.\n$/,
    ])
      assert.match(text, part);
    const kubeconfig = /export KUBECONFIG=(\S+)/.exec(text)?.[1] ?? "";
    assert.ok(kubeconfig !== "" && !existsSync(kubeconfig), kubeconfig);
  });

  it("does the same on a cluster that is given, and takes everything back", async () => {
    await using cluster = await startCluster({ models: [locustModel, redisModel] });
    const file = join(folder, "given");
    await cluster.writeKubeconfig(file);
    const client = createClient(cluster.connection());

    const { isWell, text } = await run(["--kubeconfig", file, "--once"]);

    assert.ok(isWell, text);
    assert.equal(await client.get(Namespace, { name: "homeostat-samples" }), undefined);
    assert.equal(await client.get(Namespace, { name: "tenant-acme" }), undefined);
    assert.equal(await client.get(CustomResourceDefinition, { name: "locusttests.locust.io" }), undefined);
    assert.equal(await client.get(CustomResourceDefinition, { name: "tenants.neurallog.io" }), undefined);
    client.close();
  });

  it("stops in the middle when it is told to", async () => {
    const stopping = new AbortController();
    const running = run([], stopping.signal);
    setTimeout(() => stopping.abort(new Error("stop")), 1_500);

    const { text } = await running;

    assert.match(text, /Stopping\.\n$/);
  });

  it("says that a port is taken", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });

    await assert.rejects(run(["--port", String(port)]), (error) => {
      assert.ok(error instanceof PortTakenError, String(error));
      assert.match(error.message, /Port \d+ is taken\. Choose another with --port N/);
      return true;
    });
    server.close();
  });

  it("says what is wrong with a kubeconfig", async () => {
    const broken = join(folder, "broken");
    await writeFile(broken, "apiVersion: v1\nkind: Config\nclusters: 5\n");

    await assert.rejects(run(["--kubeconfig", broken]), KubeconfigError);
    await assert.rejects(run(["--kubeconfig", join(folder, "none")]), KubeconfigError);
  });

  it("says that nobody answers", async () => {
    const file = join(folder, "nobody");
    {
      await using cluster = await startCluster({ parts: "api" });
      await cluster.writeKubeconfig(file);
    }

    await assert.rejects(
      run(["--kubeconfig", file]),
      (error) => error instanceof UnusableClusterError && /does not answer/.test(error.message),
    );
  });

  it("says which rights are missing, all at once", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const file = join(folder, "nobody-special");
    await writeFile(file, cluster.kubeconfig({ user: "somebody" }));

    await assert.rejects(run(["--kubeconfig", file]), (error) => {
      assert.ok(error instanceof UnusableClusterError, String(error));
      assert.match(error.message, /create customresourcedefinitions\.apiextensions\.k8s\.io/);
      assert.match(error.message, /delete namespaces/);
      return true;
    });
  });

  it("does not overwrite the definition of another product", async () => {
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
