// The kinds that the controller of RouteGroups watches, and the groups that a change affects.

import { type ReconcileContext, watched, when } from "homeostat";
import { type DeepReadonly, findCondition, keyOf } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader, OwnedKinds } from "@homeostat/runtime";
import { LocalWorkload } from "../api/local-workload.ts";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { type CachedSandbox, Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { compileMatch, effectiveLabels } from "../routes/match.ts";
import { endpointIndexes, hostIndexes, keysOfHosts, publishedHosts } from "./host-claims.ts";
import { feeding, type RouteFeed } from "./route-feed.ts";

/** Returns the watches of the group controller. */
export function groupWatches(feed: () => RouteFeed) {
  return {
    sandboxes: watched(Sandbox, {
      indexes: { routingKey: ({ status }) => status?.routingKey, uid: ({ metadata }) => metadata.uid },
      map(sandbox, cache) {
        feed().update("Sandbox", keyOf(sandbox), cache);
        return groupsOfSandbox(sandbox, cache);
      },
      // Compares only the fields that groups read: labels, readiness, the key and the entries. Status writes of the group
      // controller do not trigger it again.
      when: when.changed(({ metadata: { uid, labels, deletionTimestamp }, spec, status }) => [
        uid,
        labels,
        deletionTimestamp,
        spec,
        status?.routingKey,
        status?.services?.map(({ name, services }) => [name, services]),
        findCondition(status?.conditions ?? [], "Ready")?.status,
      ]),
    }),
    services: watched(Service, { map: feeding(feed, "Service") }),
    localWorkloads: watched(LocalWorkload, {
      map: feeding(feed, "LocalWorkload"),
      indexes: { sandbox: ({ metadata: { namespace = "" }, spec }) => `${namespace}/${spec.sandboxRef.name}` },
    }),
    policies: watched(SandboxPolicy, { map: feeding(feed, "SandboxPolicy") }),
    tables: watched(RouteTable, {
      map: groupsOfTable,
      indexes: hostIndexes,
      when: when.changed(({ metadata: { uid }, spec, status }) => [
        uid,
        spec.version,
        publishedHosts(spec),
        status?.replicas?.map(({ hosts }) => hosts),
        status?.proxies,
        status?.observedGeneration,
        status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
      ]),
    }),
  };
}

/** Maps a sandbox to the groups of its namespace that match it or name it in a route. */
function groupsOfSandbox(sandbox: CachedSandbox, cache: CacheReader): readonly string[] {
  const { namespace = "", name, labels = {} } = sandbox.metadata;
  const all = effectiveLabels(labels, sandbox.spec.labels);
  const concerns = ({ spec }: CachedRouteGroup): boolean =>
    spec.routes.some(({ targetSandbox }) => targetSandbox === name) || compileMatch(spec.match)(all);
  return cache.list(RouteGroup, { namespace }).filter(concerns).map(keyOf);
}

/** Maps a table to the groups that have entries in it. A group is in the namespace of the sandboxes that its entries name. */
function groupsOfTable(table: DeepReadonly<RouteTable>, cache: CacheReader): readonly string[] {
  const keys = new Set(keysOfHosts(table, (host) => cache.by(RouteGroup, "host", host)));
  for (const { routeGroup, sandboxUid = "" } of table.spec.entries) {
    if (routeGroup === undefined) continue;
    for (const { metadata } of cache.by(Sandbox, "uid", sandboxUid))
      keys.add(`${metadata.namespace ?? ""}/${routeGroup}`);
  }
  return [...keys];
}

/** The cache indexes of groups. */
export const groupIndexes = {
  routingKey: ({ status }: CachedRouteGroup) => status?.routingKey,
  host: (group: CachedRouteGroup) => endpointIndexes.host(group),
};

/** The runtime's context of one reconcile of a group. */
export type GroupContext = ReconcileContext<
  RouteGroup,
  OwnedKinds,
  ReturnType<typeof groupWatches>,
  keyof typeof groupIndexes
>;
