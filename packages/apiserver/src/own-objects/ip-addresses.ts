// IPAddress objects record which Service has which address. kube-apiserver writes them when it allocates an address; here they
// follow the stored Services, which are the source of truth of the allocation.

import { isIP } from "node:net";
import type { Clock, JsonRecord, Random } from "@homeostat/core";
import { keyPrefix } from "../resources/keys.ts";
import type { Entry } from "../storage/entry.ts";
import type { Change } from "../storage/history.ts";
import { lostKey, type Store } from "../storage/store.ts";
import { listAt, textAt } from "../values/fields.ts";
import { ownedKeys, storeOwn } from "./store-own.ts";
import { whileWritable } from "./while-writable.ts";

const group = "networking.k8s.io";
const plural = "ipaddresses";
const prefix = keyPrefix(group, plural);
const servicePrefix = keyPrefix("", "services");
const managedBy = "ipaddress.kubernetes.io/managed-by";

/** Dependencies of {@link followIpAddresses}. */
export interface IpAddressTools {
  readonly store: Store<JsonRecord>;
  readonly random: Random;
  readonly clock: Pick<Clock, "now">;
}

/** Keeps an IPAddress object for each cluster IP of each Service, until it is disposed. */
export function followIpAddresses(tools: IpAddressTools): Disposable {
  const { store } = tools;
  let seenRevision = store.visibleRevision;
  const unsubscribe = store.subscribe((visible) => {
    // All changes are read before the first write: a write calls this function again.
    const changes: Change<JsonRecord>[] = [];
    let hasLost = false;
    for (; seenRevision < visible; seenRevision += 1) {
      const change = store.change(seenRevision + 1);
      hasLost ||= change?.key === lostKey;
      if (change?.key.startsWith(servicePrefix) === true) changes.push(change);
    }
    for (const change of changes) {
      const before = addressesOf(store, change.before);
      const after = addressesOf(store, change.after);
      whileWritable(() => {
        for (const address of before) if (!after.includes(address)) release(store, address, change.before);
        for (const address of after) if (!before.includes(address)) record(tools, address, change.after);
      });
    }
    // IPAddress objects may be among the writes that were rolled back.
    if (hasLost) whileWritable(() => reconcileAll(tools));
  });
  return { [Symbol.dispose]: unsubscribe };
}

/** Records the addresses of Services that are already stored, for example by an earlier version of this server. */
export function recordIpAddresses(tools: IpAddressTools): void {
  const { store } = tools;
  for (const entry of store.view().entries({ prefix: servicePrefix })) {
    for (const address of addressesOf(store, entry)) record(tools, address, entry);
  }
}

/** Removes IPAddresses that no Service uses, and records missing ones. */
function reconcileAll(tools: IpAddressTools): void {
  const { store } = tools;
  const used = new Set<string>();
  for (const entry of store.view().entries({ prefix: servicePrefix })) {
    for (const address of addressesOf(store, entry)) used.add(address);
  }
  const stale = Array.from(store.view().entries({ prefix })).filter(
    (entry) =>
      textAt(store.read(entry), "metadata", "labels", managedBy) !== "" && !used.has(entry.key.slice(prefix.length)),
  );
  for (const { key } of stale) store.delete(key);
  recordIpAddresses(tools);
}

function addressesOf(store: Store<JsonRecord>, entry: Entry<JsonRecord> | undefined): string[] {
  if (entry === undefined) return [];
  return listAt(store.read(entry), "spec", "clusterIPs")
    .map(String)
    .filter((address) => isIP(address) !== 0);
}

function record({ store, random, clock }: IpAddressTools, address: string, entry: Entry<JsonRecord> | undefined): void {
  if (entry === undefined || store.get(prefix + address) !== undefined) return;
  const service = store.read(entry);
  const labels = {
    "ipaddress.kubernetes.io/ip-family": isIP(address) === 6 ? "IPv6" : "IPv4",
    [managedBy]: "ipallocator.k8s.io",
  };
  const parentRef = {
    resource: "services",
    namespace: textAt(service, "metadata", "namespace"),
    name: textAt(service, "metadata", "name"),
  };
  storeOwn(
    {
      group,
      version: "v1",
      kind: "IPAddress",
      plural,
      name: address,
      labels,
      content: { spec: { parentRef } },
      managers: [
        {
          manager: "kube-apiserver",
          operation: "Update",
          fields: {
            "f:metadata": { "f:labels": ownedKeys(labels) },
            "f:spec": { "f:parentRef": { ".": {}, "f:name": {}, "f:namespace": {}, "f:resource": {} } },
          },
        },
      ],
    },
    { store, random, nowMs: clock.now() },
  );
}

/** Removes the IPAddress of a Service; one that belongs to another Service or that a user created stays. */
function release(store: Store<JsonRecord>, address: string, entry: Entry<JsonRecord> | undefined): void {
  const found = store.get(prefix + address);
  if (found === undefined || entry === undefined) return;
  const [recorded, service] = [store.read(found), store.read(entry)];
  const isOfService = (["namespace", "name"] as const).every(
    (field) => textAt(recorded, "spec", "parentRef", field) === textAt(service, "metadata", field),
  );
  if (isOfService && textAt(recorded, "metadata", "labels", managedBy) !== "") store.delete(found.key);
}
