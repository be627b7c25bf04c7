// A ChronikCluster on a real node with CoreDNS, in a namespace that enforces the Pod Security level restricted. The pods run the component stub.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { ChronikCluster, ChronikNodeGroup } from "@homeostat/chronik-operator";
import { Client } from "@homeostat/client";
import { kubectl, type RealCluster } from "@homeostat/kube";
import { Namespace, PersistentVolume, Pod } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { installKind } from "../../../harness/install-kind.ts";
import { copyProgram, importImage } from "../../../harness/local-image.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { repository } from "../../../harness/repository.ts";

const run = promisify(execFile);
const skip = (await reasonToSkip({ need: "node" })) ?? false;
const namespace = "streaming";
const image = "docker.io/local/chronik-stub";
const components = ["controller", "ingest", "search"] as const;

describe("a ChronikCluster on a real node, in a namespace that enforces restricted", { skip, timeout: 600_000 }, () => {
  let cluster: RealCluster;
  const ends: (() => unknown)[] = [];

  before(async () => {
    cluster = await startCluster({ need: "node" });
    ends.push(() => cluster.stop());
    const folder = mkdtempSync(join(tmpdir(), "homeostat-chronik-"));
    ends.unshift(() => rmSync(folder, { recursive: true, force: true }));
    const { kubeconfigPath } = cluster;
    importImage(kubeconfigPath, { name: `${image}:v1`, entrypoint: ["/usr/bin/node", "/app/stub.js"] }, (root) => {
      mkdirSync(join(root, "app"));
      copyFileSync(join(repository, "operators/chronik/dist/stub.js"), join(root, "app/stub.js"));
      copyProgram(process.execPath, root, "node");
    });
    const client = await Client.fromKubeconfig({ file: kubeconfigPath, defaults: { fieldManager: "a-user" } });
    ends.push(() => client.close());
    for (const type of [ChronikCluster, ChronikNodeGroup]) await installKind(client, type.crd());
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });
    for (const index of [0, 1]) await client.create(PersistentVolume, volume(join(folder, `volume-${index}`), index));
    const operator = new OperatorProcess({
      operator: "chronik",
      kubeconfigPath,
      env: { LEADER_ELECTION: "false", POD_NAMESPACE: "default" },
    });
    ends.push(() => operator.stop());
    await client.create(ChronikCluster, ChronikCluster.default(demo));
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });

  async function kube(...words: readonly string[]): Promise<string> {
    const options = ["--kubeconfig", cluster.kubeconfigPath, "-n", namespace];
    return (await run(await kubectl(), [...options, ...words])).stdout;
  }

  it("runs its pods, which can write to their scratch volume and to their data, and not to the root file system", async () => {
    await kube("wait", "chronikcluster/demo", "--for=condition=Ready", "--timeout=4m");
    using client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    const { items } = await client.list(Pod, { namespace });
    const results: Record<string, unknown> = {};
    for (const component of components) {
      const pod = items.find(({ metadata }) => metadata.name?.startsWith(`demo-${component}-`));
      const output = await kube("exec", pod?.metadata.name ?? "", "--", "/usr/bin/node", "-e", probe);
      results[component] = JSON.parse(output);
    }

    const expected = { user: 1000, root: "EROFS", app: "EROFS", scratch: "written", data: "written" };
    assert.deepEqual(results, Object.fromEntries(components.map((component) => [component, expected])));
  });

  it("resolves the addresses of its status to the pods, also that of the search node", async () => {
    using client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    const { status } = (await client.get(ChronikCluster, { namespace, name: "demo" })) ?? {};
    const { items } = await client.list(Pod, { namespace });
    const addresses = [status?.controllers, status?.ingestNodes, status?.searchNodes].map((one) => one?.[0] ?? "");
    const hosts = addresses.map((address) => address.split(":")[0] ?? "");
    const output = await kube("exec", "demo-controller-0", "--", "/usr/bin/node", "-e", resolution, ...hosts);

    const podIPs = components.map(
      (component) => items.find(({ metadata }) => metadata.name?.startsWith(`demo-${component}-`))?.status?.podIP,
    );
    assert.deepEqual(JSON.parse(output), podIPs, hosts.join());
  });
});

/** A program that tries to write to each place, and prints the results. */
const probe = `
const { writeFileSync } = require("node:fs");
const attempt = (path) => { try { writeFileSync(path, ""); return "written"; } catch (error) { return error.code; } };
console.log(JSON.stringify({
  user: process.getuid(),
  root: attempt("/probe"),
  app: attempt("/app/probe"),
  scratch: attempt("/tmp/probe"),
  data: attempt((process.env.STORAGE_PATH ?? "/var/lib/chronik") + "/probe"),
}));
`;

/** A program that prints the address of each host. CoreDNS may know a new EndpointSlice a moment later than its pod is ready. */
const resolution = `
const { lookup } = require("node:dns/promises");
const resolve = async (host, attempts = 60) => {
  try {
    return (await lookup(host)).address;
  } catch (error) {
    if (attempts === 0) return error.code;
    await new Promise((next) => setTimeout(next, 500));
    return resolve(host, attempts - 1);
  }
};
Promise.all(process.argv.slice(1).map((host) => resolve(host))).then((found) => console.log(JSON.stringify(found)));
`;

const demo = ChronikCluster.make({
  metadata: { name: "demo", namespace },
  spec: {
    version: "v1",
    image: Object.fromEntries(components.map((component) => [component, `${image}:v1`])),
    controllers: 1,
    ingestNodes: 1,
    searchNodes: 1,
    storage: { size: "1Gi", search: { medium: "emptyDir" } },
    metastore: { database: "embedded" },
    tuning: { replicationFactor: 1, minInsyncReplicas: 1 },
    updateStrategy: { minReadySeconds: 0, restartDelaySeconds: 0 },
  },
});

/** Returns a hostPath volume that any user can write to: no provisioner runs here. */
function volume(path: string, index: number): PersistentVolume {
  mkdirSync(path);
  chmodSync(path, 0o777);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `volume-${index}` },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path } },
  };
}
