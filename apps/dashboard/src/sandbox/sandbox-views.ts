// Live views of the pages about sandbox environments, with the rights of the user.

import type { ResourceType } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import {
  LocalWorkload,
  RouteGroup,
  RouteTable,
  Sandbox,
  SandboxPolicy,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import type {
  ExplainView,
  PolicyList,
  Propagation,
  RouteGroupDetails,
  RouteMap,
  SandboxDetails,
  SandboxList,
  SandboxSystem,
  TunnelList,
  WorkloadList,
} from "../api/sandbox-types.ts";
import { mayWatch, type RunView, type ViewContext } from "../views/view.ts";
import { watchedView } from "../views/watched-view.ts";
import { curlLine, entryDiffs, keyForms } from "./details.ts";
import type { ExplainQuery } from "./explain-query.ts";
import { explainRoute } from "./explain-route.ts";
import { policyRows, sandboxRows, tunnelRows } from "./lists.ts";
import { conflictViews, matchTree } from "./match-tree.ts";
import { lostKeyRows } from "./propagation.ts";
import { readRoutingSettings } from "./read-config.ts";
import { workloadRows } from "./new-sandbox.ts";
import { buildRouteMap } from "./route-map.ts";
import { programRows, tableRows, takenOverRows } from "./system.ts";

/** A namespace; undefined for all. */
export type Scope = string | undefined;

/** A namespaced object. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Largest number of Services of a route map. */
const servicesMax = 150;

/** Returns the view of all Sandboxes. */
export function sandboxesView(context: ViewContext, namespace: Scope): RunView {
  return watchedView(context, "sandboxes", async (watcher, signal) => {
    const [sandboxes, mayChange, mayDelete] = await Promise.all([
      watcher.objects(Sandbox, { namespace }),
      isAllowed(context, { verb: "patch", type: Sandbox, namespace }, signal),
      isAllowed(context, { verb: "delete", type: Sandbox, namespace }, signal),
    ]);
    return (): SandboxList => ({ rows: sandboxRows(sandboxes()), mayChange, mayDelete, notes: watcher.notes });
  });
}

/** Returns the view of the parts of a Sandbox that its object does not have. */
export function sandboxView(context: ViewContext, place: Place): RunView {
  return watchedView(context, "sandbox", async (watcher, signal) => {
    const [sandboxes, { settings }] = await Promise.all([
      watcher.objects(Sandbox, place),
      readRoutingSettings(context, signal),
    ]);
    return () => {
      const [sandbox] = sandboxes();
      if (sandbox === undefined) return undefined;
      const { routingKey = "" } = sandbox.status;
      return entryDiffs(sandbox, context, signal).then((diffs): SandboxDetails => ({
        keyForms: routingKey === "" ? [] : keyForms(routingKey, settings),
        curl: curlLine(sandbox, settings),
        diffs,
      }));
    };
  });
}

/** Returns the view of the parts of a RouteGroup that its object does not have. */
export function routeGroupView(context: ViewContext, { namespace, name }: Place): RunView {
  return watchedView(context, "route-group", async (watcher) => {
    const [groups, sandboxes] = await Promise.all([
      watcher.objects(RouteGroup, { namespace, name }),
      watcher.objects(Sandbox, { namespace }),
    ]);
    return (): RouteGroupDetails | undefined => {
      const [group] = groups();
      if (group === undefined) return undefined;
      const { match } = group.spec;
      return {
        match: match === undefined ? undefined : matchTree(match, sandboxes()),
        sandboxes: sandboxes()
          .map(({ metadata }) => metadata.name)
          .toSorted(),
        conflicts: conflictViews(group, sandboxes()),
        notes: watcher.notes,
      };
    };
  });
}

/** Returns the view of the route map. */
export function routeMapView(context: ViewContext, namespace: Scope): RunView {
  return watchedView(context, "route-map", async (watcher) => {
    const [tables, services, workloads] = await Promise.all([
      watcher.objects(RouteTable, { namespace }),
      watcher.objects(Service, { namespace }),
      watcher.objects(LocalWorkload, { namespace }),
    ]);
    return (): RouteMap => ({
      ...buildRouteMap({ tables: tables(), services: services(), workloads: workloads() }, { servicesMax }),
      notes: watcher.notes,
    });
  });
}

/** Returns the view of the workloads of a namespace that a new sandbox can change. */
export function workloadsView(context: ViewContext, namespace: string): RunView {
  return watchedView(context, "workloads", async (watcher, signal) => {
    const [deployments, statefulSets, mayCreate] = await Promise.all([
      watcher.objects(Deployment, { namespace }),
      watcher.objects(StatefulSet, { namespace }),
      isAllowed(context, { verb: "create", type: Sandbox, namespace }, signal),
    ]);
    return (): WorkloadList => ({
      rows: workloadRows(deployments(), statefulSets()),
      mayCreate,
      notes: watcher.notes,
    });
  });
}

/** Returns the view of all LocalWorkloads. */
export function tunnelsView(context: ViewContext, namespace: Scope): RunView {
  return watchedView(context, "tunnels", async (watcher, signal) => {
    const [workloads, mayDelete] = await Promise.all([
      watcher.objects(LocalWorkload, { namespace }),
      isAllowed(context, { verb: "delete", type: LocalWorkload, namespace }, signal),
    ]);
    return (): TunnelList => ({ rows: tunnelRows(workloads()), mayDelete, notes: watcher.notes });
  });
}

/** Returns the view of the Services that lose routing keys. */
export function propagationView(context: ViewContext, namespace: Scope): RunView {
  return watchedView(context, "propagation", async (watcher) => {
    const tables = await watcher.objects(RouteTable, { namespace });
    return (): Propagation => ({ rows: lostKeyRows(tables()), notes: watcher.notes });
  });
}

/** Returns the view of the effective policies. */
export function policiesView(context: ViewContext, namespace: Scope): RunView {
  return watchedView(context, "policies", async (watcher) => {
    const policies = await watcher.objects(SandboxPolicy, { namespace });
    return (): PolicyList => ({ rows: policyRows(policies()), notes: watcher.notes });
  });
}

/** Returns the view of programs, route tables and taken-over Services. */
export function systemView(context: ViewContext, namespace: Scope): RunView {
  return watchedView(context, "sandbox-system", async (watcher, signal) => {
    const [programs, tables, services, mayRestore] = await Promise.all([
      watcher.objects(Deployment, { namespace: systemNamespace }),
      watcher.objects(RouteTable, { namespace }),
      watcher.objects(Service, { namespace }),
      isAllowed(context, { verb: "patch", type: Service, namespace }, signal),
    ]);
    return (): SandboxSystem => ({
      programs: programRows(programs()),
      tables: tableRows(tables()),
      takenOver: takenOverRows(services()),
      mayRestore,
      notes: watcher.notes,
    });
  });
}

/** Returns the view of an explanation. It is made again after each change of a RouteTable that the user may read. */
export function explainView(context: ViewContext, query: ExplainQuery): RunView {
  return watchedView(context, "explain", async (watcher, signal) => {
    const mayReadAll = await mayWatch(context, { type: RouteTable }, signal);
    const [tables, { settings, notes }] = await Promise.all([
      watcher.objects(RouteTable, { namespace: mayReadAll ? undefined : query.namespace }),
      readRoutingSettings(context, signal),
    ]);
    const { random } = context;
    return (): ExplainView => ({
      ...explainRoute(query, { tables: tables(), settings, random }),
      notes: [...watcher.notes, ...notes],
    });
  });
}

async function isAllowed(
  { client }: ViewContext,
  review: { readonly verb: string; readonly type: ResourceType; readonly namespace: Scope },
  signal: AbortSignal,
): Promise<boolean> {
  return (await client.reviewOwnAccess(review, { signal })).isAllowed;
}
