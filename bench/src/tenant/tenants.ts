import { formatTime } from "@homeostat/core";
import { annotations, names, namespaceOf } from "@homeostat/tenant-operator";
import { forAll } from "../operators/lanes.ts";
import type { RawApi } from "../peers/raw-api.ts";

/** API path of tenants. */
export const tenantsPath = "/apis/neurallog.io/v1/tenants";

/** Returns the manifest of a small tenant. */
export function tenantBody(name: string): string {
  return JSON.stringify({
    apiVersion: "neurallog.io/v1",
    kind: "Tenant",
    metadata: { name },
    spec: { displayName: `Customer ${name}` },
  });
}

/** Creates all tenants at once. */
export async function createTenants(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  await forAll(count, async (index) => {
    await api.must({ method: "POST", path: tenantsPath, body: tenantBody(nameOf(index)) }, signal);
  });
}

/** Sets the status of both workloads of every tenant as their controllers do when all pods are ready. */
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
    const setStatus = async (path: string, status: object): Promise<void> => {
      await api.must({ method: "PATCH", path: `${apps}/${path}/status`, body: JSON.stringify({ status }) }, signal);
    };
    await setStatus(`statefulsets/${names.redis(name)}`, { ...counts, ...revision });
    await setStatus(`deployments/${names.server(name)}`, { ...counts, conditions });
  });
}

/** Triggers a reconcile of every tenant without changing its spec. */
export async function triggerReconciles(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ metadata: { annotations: { [annotations.reconcileAt]: "again" } } });
  await forAll(count, async (index) => {
    await api.must({ method: "PATCH", path: `${tenantsPath}/${nameOf(index)}`, body }, signal);
  });
}

/** Counts the objects created by the operator, by resource. */
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
