// The route table of one baseline Service.

import { createHash } from "node:crypto";
import type { RouteTable, TablePort } from "@homeostat/routing";
import { baselineServiceName, serviceAddress } from "../api/names.ts";
import { resolveConflict } from "./conflicts.ts";
import {
  compareEntries,
  type Contribution,
  type EntryOrigin,
  explicitEntry,
  matchedEntry,
  ownEntry,
} from "./entries.ts";
import { fitTable, type RefusedGroup, type SizedEntry, type TableLimits, tableLimits } from "./table-size.ts";
import { compareText } from "./keys.ts";
import type { ExplicitRouteView, RouteGroupView, ServiceView } from "./views.ts";
import { viewKey } from "./views.ts";

/** A group whose match includes sandboxes that override the Service. */
export interface MatchedGroup {
  readonly group: RouteGroupView;
  readonly key: string;
  readonly candidates: readonly Contribution[];
}

/** An explicit route to a sandbox that overrides the Service. */
export interface ExplicitContribution {
  readonly group: RouteGroupView;
  readonly key: string;
  readonly index: number;
  readonly route: ExplicitRouteView;
  readonly contribution: Contribution;
}

/** Input for the table of one Service, in any order. */
export interface TableInput {
  readonly service: ServiceView;
  /** Sandboxes with the keys that they own. */
  readonly own: readonly { readonly key: string; readonly contribution: Contribution }[];
  readonly matched: readonly MatchedGroup[];
  readonly explicit: readonly ExplicitContribution[];
}

/** Several sandboxes of a group override the Service. */
export interface GroupConflict {
  /** Key of the group. */
  readonly group: string;
  /** Name of the sandbox that serves; undefined if the policy of the group rejects all. */
  readonly winner: string | undefined;
  /** Names of the others, in the order of the rules. */
  readonly losers: readonly string[];
}

/** The result for one Service. */
export interface CompiledTable {
  readonly namespace: string;
  readonly service: string;
  /**
   * The table, without addresses. Undefined if no route exists, and if the entries of sandboxes alone exceed the limit: see
   * `isRefused`.
   */
  readonly table: RouteTable | undefined;
  /** True if the table is too large even without groups. The table that was published last stays in force. */
  readonly isRefused: boolean;
  /** Keys of the groups that have entries in the table, sorted. */
  readonly groups: readonly string[];
  /** Omitted groups, largest first. */
  readonly refusedGroups: readonly RefusedGroup[];
  /** Conflicts of groups, by the key of the group. */
  readonly conflicts: readonly GroupConflict[];
}

/** Compiles the table of one Service. The bytes of the table do not depend on the order of the input. */
export function compileTable(input: TableInput, limits: TableLimits = tableLimits): CompiledTable {
  const { namespace, name } = input.service;
  const { origins, conflicts } = collect(input);
  const ports = portsOf(input.service);
  const { kept, refusedGroups, isRefused } = fitTable(origins, ports, limits);
  const table = kept.length === 0 || isRefused ? undefined : tableOf(input.service, ports, kept);
  const groups = table === undefined ? [] : groupsOf(kept);
  return { namespace, service: name, table, isRefused, groups, refusedGroups, conflicts };
}

/** Returns the table of a Service without routes, such as one that only preview hosts route to. */
export function emptyTable(service: ServiceView): RouteTable {
  return tableOf(service, portsOf(service), []);
}

function collect({ service, own, matched, explicit }: TableInput): {
  origins: EntryOrigin[];
  conflicts: GroupConflict[];
} {
  const origins: EntryOrigin[] = [];
  const conflicts: GroupConflict[] = [];
  for (const { key, contribution } of own) origins.push(ownEntry(key, contribution, service));
  for (const each of explicit) origins.push(explicitEntry(each.key, each, each.contribution, service));
  for (const { group, key, candidates } of matched) {
    const { winner, losers } = resolveConflict(candidates.map(candidate), group.conflictPolicy);
    if (winner !== undefined) origins.push(matchedEntry(key, group, winner.contribution, service));
    if (losers.length === 0) continue;
    conflicts.push({ group: viewKey(group), winner: winner?.name, losers: losers.map(({ name }) => name) });
  }
  return {
    origins: origins.sort(compareEntries),
    conflicts: conflicts.sort((a, b) => compareText(a.group, b.group)),
  };
}

function groupsOf(origins: readonly EntryOrigin[]): readonly string[] {
  const keys = origins.flatMap(({ group }) => (group === undefined ? [] : [viewKey(group)]));
  return [...new Set(keys)].sort(compareText);
}

function candidate(contribution: Contribution) {
  const { name, priority, createdAt } = contribution.sandbox;
  return { name, priority, createdAt, contribution };
}

function tableOf(
  { namespace, name, interception, restoresKeys }: ServiceView,
  ports: readonly TablePort[],
  origins: readonly SizedEntry[],
): RouteTable {
  const restoring = restoresKeys === true ? { restoreKeys: true } : {};
  const version = versionOf({ namespace, name, interception, ...restoring, ports }, origins);
  const entries = origins.map(({ entry }) => entry);
  return { namespace, service: name, version, interception, ...restoring, ports, entries };
}

function portsOf({ namespace, name, ports, interception }: ServiceView): TablePort[] {
  // While a Service is taken over, it selects the proxy.
  const baseline = interception === "Takeover" ? baselineServiceName(name) : name;
  return ports
    .map(({ port, name: portName, appProtocol, targetPort }) => ({
      port,
      ...(portName === undefined ? {} : { name: portName }),
      ...(appProtocol === undefined ? {} : { appProtocol }),
      // A sidecar finds its port by name. A number is kept as text, for the condition that reports it: no port has such a name.
      ...(interception === "Sidecar" ? { targetPort: String(targetPort ?? port) } : {}),
      baselineTarget: serviceAddress(baseline, namespace, port),
    }))
    .sort((a, b) => a.port - b.port);
}

/** Returns 64 bits of the SHA-256 of the content. Proxies confirm a table by its version. */
function versionOf(head: object, origins: readonly SizedEntry[]): string {
  const hash = createHash("sha256").update(JSON.stringify(head));
  for (const { json } of origins) hash.update("\n").update(json);
  return hash.digest("hex").slice(0, 16);
}
