// Reconciles RouteGroups: chooses the key, reports the compiled routes, and deletes expired groups.

import { type Controller, defineController, type ReconcileResult, when } from "homeostat";
import { findCondition, formatTime, parseTime } from "@homeostat/core";
import { fieldManager, finalizers } from "../api/identity.ts";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import { decideLifetime, type Lifetime } from "../decide/expiry.ts";
import { decideRoutingKey, mayRecord, type SecureBytes } from "../decide/routing-key.ts";
import type { SandboxMetrics } from "../metrics/sandbox-metrics.ts";
import { configChanges, type FollowConfig } from "../observe/config-changes.ts";
import type { ConfirmedRoutes } from "../observe/confirmed-routes.ts";
import { type GroupContext, groupIndexes, groupWatches } from "../observe/group-kinds.ts";
import type { RouteFeed } from "../observe/route-feed.ts";
import type { GroupReport } from "../routes/reports.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { endpointOutcomes } from "../status/endpoints.ts";
import { conflictText, groupStatus, type GroupStatusInput, keyConflict, lostText } from "../status/group-status.ts";
import { RoutingKeyRecordedError } from "./errors.ts";
import { groupEvents } from "./events.ts";
import { programmedRoutes } from "./programmed-routes.ts";

export interface GroupControllerOptions {
  readonly feed: () => RouteFeed;
  readonly config: () => OperatorConfig;
  readonly followConfig: FollowConfig;
  readonly metrics: SandboxMetrics;
  readonly secureBytes: SecureBytes;
  readonly confirmedRoutes: ConfirmedRoutes;
  /** Returns the problem of a group that was stored without validation, or that a policy has come to deny. */
  readonly problemOf: (group: CachedRouteGroup, context: GroupContext) => GroupStatusInput["problem"];
}

/** Defines the controller of RouteGroups. */
export function groupController(options: GroupControllerOptions): Controller {
  const { feed } = options;
  return defineController({
    name: "routegroup",
    for: RouteGroup,
    indexes: groupIndexes,
    watches: groupWatches(feed),
    sources: [
      {
        name: "compiled groups",
        open: (signal: AbortSignal) => feed().follow("groups", signal),
        map: (keys: readonly string[]) => keys,
      },
      configChanges(options.followConfig, RouteGroup),
    ],
    finalizer: finalizers.routeGroup,
    fieldManager,
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, finalizers: own } }) => [
      uid,
      generation,
      deletionTimestamp,
      own,
    ]),
    async reconcile(context) {
      return reconcile(context, options);
    },
    async cleanup(context) {
      return cleanup(context, options);
    },
  });
}

async function reconcile(context: GroupContext, options: GroupControllerOptions): Promise<ReconcileResult> {
  const { object: group, key, cache, watched, serverClock, setStatus, saveStatus } = context;
  const { feed: feedOf, metrics } = options;
  const feed = feedOf();
  feed.prime(cache);
  const now = serverClock.now();
  const routingKey = chooseKey(context, options.secureBytes);
  if (group.status?.routingKey !== routingKey) {
    // The key is recorded before any table can contain it, and never replaces a key that another process has recorded meanwhile.
    context.requireStatus(
      (live) => mayRecord(routingKey, live?.routingKey),
      () => new RoutingKeyRecordedError(`RouteGroup ${key}`),
    );
    setStatus({ routingKey });
    await saveStatus({ purpose: "record the routing key" });
  }
  feed.update("RouteGroup", key, cache);
  const report = feed.group(key) ?? emptyReport;
  const routes = programmedRoutes(
    { ...report, uid: group.metadata.uid, isOwn: ({ routeGroup }) => routeGroup === context.name },
    { feed, confirmed: options.confirmedRoutes, table: (service) => watched.tables.get(service) },
  );
  const lifetime = lifetimeOf(group, report, now);
  if (lifetime.state === "expired") return expire(context);
  const { preview } = options.config();
  const { namespace = "" } = group.metadata;
  const problem = options.problemOf(group, context);
  const plan = groupStatus({
    generation: group.metadata.generation ?? 0,
    routingKey,
    report,
    ready: readySandboxes(context, report),
    routes,
    endpoints: endpointOutcomes({
      endpoints: group.spec.endpoints,
      namespace,
      routingKey,
      defaultRoutingKey: group.spec.defaultRoutingKey,
      preview,
      hasService: (service) => watched.services.has(service),
      refusal: problem ?? refusalOf(report, routingKey),
      uid: group.metadata.uid,
      recorded: group.status?.endpoints,
      table: (service) => watched.tables.get(service),
      tablesWithHost: (host) => watched.tables.by("host", host),
    }),
    lifetime,
    problem,
  });
  context.setStatusPlan(plan);
  await saveStatus();
  reportChanges(context, report, { routingKey, lifetime });
  metrics.recordGroup(key, { namespace, name: context.name, matched: report.matchedSandboxes.length });
  return { requeueAfterMs: nextMs(lifetime, now) };
}

const emptyReport: GroupReport = {
  ownsKey: false,
  matchedSandboxes: [],
  conflicts: [],
  unresolvedRoutes: [],
  services: [],
  refusedServices: [],
};

/** Returns the reason why the endpoints of a group must not be served: its key routes to the sandboxes of another object. */
function refusalOf({ ownsKey }: GroupReport, routingKey: string) {
  return ownsKey ? undefined : ({ reason: "RoutingKeyConflict", message: keyConflict(routingKey) } as const);
}

function chooseKey({ object: { spec, status }, all, watched }: GroupContext, secureBytes: SecureBytes): string {
  return decideRoutingKey({
    recorded: status?.routingKey,
    asked: spec.routingKey,
    isTaken: (key) => all.by("routingKey", key).length > 0 || watched.sandboxes.by("routingKey", key).length > 0,
    secureBytes,
  });
}

function lifetimeOf({ metadata, spec, status }: CachedRouteGroup, report: GroupReport, now: number): Lifetime {
  const createdAt = metadata.creationTimestamp === undefined ? now : parseTime(metadata.creationTimestamp);
  if (spec.ttl === undefined) return { state: "unlimited" };
  return decideLifetime({
    ttl: spec.ttl,
    ttlFrom: spec.ttlFrom,
    createdAt,
    updatedAt: status?.specChangedAt === undefined ? undefined : parseTime(status.specChangedAt),
    lastActivityAt: undefined,
    unmatchedSince: report.matchedSandboxes.length > 0 ? undefined : unmatchedSince(status, createdAt),
    ttlSecondsMax: undefined,
    now,
  });
}

/** Returns the time since which no sandbox has matched, as recorded by the condition Matched. */
function unmatchedSince(status: CachedRouteGroup["status"], createdAt: number): number {
  const matched = findCondition(status?.conditions ?? [], "Matched");
  return matched?.status === "False" ? Math.max(createdAt, parseTime(matched.lastTransitionTime)) : createdAt;
}

function readySandboxes({ watched, namespace }: GroupContext, { matchedSandboxes }: GroupReport): ReadonlySet<string> {
  const isReady = (name: string): boolean => {
    const conditions = watched.sandboxes.get({ namespace, name })?.status?.conditions ?? [];
    return findCondition(conditions, "Ready")?.status === "True";
  };
  return new Set(matchedSandboxes.filter(isReady));
}

/**
 * Deletes an expired group. If the group was changed meanwhile, such as by an extension of its lifetime, the precondition fails and the next
 * reconcile decides again.
 */
async function expire({ object, client, name, namespace, event, signal }: GroupContext): Promise<ReconcileResult> {
  event(groupEvents.expired);
  const { uid, resourceVersion } = object.metadata;
  await client.delete(RouteGroup, { namespace, name }, { preconditions: { uid, resourceVersion }, signal });
  return {};
}

function reportChanges(
  context: GroupContext,
  report: GroupReport,
  { routingKey, lifetime }: { readonly routingKey: string; readonly lifetime: Lifetime },
): void {
  const { object, event } = context;
  const was = (type: "ConflictFree" | "KeyUnique") => findCondition(object.status?.conditions ?? [], type)?.status;
  if (report.conflicts.length > 0 && was("ConflictFree") !== "False")
    event(groupEvents.routeConflict(conflictText(report)));
  reportLosers(context, report);
  const [refused] = report.refusedServices;
  const routes = findCondition(object.status?.conditions ?? [], "RoutesProgrammed");
  if (refused !== undefined && routes?.reason !== "TableTooLarge")
    event(groupEvents.tableTooLarge(`The route table of Service ${refused} is too large for the routes of this group`));
  if (!report.ownsKey && was("KeyUnique") !== "False") event(groupEvents.routingKeyConflict(keyConflict(routingKey)));
  if (lifetime.state === "expiring") event(groupEvents.expiring(formatTime(lifetime.expiresAt)));
}

/** Records an event about each sandbox that has lost a Service since the status was written. */
function reportLosers({ object, name, namespace, watched, event }: GroupContext, { conflicts }: GroupReport): void {
  const recorded = object.status?.conflicts ?? [];
  for (const conflict of conflicts) {
    const known = recorded.find(({ service }) => service === conflict.service)?.losers ?? [];
    for (const loser of conflict.losers) {
      const sandbox = watched.sandboxes.get({ namespace, name: loser });
      if (known.includes(loser) || sandbox === undefined) continue;
      event(groupEvents.routeLost(sandbox, lostText(name, conflict)));
    }
  }
}

/** Returns the time until the lifetime of the group changes its state. */
function nextMs(lifetime: Lifetime, now: number): number | undefined {
  if (lifetime.state === "unlimited") return undefined;
  return Math.max(1, (lifetime.state === "alive" ? lifetime.warnsAt : lifetime.expiresAt) - now);
}

/**
 * Waits until no table contains routes of a group that is being deleted, but no longer than the drain time, so its key is unused when the object is
 * removed.
 */
async function cleanup(context: GroupContext, options: GroupControllerOptions): Promise<"done" | ReconcileResult> {
  const { object, key, name, namespace, cache, watched, serverClock } = context;
  const feed = options.feed();
  feed.prime(cache);
  feed.update("RouteGroup", key, cache);
  const { deletionTimestamp } = object.metadata;
  const now = serverClock.now();
  const until =
    (deletionTimestamp === undefined ? now : parseTime(deletionTimestamp)) +
    options.config().cleanup.drainSeconds * 1_000;
  const isOwn = (sandbox: string, uid: string | undefined): boolean =>
    watched.sandboxes.get({ namespace, name: sandbox })?.metadata.uid === uid;
  const isRouted = watched.tables
    .list()
    .some(({ spec }) => spec.entries.some((each) => each.routeGroup === name && isOwn(each.sandbox, each.sandboxUid)));
  if (isRouted && now < until) return { requeueAfterMs: until - now };
  options.metrics.forgetGroup(key);
  return "done";
}
