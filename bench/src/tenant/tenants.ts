import { formatTime } from "@homeostat/core";
import { annotations, names, namespaceOf } from "@homeostat/tenant-operator";
import { forAll } from "../operators/lanes.ts";
import type { RawApi } from "../peers/raw-api.ts";

/** Where tenants are made. */
export const tenantsPath = "/apis/neurallog.io/v1/tenants";

/** A small tenant. */
export function tenantBody(name: string): string {
  return JSON.stringify({
    apiVersion: "neurallog.io/v1",
    kind: "Tenant",
    metadata: { name },
    spec: { displayName: `Customer ${name}` },
  });
}

/** Makes tenants, all at once. */
export async function createTenants(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  await forAll(count, async (index) => {
    await api.must({ method: "POST", path: tenantsPath, body: tenantBody(nameOf(index)) }, signal);
  });
}

/** Says of both workloads of every tenant what their controllers say when all pods are ready. */
export async function makeReady(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const time = formatTime(Math.floor(Date.now() / 1000) * 1000);
  const counts = { observedGeneration: 1, replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  const revision = { currentReplicas: 1, currentRevision: "r1", updateRevision: "r1" };
  const conditions = ["Available", "Progressing"].map((type) => ({
    type,
    status: "True",
    reason: type === "Available" ? "MinimumReplicasAvailable" : "NewReplicaSetAvailable",
    message: "",
    lastTransitionTime: time,
    lastUpdateTime: time,
  }));
  await forAll(count, async (index) => {
    const name = nameOf(index);
    const apps = `/apis/apps/v1/namespaces/${namespaceOf(name)}`;
    const say = async (path: string, status: object): Promise<void> => {
      await api.must({ method: "PATCH", path: `${apps}/${path}/status`, body: JSON.stringify({ status }) }, signal);
    };
    await say(`statefulsets/${names.redis(name)}`, { ...counts, ...revision });
    await say(`deployments/${names.server(name)}`, { ...counts, conditions });
  });
}

/** Asks for another look at every tenant. */
export async function askForALook(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ metadata: { annotations: { [annotations.reconcileAt]: "again" } } });
  await forAll(count, async (index) => {
    await api.must({ method: "PATCH", path: `${tenantsPath}/${nameOf(index)}`, body }, signal);
  });
}

/** How many objects there are that the operator has made, by resource. */
export async function countChildren(api: RawApi, signal: AbortSignal): Promise<Readonly<Record<string, number>>> {
  const selector = `labelSelector=${encodeURIComponent("neurallog.io/managed-by=tenant-operator")}`;
  const counts: Record<string, number> = {};
  for (const path of [
    "/api/v1/namespaces",
    "/api/v1/secrets",
    "/api/v1/services",
    "/apis/apps/v1/statefulsets",
    "/apis/apps/v1/deployments",
    "/apis/networking.k8s.io/v1/networkpolicies",
  ]) {
    const { text } = await api.must({ path: `${path}?${selector}` }, signal);
    counts[path.split("/").at(-1) ?? path] = (JSON.parse(text) as { items: unknown[] }).items.length;
  }
  return counts;
}

function nameOf(index: number): string {
  return `customer-${index}`;
}
