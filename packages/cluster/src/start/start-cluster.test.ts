import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Client, connectionOf, createClient, parseKubeconfig } from "@homeostat/client";
import { FakeClock, ForbiddenError, systemClock } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Namespace, Pod } from "@homeostat/kubernetes/core/v1";
import { startCluster } from "./start-cluster.ts";

const namespace = "default";
const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "example.com/web:1" }] },
};

/** Retries for up to a minute and returns the first defined result. */
async function eventually<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let left = 1200; left > 0; left -= 1) {
    const found = await attempt();
    if (found !== undefined) return found;
    await systemClock.sleep(50);
  }
  throw new Error("condition not met within a minute");
}

async function make(client: Client, name: string): Promise<void> {
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } });
}

describe("startCluster", () => {
  it("runs a Deployment and cleans up after its deletion", async () => {
    await using cluster = await startCluster();
    using client = createClient(cluster.connection());

    await client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace, name: "web" },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
    });
    const status = await eventually(async () => {
      const found = await client.get(Deployment, { namespace, name: "web" });
      return found?.status?.readyReplicas === 2 ? found.status : undefined;
    });
    await client.delete(Deployment, { namespace, name: "web" }, { propagation: "Foreground" });
    await eventually(async () => ((await client.list(Pod, { namespace })).items.length === 0 ? true : undefined));

    assert.equal(status.availableReplicas, 2);
  });

  it("is reachable by its connection and by its kubeconfig", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const config = await parseKubeconfig(cluster.kubeconfig(), { file: "kubeconfig", folder: "." });

    const { server, tls, identity, namespace: context } = connectionOf(config);
    const connection = cluster.connection();

    assert.equal(connection.server, server);
    assert.equal(connection.namespace, context);
    assert.deepEqual(connection.tls?.certificateAuthority, tls?.certificateAuthority);
    assert.deepEqual(connection.identity?.clientCertificate, identity?.clientCertificate);
    assert.deepEqual(connection.identity?.clientKey, identity?.clientKey);
  });

  it("runs a Job to completion and serves its log", async () => {
    await using cluster = await startCluster();
    using client = createClient(cluster.connection());

    await client.create(Job, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { namespace, name: "hi" },
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "hi", image: "busybox:1", command: ["echo", "hello"] }],
          },
        },
      },
    });
    await eventually(async () => {
      const found = await client.get(Job, { namespace, name: "hi" });
      return found?.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True");
    });
    const [pod] = (await client.list(Pod, { namespace })).items;
    const lines: string[] = [];
    for await (const line of client.logs({ namespace, name: pod?.metadata.name ?? "" })) lines.push(line);

    assert.deepEqual(lines, ["hello"]);
  });

  it("starts the API server alone with parts: api", async () => {
    await using cluster = await startCluster({ parts: "api" });
    using client = createClient(cluster.connection());

    const found = await client.list(Namespace);

    assert.deepEqual(
      found.items.map(({ metadata }) => metadata.name),
      ["default", "kube-node-lease", "kube-public", "kube-system"],
    );
    assert.deepEqual(cluster.nodes, []);
  });

  it("keeps its state in the data directory", async () => {
    const data = mkdtempSync(join(tmpdir(), "homeostat-cluster-"));
    try {
      for (const name of ["first", "second"]) {
        await using cluster = await startCluster({ data, parts: "api" });
        using client = createClient(cluster.connection());
        await make(client, name);
      }
      await using cluster = await startCluster({ data, parts: "api" });
      using client = createClient(cluster.connection());

      const found = await client.list(ConfigMap, { namespace });

      assert.deepEqual(
        found.items.map(({ metadata }) => metadata.name),
        ["first", "second"],
      );
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  it("starts from a snapshot, any number of times", async () => {
    await using first = await startCluster({ parts: "api" });
    using client = createClient(first.connection());
    await make(client, "shared");
    const state = first.server.snapshot();

    await using fork = await startCluster({ parts: "api", from: state });
    using other = createClient(fork.connection());
    await make(other, "own");

    assert.equal((await client.list(ConfigMap, { namespace })).items.length, 1);
    assert.equal((await other.list(ConfigMap, { namespace })).items.length, 2);
  });

  it("is reachable without a socket, also with limited permissions", async () => {
    await using cluster = await startCluster({ parts: "api", clock: new FakeClock() });
    const client = createClient(cluster.transport());
    const stranger = createClient(cluster.transport({ user: "stranger" }));
    await make(client, "here");

    const found = await client.list(ConfigMap, { namespace });

    assert.deepEqual(
      found.items.map(({ metadata }) => metadata.name),
      ["here"],
    );
    await assert.rejects(stranger.list(ConfigMap, { namespace }), ForbiddenError);
  });

  it("refuses a non-loopback address without isOpenToNetwork", async () => {
    await assert.rejects(startCluster({ host: "0.0.0.0" }), /0\.0\.0\.0.*isOpenToNetwork/);
  });
});
