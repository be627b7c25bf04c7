// Two replicas of the route server as processes on a real API server, with a certificate that the sandbox operator has issued. One of them
// is killed while tables change: no proxy misses an update.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "@homeostat/client";
import { isRecord } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { ConfigMap, Namespace, Secret, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { RouteTable } from "@homeostat/sandbox-operator";
import { kinds } from "@homeostat/sandbox-operator/internal";
import { FollowingProxy } from "@homeostat/sandbox-route-server/testing";
import { installKind } from "../../harness/install-kind.ts";
import { OperatorProcess } from "../../harness/operator-process.ts";
import { reasonToSkipOwnCluster, startOwnCluster } from "../../harness/own-cluster.ts";

const skip = (await reasonToSkipOwnCluster()) ?? false;
const system = "sandbox-system";
const patienceMs = 60_000;

describe("two replicas of the route server on a real API server", { skip, timeout: 300_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let folder: string;
  let ca = "";
  const processes: OperatorProcess[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "route-server-"));
    cluster = await startOwnCluster();
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    for (const kind of Object.values(kinds)) await installKind(client, kind.crd());
    for (const name of [system, "shop", "bank"]) {
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    for (const namespace of ["shop", "bank"]) {
      const metadata = { name: "proxy", namespace };
      await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    }
  });
  after(async () => {
    for (const each of processes) await each.stop();
    client?.close();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (
    operator: string,
    flags: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): OperatorProcess => {
    const options = { operator, kubeconfigPath: cluster.kubeconfigPath, flags: ["--namespace", system, ...flags], env };
    const started = new OperatorProcess(options);
    processes.push(started);
    return started;
  };
  const until = async <T>(
    what: string,
    look: () => Promise<T | undefined | false> | T | undefined | false,
  ): Promise<T> => {
    const end = Date.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      const logs = processes.map((each) => each.log.slice(-2_000)).join("\n--\n");
      assert.ok(Date.now() < end, `timed out waiting for ${what}\n${logs}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const token = async (namespace: string): Promise<string> => {
    const { body } = await cluster.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/proxy/token`,
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { audiences: ["sandbox-routes"], expirationSeconds: 3_600 },
      },
    });
    const status = isRecord(body) ? body["status"] : undefined;
    return isRecord(status) ? String(status["token"]) : "";
  };
  const setTable = async (name: string, version: string): Promise<void> => {
    const spec = { service: name, ports: [{ port: 80, baselineTarget: `${name}.shop.svc:80` }], entries: [], version };
    await client.apply(RouteTable, { metadata: { name, namespace: "shop" }, spec }, { force: true });
  };

  it("get a certificate from the operator, whose CA is in the namespaces of tables", async () => {
    await setTable("first", "v1");
    start("sandbox", ["--webhooks=false"]);
    ca = await until("the CA", async () => {
      const found = await client.get(ConfigMap, { namespace: "shop", name: "sandbox-route-server-ca" });
      return found?.data?.["ca.crt"];
    });
    const secret = await until("the Secret", () => client.get(Secret, { namespace: system, name: "sandbox-ca" }));
    for (const key of ["tls.crt", "tls.key"]) {
      await writeFile(join(folder, key), Buffer.from(secret.data?.[key] ?? "", "base64"), { mode: 0o600 });
    }
    assert.equal(await client.get(ConfigMap, { namespace: "bank", name: "sandbox-route-server-ca" }), undefined);
  });

  it("lose no update when one is killed", async () => {
    const ports = [await freePort(), await freePort()];
    const queries = [await freePort(), await freePort()];
    const replicas = ports.map((port, index) =>
      start(
        "apps/route-server",
        ["--stream-port", `${port}`, "--query-port", `${queries[index]}`, "--cert-dir", folder],
        {
          POD_NAME: `replica-${index}`,
        },
      ),
    );
    const bearer = await token("shop");
    const stop = new AbortController();
    const servername = "sandbox-route-server.sandbox-system.svc";
    const proxies = ports.map((_, index) => {
      // Each proxy starts at another replica.
      const order = index === 0 ? ports : ports.toReversed();
      return new FollowingProxy({ ports: () => order, ca, token: () => bearer, proxy: `p-${index}`, servername });
    });
    const foreign = new FollowingProxy({
      ports: () => ports,
      ca,
      token: async () => token("bank"),
      proxy: "p-bank",
      servername,
    });
    const running = [...proxies, foreign].map((each) => each.run(stop.signal));
    try {
      await until("all are synced", () => [...proxies, foreign].every(({ isSynced }) => isSynced));

      // Changes before, during and after the kill.
      for (let round = 0; round < 40; round += 1) {
        await setTable(`s${round % 8}`, `v${round}`);
        if (round % 8 === 7) await client.delete(RouteTable, { namespace: "shop", name: `s${round % 8}` });
        if (round === 15) await replicas[0]?.kill();
      }

      const { items } = await client.list(RouteTable, { namespace: "shop" });
      const expected = items.map(({ metadata, spec }) => `shop/${metadata.name} ${spec.version}`).toSorted();
      for (const { tables } of proxies) {
        await until("the tables of the API server", () => {
          const found = [...tables].map(([key, version]) => `${key} ${version}`).toSorted();
          return found.join() === expected.join();
        });
      }
      assert.ok(expected.length > 7);
      assert.ok((proxies[0]?.connections ?? 0) > 1, "the proxy of the killed replica has reconnected");
      assert.equal(foreign.tables.size, 0, "a token of another namespace gets no tables");
    } finally {
      stop.abort();
      await Promise.all(running);
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "localhost", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
