// Writes the Service and the EndpointSlice of a LocalWorkload, and deletes them.

import { isIP } from "node:net";
import { isEqual, type KubeObject } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { fieldManager, labels } from "../api/identity.ts";
import type { CachedLocalWorkload, MachineStatus } from "../api/local-workload.ts";
import { localServiceName } from "../api/names.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import { type LocalObjects, localObjects, type LocalReplica } from "../build/local-objects.ts";
import { allocateTunnelPorts } from "../build/tunnel-ports.ts";
import type { LocalContext } from "../observe/local-kinds.ts";
import type { TargetedService } from "../build/service-view.ts";

/** Returns the listening ports of a LocalWorkload by the names of its ports; undefined if no port is free. */
export function listenPortsOf({ object, all }: LocalContext): ReadonlyMap<string, number> | undefined {
  const older = new Set<number>();
  const younger = new Set<number>();
  for (const other of all.list()) {
    if (other.metadata.uid === object.metadata.uid) continue;
    const set = isOlder(other, object) ? older : younger;
    for (const { listenPort } of other.status?.ports ?? []) if (listenPort !== undefined) set.add(listenPort);
  }
  return allocateTunnelPorts({
    names: object.spec.service.ports.map(({ name }) => name),
    present: presentPorts(object),
    older,
    younger,
  });
}

function isOlder({ metadata: a }: CachedLocalWorkload, { metadata: b }: CachedLocalWorkload): boolean {
  const [first, second] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  return first === second ? (a.uid ?? "") < (b.uid ?? "") : first < second;
}

function presentPorts({ status }: CachedLocalWorkload): ReadonlyMap<string, number> {
  return new Map(
    (status?.ports ?? []).flatMap(({ name, listenPort }) => (listenPort === undefined ? [] : [[name, listenPort]])),
  );
}

/**
 * Returns the replicas of the tunnel server that attached machines use: that of the active machine, and in the mode Pool those of all. After the last
 * machine has disconnected, its replica stays listed as not ready.
 */
export function replicasOf({ spec, status }: CachedLocalWorkload, isConnected: boolean): readonly LocalReplica[] {
  const { connection, machines = [] } = status ?? {};
  const used: readonly Readonly<MachineStatus>[] =
    spec.connection.mode === "Pool" && machines.length > 0 ? machines : connection === undefined ? [] : [connection];
  const found = new Map<string, LocalReplica>();
  for (const { replica, address, disconnectedAt } of used) {
    if (replica === undefined || address === undefined || isIP(address) === 0) continue;
    const isReady = isConnected && disconnectedAt === undefined;
    found.set(replica, { name: replica, address, isReady: isReady || found.get(replica)?.isReady === true });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Input of {@link writeLocalObjects}. */
export interface LocalObjectsState {
  readonly sandbox: CachedSandbox;
  readonly routingKey: string;
  readonly services: readonly TargetedService[];
  readonly listenPorts: ReadonlyMap<string, number>;
  /** True while a machine is attached. */
  readonly isConnected: boolean;
  readonly systemNamespace: string;
}

/** Writes both objects if they differ from the desired ones. Resolves with the name of the Service; undefined if there is none. */
export async function writeLocalObjects(context: LocalContext, state: LocalObjectsState): Promise<string | undefined> {
  const { object: workload } = context;
  const objects = localObjects({ ...state, workload, replicas: replicasOf(workload, state.isConnected) });
  if (objects === undefined) return undefined;
  const { service, slice } = objects;
  const options = { fieldManager, force: true, signal: context.signal };
  if (!isServiceCurrent(context, objects)) await context.client.apply(Service, service, options);
  if (!isSliceCurrent(context, objects)) await context.client.apply(EndpointSlice, slice, options);
  return service.metadata.name;
}

function isServiceCurrent({ watched }: LocalContext, { service }: LocalObjects): boolean {
  const found = watched.services.get(service.metadata);
  const ports = found?.spec?.ports?.map(({ name, port, targetPort, protocol }) => ({
    name,
    port,
    targetPort,
    protocol,
  }));
  return (
    found !== undefined &&
    isEqual(ports, service.spec?.ports) &&
    found.spec?.selector === undefined &&
    hasLabels(found, service)
  );
}

function isSliceCurrent({ watched }: LocalContext, { slice }: LocalObjects): boolean {
  const found = watched.slices.get(slice.metadata);
  const endpoints = found?.endpoints?.map(({ addresses, conditions, targetRef }) => ({
    addresses,
    conditions,
    targetRef,
  }));
  return (
    found !== undefined &&
    found.addressType === slice.addressType &&
    isEqual(endpoints ?? [], slice.endpoints) &&
    isEqual(
      found.ports?.map(({ name, port, protocol }) => ({ name, port, protocol })),
      slice.ports,
    ) &&
    hasLabels(found, slice)
  );
}

function hasLabels(
  found: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> | undefined } },
  desired: KubeObject,
): boolean {
  return Object.entries(desired.metadata.labels ?? {}).every(
    ([name, value]) => found.metadata.labels?.[name] === value,
  );
}

/** Deletes both objects if they exist. Objects of the same name with another owner are not changed. */
export async function deleteLocalObjects(
  context: LocalContext,
  { sandboxUid, namespaces }: { readonly sandboxUid: string; readonly namespaces: readonly string[] },
): Promise<void> {
  const { object, client, signal, watched } = context;
  const { sandboxRef, service } = object.spec;
  const identity = { name: object.metadata.name, service: service.name };
  const name = object.status?.service ?? localServiceName({ name: sandboxRef.name, uid: sandboxUid }, identity);
  for (const namespace of namespaces) {
    const key = { namespace, name };
    const slice = watched.slices.get(key);
    if (isOwn(slice)) await client.delete(EndpointSlice, key, { preconditions: { uid: slice.metadata.uid }, signal });
    const found = watched.services.get(key);
    if (isOwn(found)) await client.delete(Service, key, { preconditions: { uid: found.metadata.uid }, signal });
  }
}

function isOwn<T extends { readonly metadata: { readonly labels?: Readonly<Record<string, string>> | undefined } }>(
  object: T | undefined,
): object is T {
  return object?.metadata.labels?.[labels.managedBy] === fieldManager;
}
