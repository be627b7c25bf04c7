// The kinds that the controllers of route tables own and watch.

import { managed, type ReconcileContext, watched, when } from "homeostat";
import { Service } from "@homeostat/kubernetes/core/v1";
import { LocalWorkload } from "../api/local-workload.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { feeding, type RouteFeed } from "./route-feed.ts";

/**
 * Managed, not applied: a table that is unchanged after a restart is not written again. Finalizer and listening ports are those of a
 * takeover, which decide how a table is published.
 */
export const tableOwns = {
  tables: managed(RouteTable, {
    when: when.changed(({ metadata: { uid, generation, finalizers, deletionTimestamp }, status }) => [
      uid,
      generation,
      finalizers,
      deletionTimestamp,
      status?.listenPorts,
    ]),
  }),
};

/** Returns the watches that keep a feed current. */
export function routeWatches(feed: () => RouteFeed) {
  return {
    services: watched(Service, { map: feeding(feed, "Service") }),
    sandboxes: watched(Sandbox, { map: feeding(feed, "Sandbox") }),
    routeGroups: watched(RouteGroup, { map: feeding(feed, "RouteGroup") }),
    localWorkloads: watched(LocalWorkload, {
      map: feeding(feed, "LocalWorkload"),
      indexes: { sandbox: ({ metadata: { namespace = "" }, spec }) => `${namespace}/${spec.sandboxRef.name}` },
    }),
    policies: watched(SandboxPolicy, { map: feeding(feed, "SandboxPolicy") }),
  };
}

/** The runtime's context of one reconcile of a Service. */
export type TableContext = ReconcileContext<Service, typeof tableOwns, ReturnType<typeof routeWatches>, never>;
