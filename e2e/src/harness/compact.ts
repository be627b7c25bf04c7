import { readFileSync } from "node:fs";
import { request } from "node:https";
import { dirname, join } from "node:path";
import type { RealCluster } from "@homeostat/kube";

interface ClusterRecord {
  readonly ports: { readonly etcd: number };
}

/** Compacts etcd of a cluster that was started for this suite up to a resource version. */
export async function compact(cluster: RealCluster, resourceVersion: string): Promise<void> {
  const folder = dirname(cluster.kubeconfigPath);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const { ports } = JSON.parse(read("cluster.json")) as ClusterRecord;
  const tls = { ca: read("pki/etcd-ca.crt"), cert: read("pki/etcd-client.crt"), key: read("pki/etcd-client.key") };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const url = `https://127.0.0.1:${ports.etcd}/v3/kv/compaction`;
    const sending = request(url, { method: "POST", ...tls }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    sending.on("error", reject).end(JSON.stringify({ revision: resourceVersion, physical: true }));
  });
  if (status !== 200) throw new Error(`etcd responded to the compaction with ${status}`);
}
