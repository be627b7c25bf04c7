// The kinds that the controller of the Gateway API owns and watches.

import { managed, type ReconcileContext, watched, when } from "homeostat";
import type { DeepReadonly } from "@homeostat/core";
import type { CacheReader } from "@homeostat/runtime";
import { fieldManager, labels } from "../api/identity.ts";
import type { RouteTable } from "../api/route-table.ts";
import { probeName } from "../build/mesh-probe.ts";
import { GRPCRoute, type GrpcRouteObject, HTTPRoute, type HttpRouteObject } from "./mesh-kinds.ts";
import { meshWatches, tablesOfNamespace } from "./mesh-watches.ts";

type RouteObject = HttpRouteObject | GrpcRouteObject;

/** The verdict of the mesh is copied to the status of tables. */
const judged = when.changed(({ metadata: { uid, generation }, status }: DeepReadonly<RouteObject>) => [
  uid,
  generation,
  status?.parents,
]);

export const gatewayOwns = {
  httpRoutes: managed(HTTPRoute, { when: when.any(judged, when.generationChanged()) }),
  grpcRoutes: managed(GRPCRoute, { when: when.any(judged, when.generationChanged()) }),
};

export const gatewayWatches = {
  ...meshWatches,
  userHttpRoutes: watched(HTTPRoute, {
    map: tablesOfRoute,
    when: when.changed(({ metadata: { uid, name, generation }, status }) => [
      uid,
      generation,
      name.startsWith(probeName) ? status?.parents : undefined,
    ]),
  }),
  userGrpcRoutes: watched(GRPCRoute, { map: tablesOfRoute, when: when.generationChanged() }),
};

/** Maps a route of the user, or a probe, to the tables of its namespace. Rendered routes affect only their owner. */
function tablesOfRoute(route: DeepReadonly<RouteObject>, cache: CacheReader): readonly string[] {
  const { name = "" } = route.metadata;
  return isOurs(route) && !name.startsWith(probeName) ? [] : tablesOfNamespace(route, cache);
}

/** Reports whether the operator has written an object. */
export function isOurs({ metadata }: DeepReadonly<RouteObject>): boolean {
  return metadata.labels?.[labels.managedBy] === fieldManager;
}

/** The runtime's context of one reconcile of a table. */
export type GatewayContext = ReconcileContext<RouteTable, typeof gatewayOwns, typeof gatewayWatches, never>;
