import type { Client } from "@homeostat/client";
import { AlreadyExistsError, type Clock, formatMicroTime, microsFromMs, NotFoundError } from "@homeostat/core";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Node } from "@homeostat/kubernetes/core/v1";
import type { Logger } from "@homeostat/runtime";
import { type NodeDescription, nodeObject, nodeStatus } from "./node-object.ts";

/** Dependencies of the functions that maintain a Node and its Lease. */
export interface HeartbeatParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly description: NodeDescription;
}

const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;
const renewMs = 10_000;
const statusMs = 300_000;

/** Creates the Node, or updates the status of an existing one with this name. Returns its uid. */
export async function registerNode(
  { client, clock, description }: HeartbeatParts,
  signal: AbortSignal,
): Promise<string> {
  const { name } = description;
  const now = clock.now();
  try {
    const made = await client.create(Node, nodeObject(description, now), { fieldManager: "kubelet", signal });
    // The API server stores the status of a created Node; a server that drops it gets the status below.
    if (made.status?.conditions !== undefined) return made.metadata.uid ?? "";
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  const strategic = { status: { ...nodeStatus(description, { now, since: now }) } };
  const node = await client.patch(
    Node,
    { name },
    { strategic },
    { subresource: "status", fieldManager: "kubelet", signal },
  );
  return node.metadata.uid ?? "";
}

/**
 * Renews the Lease every 10 seconds and the node status every 5 minutes, until the signal aborts. A deleted Node is
 * registered again.
 */
export async function sendHeartbeats(parts: HeartbeatParts, uid: string, signal: AbortSignal): Promise<void> {
  const { client, clock, log, description } = parts;
  const { name } = description;
  const since = clock.now();
  let statusAt = since + statusMs;
  let nodeUid = uid;
  while (!signal.aborted) {
    try {
      await renewLease(parts, nodeUid, signal);
      if (clock.now() >= statusAt) {
        const strategic = { status: { ...nodeStatus(description, { now: clock.now(), since }) } };
        await client.patch(Node, { name }, { strategic }, { subresource: "status", fieldManager: "kubelet", signal });
        statusAt = clock.now() + statusMs;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NotFoundError) nodeUid = (await reRegister(parts, signal)) ?? nodeUid;
      else log.warn("Failed to renew node lease or status", { node: name, error });
    }
    await clock.sleep(renewMs, signal).catch(() => undefined);
  }
}

async function reRegister(parts: HeartbeatParts, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await registerNode(parts, signal);
  } catch (error) {
    if (!signal.aborted) parts.log.warn("Failed to register node again", { node: parts.description.name, error });
    return undefined;
  }
}

async function renewLease(
  { client, clock, description }: HeartbeatParts,
  uid: string,
  signal: AbortSignal,
): Promise<void> {
  const { name } = description;
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: leaseSeconds,
    renewTime: formatMicroTime(microsFromMs(clock.now())),
  };
  const key = { namespace: leaseNamespace, name };
  const options = { fieldManager: "kubelet", signal };
  try {
    await client.patch(Lease, key, { merge: { spec } }, options);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
    await client.create(
      Lease,
      { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { ...key, ownerReferences }, spec },
      options,
    );
  }
}
