// Nodes without machines: Node objects with zones, and a loop that reports what a kubelet would report about the pods on them.

import { networkInterfaces } from "node:os";
import type { Client } from "@homeostat/client";
import { Node, PersistentVolume, Pod } from "@homeostat/kubernetes/core/v1";
import { runningStatus } from "@homeostat/operator-testing";

const pollMs = 200;
const heartbeatMs = 10_000;
const podIP =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "192.0.2.1";
const zoneLabel = "topology.kubernetes.io/zone";
const hostLabel = "kubernetes.io/hostname";

/** Creates ready nodes, two in each zone, and volumes that any claim of 1 GiB can bind to. */
export async function createNodes(client: Client, zones: readonly string[], volumes: number): Promise<void> {
  for (const zone of zones) for (const index of [1, 2]) await createNode(client, { zone, name: `${zone}-${index}` });
  for (let index = 0; index < volumes; index += 1) {
    const metadata = { name: `volume-${index}` };
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce" as const],
      persistentVolumeReclaimPolicy: "Retain" as const,
      hostPath: { path: `/tmp/none/${index}` },
    };
    await client.create(PersistentVolume, { apiVersion: "v1", kind: "PersistentVolume", metadata, spec });
  }
}

/** Creates a node. It is ready after the next heartbeat. */
export async function createNode(
  client: Client,
  { name, zone }: { readonly name: string; readonly zone: string },
): Promise<void> {
  const labels = { [zoneLabel]: zone, [hostLabel]: name };
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: {} });
}

/**
 * Reports nodes as ready, pods on them as running and ready, and terminating pods as gone, until the signal aborts.
 *
 * All pods have the address of this machine, where nothing listens: components that do not offer the contract. EndpointSlices must not contain
 * loopback addresses.
 */
export async function runKubelets(client: Client, signal: AbortSignal): Promise<void> {
  let beatAt = 0;
  while (!signal.aborted) {
    if (performance.now() >= beatAt) {
      beatAt = performance.now() + heartbeatMs;
      await reportNodes(client);
    }
    const { items } = await client.list(Pod);
    for (const pod of items) await reportPod(client, pod);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Returns the zone of each node by name. */
export async function zonesOf(client: Client): Promise<ReadonlyMap<string, string>> {
  const { items } = await client.list(Node);
  return new Map(items.map(({ metadata: { name = "", labels = {} } }) => [name, labels[zoneLabel] ?? ""]));
}

async function reportNodes(client: Client): Promise<void> {
  const resources = { cpu: "8", memory: "32Gi", pods: "50" };
  const { items } = await client.list(Node);
  for (const { metadata, status = {} } of items) {
    const lastHeartbeatTime = now();
    const before = status.conditions?.find(({ type, status: is }) => type === "Ready" && is === "True");
    const { lastTransitionTime = lastHeartbeatTime } = before ?? {};
    const ready = { type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime, lastTransitionTime };
    const merge = { status: { capacity: resources, allocatable: resources, conditions: [ready] } };
    await client.patch(Node, { name: metadata.name ?? "" }, { merge }, { subresource: "status" });
  }
}

async function reportPod(client: Client, { metadata, spec, status }: Pod): Promise<void> {
  const { name = "", namespace = "", uid = "", deletionTimestamp } = metadata;
  if (spec.nodeName === undefined) return;
  try {
    if (deletionTimestamp !== undefined) {
      await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
      return;
    }
    if (status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true) return;
    const running = runningStatus(spec, { podIP, nowMs: Date.now() });
    await client.patch(Pod, { namespace, name }, { merge: { status: running } }, { subresource: "status" });
  } catch (error) {
    // The pod was deleted or replaced in the meantime.
    if (!(error instanceof Error) || !/not found|Precondition failed|conflict/i.test(error.message)) throw error;
  }
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+/, "");
}
