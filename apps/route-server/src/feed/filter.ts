import type { ProxyRole } from "@homeostat/routing";
import type { TableRecord } from "./table-feed.ts";
import { isHostKey } from "./host-key.ts";

/** The tables that one subscriber may read and has requested. */
export interface TableFilter {
  /** Namespace of the tables; undefined for all, which only gateways of the system namespace get. */
  readonly namespace: string | undefined;
  readonly role: Exclude<ProxyRole, "local">;
  /** Names of Services; undefined for all. */
  readonly services: ReadonlySet<string> | undefined;
  /** Pod of a sidecar, which gets only the tables of Services that select the pod. */
  readonly pod?: string | undefined;
}

/**
 * Reports whether a filter selects tables or preview hosts with this key, regardless of their content. Preview hosts are sent to gateways only, and
 * are not limited by a list of Services.
 */
export function selectsKey({ namespace, role, services }: TableFilter, key: string): boolean {
  const slash = key.indexOf("/");
  if (namespace !== undefined && key.slice(0, slash) !== namespace) return false;
  if (isHostKey(key)) return role === "gateway";
  return services === undefined || services.has(key.slice(slash + 1));
}

/**
 * Reports whether a subscriber gets a table. A gateway gets only tables of Services that preview endpoints route to, and a sidecar only those of
 * Services that select its pod and whose requests sidecars intercept.
 */
export function selectsTable(
  filter: TableFilter,
  { key, isEndpoint, pods }: Pick<TableRecord, "key" | "isEndpoint" | "pods">,
): boolean {
  if (!selectsKey(filter, key)) return false;
  if (filter.role === "sidecar") return pods.has(filter.pod ?? "");
  return filter.role !== "gateway" || isEndpoint;
}
