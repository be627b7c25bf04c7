// Writes the conditions of RouteTables.

import { type Controller, defineController, when } from "homeostat";
import { findCondition } from "@homeostat/core";
import { statusFieldManager } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import { tableStatus } from "../status/table-status.ts";

/** Defines the controller that derives the conditions of a table from its content, the counts of the route server and the state of mesh routes. */
export function tableStatusController(): Controller {
  return defineController({
    name: "routetable-status",
    for: RouteTable,
    fieldManager: statusFieldManager,
    when: when.changed(({ metadata: { uid, generation }, status }) => [
      uid,
      generation,
      status?.replicas,
      status?.mesh,
      findCondition(status?.conditions ?? [], "TakenOver")?.status,
      findCondition(status?.conditions ?? [], "TakenOver")?.message,
    ]),
    async reconcile({ object, setStatusPlan }) {
      setStatusPlan(tableStatus(object));
    },
  });
}
