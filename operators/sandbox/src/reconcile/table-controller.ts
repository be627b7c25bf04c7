// Publishes the compiled routes and the preview hosts: one RouteTable for each Service that has any.

import { type Controller, defineController, desired, source, when } from "homeostat";
import { type Clock, isEqual, keyOf } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader, ControllerSource } from "@homeostat/runtime";
import { fieldManager, labels } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import type { SandboxMetrics } from "../metrics/sandbox-metrics.ts";
import { hostClaims } from "../observe/host-claims.ts";
import type { MeshFacts } from "../observe/mesh-facts.ts";
import { renderedTable } from "../observe/rendered-table.ts";
import type { RouteFeed } from "../observe/route-feed.ts";
import { routeWatches, type TableContext, tableOwns } from "../observe/table-kinds.ts";
import type { CompiledRoutes } from "../routes/compile-all.ts";
import { serviceView } from "../routes/object-views.ts";
import { fitHosts } from "../routes/preview-hosts.ts";
import { publishedSpec, withHosts } from "../routes/published-table.ts";
import { emptyTable } from "../routes/table.ts";
import { routeTableSpec } from "../routes/table-spec.ts";

/** Interval at which all routes are compiled from scratch and compared with the incremental result. */
const comparisonMs = 600_000;

export interface TableControllerOptions {
  readonly feed: () => RouteFeed;
  readonly facts: () => MeshFacts;
  readonly clock: () => Clock;
  readonly metrics: SandboxMetrics;
}

/**
 * Defines the controller of route tables. Its primary objects are Services, because a table has the name of its Service and is owned by it. The feed
 * triggers reconciles: it knows whose tables a change of any object affects.
 */
export function tableController({ feed, facts, clock, metrics }: TableControllerOptions): Controller {
  return defineController({
    name: "routetable",
    for: Service,
    owns: tableOwns,
    // Services belong to users: the operator writes no inventory of kinds to them.
    ownership: { inventory: false },
    watches: routeWatches(feed),
    sources: [changedTables(feed), missedDeletions(feed), comparison({ feed, facts, clock, metrics })],
    fieldManager,
    writesStatus: false,
    metrics: { register: () => undefined, clear: () => feed().reset() },
    when: when.changed(({ metadata: { uid } }) => uid),
    inputVersion: (service) => feed().inputVersion(keyOf(service)),
    async reconcile(context) {
      await readMeshKinds(context, { feed: feed(), facts: facts() });
      return publish(context, feed());
    },
  });
}

/**
 * Reads once whether the CRDs of a mesh are installed. Services with the mode Auto wait for the result, so all Services are compiled again; the
 * tables of Services with another mode do not change.
 */
async function readMeshKinds(
  { cache, signal }: TableContext,
  { feed, facts }: { readonly feed: RouteFeed; readonly facts: MeshFacts },
): Promise<void> {
  feed.prime(cache);
  if (!(await facts.readKinds(signal))) return;
  for (const service of cache.list(Service)) feed.update("Service", keyOf(service), cache);
}

async function publish({ object, key, name, cache, managed, log }: TableContext, feed: RouteFeed): Promise<void> {
  feed.prime(cache);
  if (object.metadata.deletionTimestamp !== undefined) return;
  const compiled = feed.table(key);
  const { namespace } = object.metadata;
  const metadata = { name, namespace: namespace ?? "", labels: { [labels.managedBy]: fieldManager } };
  const table = compiled?.table;
  const published = cache.get(RouteTable, key);
  // The finalizer of the table restores the Service first. The removal of the table triggers another reconcile.
  if (published?.metadata.deletionTimestamp !== undefined) return;
  const isRefused = compiled?.isRefused === true;
  // The last table within the limit stays in force. Groups and sandboxes report the problem.
  if (isRefused) log.warn("Route table exceeds the size limit", { service: key });
  const routes = isRefused
    ? published && routeTableSpec(renderedTable(published, () => true))
    : publishedSpec(table && routeTableSpec(table), published);
  const hosts = fitHosts(hostClaims(key, cache));
  feed.contribute(
    key,
    hosts.hosts.map(({ owner }) => ({ kind: owner.kind, key: `${owner.namespace}/${owner.name}` })),
  );
  const spec = withHosts(routes, {
    hosts,
    empty: () => routeTableSpec(emptyTable(serviceView(object, "None"))),
  });
  const objects = spec === undefined ? [] : [desired(RouteTable, { metadata, spec })];
  const result = await managed.sync([{ name: "table", objects }]);
  result.throwIfFailed();
}

function changedTables(feed: () => RouteFeed): ControllerSource {
  return source<readonly string[]>({
    name: "compiled tables",
    open: (signal) => feed().follow("tables", signal),
    map: (keys) => keys,
  });
}

/** Removes objects that were deleted after another controller had read all of them, and before this one watched them. */
function missedDeletions(feed: () => RouteFeed): ControllerSource {
  return source<"started">({
    name: "start of the table controller",
    async *open() {
      yield "started";
    },
    map(_event, cache: CacheReader) {
      feed().dropDeleted(cache);
      return [];
    },
  });
}

/**
 * Compares the incremental result with a full compilation at intervals. A difference is a bug in the incremental compiler: it is counted, and the
 * full result replaces the incremental one.
 */
function comparison({ feed, clock, metrics }: TableControllerOptions): ControllerSource {
  return source<"compare">({
    name: "full compilation",
    async *open(signal) {
      for (;;) {
        await clock().sleep(comparisonMs, signal);
        yield "compare";
      }
    },
    map(_event, cache: CacheReader) {
      const { incremental, full } = feed().compare(cache);
      const differing = differingTables(incremental, full);
      if (differing.length === 0) return [];
      metrics.compilerMismatches.inc();
      feed().recompile(cache);
      return differing;
    },
  });
}

function differingTables(incremental: CompiledRoutes, full: CompiledRoutes): readonly string[] {
  const keys = new Set([...incremental.tables.keys(), ...full.tables.keys()]);
  return [...keys].filter((key) => !isEqual(incremental.tables.get(key), full.tables.get(key)));
}
