// The kinds that the controllers of route tables own and watch.

import { managed, type ReconcileContext, watched, when } from "homeostat";
import { Service } from "@homeostat/kubernetes/core/v1";
import { PreviewLink } from "../api/preview-link.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { endpointIndexes, linkIndexes, servicesOfEndpoints, servicesOfLink } from "./host-claims.ts";
import { feeding, type RouteFeed } from "./route-feed.ts";

/**
 * Managed objects instead of apply, so a table that is unchanged after a restart is not written again. A takeover sets the finalizer and the
 * listening ports, which determine how a table is published.
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
    sandboxHosts: watched(Sandbox, {
      indexes: endpointIndexes,
      map: servicesOfEndpoints,
      when: when.changed(({ metadata: { uid, deletionTimestamp }, status }) => [
        uid,
        deletionTimestamp,
        status?.endpoints,
        status?.expiresAt,
      ]),
    }),
    groupHosts: watched(RouteGroup, {
      indexes: endpointIndexes,
      map: servicesOfEndpoints,
      when: when.changed(({ metadata: { uid, deletionTimestamp }, status }) => [
        uid,
        deletionTimestamp,
        status?.endpoints,
        status?.expiresAt,
      ]),
    }),
    links: watched(PreviewLink, {
      indexes: linkIndexes,
      map(link, cache) {
        const { kind, name } = link.spec.targetRef;
        feed().touch({ kind, key: `${link.metadata.namespace ?? ""}/${name}` });
        return servicesOfLink(link, cache);
      },
      when: when.changed(({ metadata: { uid }, status }) => [uid, status?.tokenId, status?.host, status?.expiresAt]),
    }),
  };
}

/** The runtime's context of one reconcile of a Service. */
export type TableContext = ReconcileContext<Service, typeof tableOwns, ReturnType<typeof routeWatches>, never>;
