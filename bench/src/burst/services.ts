import { createClient } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { Service } from "@homeostat/kubernetes/core/v1";
import { type BurstNumbers, cpuSeconds, steadinessOf } from "./steadiness.ts";

/** The number of Services compared at the beginning and at the end. */
const share = 100;
/** The first requests of a process are slow, whatever they do, and do not count. */
const warmUp = 200;

/** Creates Services one after the other, and compares the first hundred with the last. */
export async function createServices(count: number, signal: AbortSignal): Promise<BurstNumbers> {
  await using cluster = await startCluster({ parts: "api" });
  using client = createClient(cluster.transport());
  const create = async (name: string): Promise<void> => {
    const metadata = { namespace: "default", name };
    const spec = { selector: { app: name }, ports: [{ port: 80 }] };
    await client.create(Service, { apiVersion: "v1", kind: "Service", metadata, spec }, { signal });
  };
  for (let n = 0; n < warmUp; n += 1) {
    await create(`warm-${n}`);
    await client.delete(Service, { namespace: "default", name: `warm-${n}` }, { signal });
  }
  const doneAt: number[] = [];
  const seconds = cpuSeconds();
  for (let n = 0; n < count; n += 1) {
    await create(`service-${n}`);
    doneAt.push(seconds());
  }
  return { ...steadinessOf(doneAt, share), perSecond: count / seconds() };
}
