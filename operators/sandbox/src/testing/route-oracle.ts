// The rules of route tables, applied to every Service and every key one by one. Slow and without any index: tests compare both
// compilers with it.

import { compileMatch, compileServiceSelector, effectiveLabels } from "../routes/match.ts";
import { routesOf } from "../routes/sandbox-routes.ts";
import type {
  ExplicitRouteView,
  LocalWorkloadView,
  RouteGroupView,
  SandboxView,
  ServiceView,
} from "../routes/views.ts";

/** All objects as lists. */
export interface OracleViews {
  readonly sandboxes: readonly SandboxView[];
  readonly groups: readonly RouteGroupView[];
  readonly workloads: readonly LocalWorkloadView[];
  readonly services: readonly ServiceView[];
}

/** Returns the entries of each Service as short texts in their order: `<key> <source> <group> <sandbox>/<workload>`. */
export function expectedEntries(views: OracleViews): ReadonlyMap<string, readonly string[]> {
  const keys = [...views.sandboxes, ...views.groups].map(({ routingKey }) => routingKey);
  const explicitKeys = views.groups.flatMap(({ routes }) => routes.map(({ routingKey }) => routingKey));
  const sorted = [...new Set([...keys, ...explicitKeys])].filter((key) => key !== undefined).sort();
  const tables = new Map<string, readonly string[]>();
  for (const service of views.services) {
    const entries = sorted.flatMap((key) => entriesFor(views, service, key));
    if (entries.length > 0) tables.set(`${service.namespace}/${service.name}`, entries);
  }
  return tables;
}

function entriesFor(views: OracleViews, service: ServiceView, key: string): readonly string[] {
  return [...explicitFor(views, service, key), ...ownFor(views, service, key), ...matchedFor(views, service, key)];
}

/** Rule 1: explicit routes for the key, in order. */
function explicitFor(views: OracleViews, service: ServiceView, key: string): readonly string[] {
  const owner = ownerOf(views, key);
  const found: { index: number; group: RouteGroupView; text: string; sandbox: string }[] = [];
  for (const group of views.groups) {
    if (!isUsable(views, group, service)) continue;
    for (const [index, route] of group.routes.entries()) {
      if ((route.routingKey ?? group.routingKey) !== key) continue;
      if (route.routingKey !== undefined && owner !== undefined && owner.namespace !== group.namespace) continue;
      const workload = targetOf(views, service, group, route);
      if (workload === undefined) continue;
      const text = `${key} Explicit ${group.name} ${route.targetSandbox}/${workload}`;
      found.push({ index, group, text, sandbox: route.targetSandbox });
    }
  }
  const rank = ({ index, sandbox, group }: (typeof found)[number]): string =>
    [String(index).padStart(3, "0"), sandbox, group.namespace, group.name].join(" ");
  return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).map(({ text }) => text);
}

function targetOf(
  views: OracleViews,
  service: ServiceView,
  group: RouteGroupView,
  { targetSandbox, entries }: ExplicitRouteView,
): string | undefined {
  const sandbox = views.sandboxes.find(
    ({ namespace, name }) => namespace === group.namespace && name === targetSandbox,
  );
  const workload = sandbox === undefined ? undefined : workloadOf(views, service, sandbox);
  return workload === undefined || entries?.includes(workload) === false ? undefined : workload;
}

/** Rule 2: the key of a sandbox. */
function ownFor(views: OracleViews, service: ServiceView, key: string): readonly string[] {
  const sandbox = views.sandboxes.find((each) => each === ownerOf(views, key));
  const workload = sandbox === undefined ? undefined : workloadOf(views, service, sandbox);
  return sandbox === undefined || workload === undefined ? [] : [`${key} Sandbox - ${sandbox.name}/${workload}`];
}

/** Rule 3: the key of a group. */
function matchedFor(views: OracleViews, service: ServiceView, key: string): readonly string[] {
  const group = views.groups.find((each) => each === ownerOf(views, key));
  if (group === undefined || !isUsable(views, group, service)) return [];
  const test = compileMatch(group.match);
  const candidates = views.sandboxes.filter(
    (sandbox) =>
      sandbox.namespace === group.namespace &&
      test(effectiveLabels(sandbox.metadataLabels, sandbox.specLabels)) &&
      workloadOf(views, service, sandbox) !== undefined,
  );
  const highest = Math.max(...candidates.map(({ priority }) => priority));
  const best = candidates.filter(({ priority }) => priority === highest);
  const times = best.map(({ createdAt }) => createdAt).sort();
  const time = group.conflictPolicy === "Newest" ? times.at(-1) : times[0];
  const names = best
    .filter(({ createdAt }) => createdAt === time)
    .map(({ name }) => name)
    .sort();
  const winner = best.find(({ name }) => name === names[0]);
  if (winner === undefined || (group.conflictPolicy === "Reject" && best.length > 1)) return [];
  return [`${key} RouteGroup ${group.name} ${winner.name}/${workloadOf(views, service, winner) ?? ""}`];
}

/** Returns the workload by which a sandbox takes part in the routes of a Service. */
function workloadOf(views: OracleViews, service: ServiceView, sandbox: SandboxView): string | undefined {
  if (sandbox.isDeleting || sandbox.isSuspended || ownerOf(views, sandbox.routingKey) !== sandbox) return undefined;
  const workloads = views.workloads.filter(
    (each) => each.namespace === sandbox.namespace && each.sandbox === sandbox.name,
  );
  const route = routesOf(sandbox, workloads).get(`${service.namespace}/${service.name}`);
  const isServed = service.ports.some(({ port }) => route?.override.ports.includes(port) === true);
  return route?.mode === "Virtual" || isServed ? route?.workload : undefined;
}

function isUsable(views: OracleViews, group: RouteGroupView, service: ServiceView): boolean {
  return (
    !group.isDeleting &&
    ownerOf(views, group.routingKey) === group &&
    compileServiceSelector(group.selector)(service.labels)
  );
}

function ownerOf(views: OracleViews, key: string | undefined): SandboxView | RouteGroupView | undefined {
  const claims = [...views.sandboxes, ...views.groups].filter(
    ({ routingKey }) => routingKey !== undefined && routingKey === key,
  );
  return claims.sort((a, b) => (`${a.createdAt} ${a.uid}` < `${b.createdAt} ${b.uid}` ? -1 : 1))[0];
}
