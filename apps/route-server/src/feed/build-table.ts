// The table that proxies receive: the RouteTable object with listening ports and ready addresses.

import { type DeepReadonly, withoutUndefined } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { parseTable, type RouteTable } from "@homeostat/routing";
import type { RouteTable as TableObject } from "@homeostat/sandbox-operator";

/** Objects that a table is built from. */
export interface TableInput {
  readonly object: DeepReadonly<TableObject>;
  service(this: void, name: string): DeepReadonly<Service> | undefined;
  slices(this: void, service: string): readonly DeepReadonly<EndpointSlice>[];
}

/** A table, and the problems of the entries that are omitted. */
export interface BuiltTable {
  readonly table: RouteTable | undefined;
  readonly problems: readonly string[];
}

/** Builds the table of a RouteTable object. Uses the parser of proxies, so both read the object in the same way. */
export function buildTable({ object, service, slices }: TableInput): BuiltTable {
  const { spec, status, metadata } = object;
  const value = {
    namespace: metadata.namespace ?? "",
    service: spec.service,
    version: spec.version,
    interception: spec.interception,
    restoreKeys: spec.restoreKeys,
    ports: spec.ports.map((port) => withoutUndefined({ ...port, listen: status?.listenPorts?.[String(port.port)] })),
    entries: spec.entries.map((entry) => ({
      ...entry,
      ports: entry.ports.map((port) => ({
        ...port,
        addresses: readyAddresses(port.targetPort, service(port.targetService), slices(port.targetService)),
      })),
    })),
  };
  const { table, problems } = parseTable(value);
  return { table, problems: problems.map(({ field, reason }) => `${field} ${reason}`) };
}

/** Returns the ready addresses of a port of a Service as `host:port`, sorted. Empty if the Service does not exist. */
export function readyAddresses(
  port: number,
  service: DeepReadonly<Service> | undefined,
  slices: readonly DeepReadonly<EndpointSlice>[],
): readonly string[] {
  const found = service?.spec?.ports?.find((each) => each.port === port);
  if (found === undefined) return [];
  // A port of a slice has the name of the port of the Service; a single port has none.
  const name = found.name ?? "";
  const addresses = new Set<string>();
  for (const { addressType, ports, endpoints } of slices) {
    const number = ports?.find((each) => (each.name ?? "") === name)?.port;
    if (number === undefined || addressType === "FQDN") continue;
    for (const { addresses: hosts, conditions } of endpoints ?? []) {
      if (conditions?.ready === false) continue;
      for (const host of hosts) addresses.add(addressType === "IPv6" ? `[${host}]:${number}` : `${host}:${number}`);
    }
  }
  return [...addresses].toSorted();
}
