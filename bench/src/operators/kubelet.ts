// A node without a machine. It reports what a kubelet would report about pods.

import type { Client } from "@homeostat/client";
import { formatTime, NetworkError } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { runningStatus } from "@homeostat/operator-testing";
import type { RawApi } from "../peers/raw-api.ts";
import { pause } from "../peers/time.ts";

/** Pods of a node without a machine. */
export interface PodReports {
  /** Returns the address of a pod from its name. */
  addressOf(this: void, podName: string): string;
  /** True to leave the choice of the node to the scheduler. Default: pods are bound at once, also those with claims that nothing binds. */
  readonly isScheduled?: boolean;
  /** Returns the time from the binding of a pod until it is ready, which is read for every pod. Default: 0. */
  readyAfterMs?(this: void): number;
}

const nodeName = "bench";
const heartbeatMs = 10_000;

/** Reports every new pod as ready on one node, until the signal aborts. */
export async function runKubelet(
  api: RawApi,
  client: Client,
  { reports, signal }: { readonly reports: PodReports; readonly signal: AbortSignal },
): Promise<void> {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: nodeName } };
  await api.must({ method: "POST", path: "/api/v1/nodes", body: JSON.stringify(node) });
  await Promise.all([sendHeartbeats(api, signal), reportPods(api, client, { reports, signal })]);
}

/** Reports the node as ready: pods of a silent node are evicted. */
async function sendHeartbeats(api: RawApi, signal: AbortSignal): Promise<void> {
  const resources = { cpu: "10000", memory: "100Ti", pods: "100000" };
  const lastTransitionTime = now();
  while (!signal.aborted) {
    const ready = { type: "Ready", status: "True", reason: "KubeletReady", lastTransitionTime };
    const conditions = [{ ...ready, lastHeartbeatTime: now() }];
    const body = JSON.stringify({ status: { capacity: resources, allocatable: resources, conditions } });
    await api.must({ method: "PATCH", path: `/api/v1/nodes/${nodeName}/status`, body });
    await pause(heartbeatMs, signal).catch(() => undefined);
  }
}

async function reportPods(
  api: RawApi,
  client: Client,
  { reports, signal }: { readonly reports: PodReports; readonly signal: AbortSignal },
): Promise<void> {
  const { isScheduled = false } = reports;
  const seen = new Set<string>();
  const pending = new Set<Promise<void>>();
  const see = (pod: Pod): void => {
    const { uid = "" } = pod.metadata;
    if (seen.has(uid) || (isScheduled && pod.spec.nodeName === undefined)) return;
    seen.add(uid);
    const report = reportPod(api, pod, { reports, signal }).finally(() => pending.delete(report));
    pending.add(report);
  };
  let { resourceVersion } = await client.list(Pod);
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(Pod, { resourceVersion, signal })) {
        if (event.type === "BOOKMARK") continue;
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        if (event.type !== "DELETED") see(event.object);
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof NetworkError)) throw error;
    }
  }
  await Promise.all(pending);
}

async function reportPod(
  api: RawApi,
  { metadata, spec }: Pod,
  { reports, signal }: { readonly reports: PodReports; readonly signal: AbortSignal },
): Promise<void> {
  const { name = "", namespace = "" } = metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const { addressOf, readyAfterMs = () => 0, isScheduled = false } = reports;
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name },
    target: { apiVersion: "v1", kind: "Node", name: nodeName },
  };
  if (!isScheduled) await api.must({ method: "POST", path: `${path}/binding`, body: JSON.stringify(binding) });
  const delayMs = readyAfterMs();
  if (delayMs > 0) await pause(delayMs, signal);
  const status = runningStatus(spec, { podIP: addressOf(name), nowMs: Date.now() });
  await api.must({ method: "PATCH", path: `${path}/status`, body: JSON.stringify({ status }) });
}

function now(): string {
  return formatTime(Math.floor(Date.now() / 1000) * 1000);
}
