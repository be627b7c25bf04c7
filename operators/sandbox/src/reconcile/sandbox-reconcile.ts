import type { ReconcileResult } from "homeostat";
import { isEqual, parseTime } from "@homeostat/core";
import { Sandbox } from "../api/sandbox.ts";
import { decideActivity, lifetimeBy, type RecordedActivity } from "../decide/activity.ts";
import type { Lifetime } from "../decide/expiry.ts";
import { decideIdle, type IdleDecision } from "../decide/idle.ts";
import { decideRoutingKey, mayRecord } from "../decide/routing-key.ts";
import type { Context } from "../observe/kinds.ts";
import { overridesOf } from "../routes/object-views.ts";
import { isServed } from "../routes/sandbox-routes.ts";
import { keyConflict } from "../status/group-status.ts";
import { endpointOutcomes, type EndpointsInput } from "../status/endpoints.ts";
import type { EntryOutcome, LostKey, PermanentProblem, SandboxOutcome } from "../status/sandbox-outcome.ts";
import { sandboxStatus } from "../status/sandbox-status.ts";
import { applyForks } from "./apply-forks.ts";
import { type ExaminedEntry, examineEntries } from "./entries.ts";
import { entryOutcomes } from "./entry-outcomes.ts";
import { RoutingKeyRecordedError } from "./errors.ts";
import { sandboxEvents } from "./events.ts";
import { reportFailure } from "./failures.ts";
import { policyProblem } from "./policies.ts";
import { programmedRoutes } from "./programmed-routes.ts";
import { type Provision, provision, unprovisioned } from "./provision.ts";
import { checkQuota, type QuotaResult } from "./quota.ts";
import { reportChanges } from "./report.ts";
import { type Dependencies, SandboxContext } from "./sandbox-context.ts";
import { creatorOf } from "../api/created-by.ts";
import { sandboxProblems } from "../validation/sandbox-rules.ts";
import { describeProblems } from "../validation/problem.ts";

/** Reconciles a sandbox that is not being deleted. */
export async function reconcile(runtime: Context, dependencies: Dependencies): Promise<ReconcileResult> {
  const context = new SandboxContext(runtime, dependencies);
  try {
    return await reconcileSandbox(context);
  } catch (error) {
    runtime.signal.throwIfAborted();
    throw await reportFailure(context, error);
  }
}

async function reconcileSandbox(context: SandboxContext): Promise<ReconcileResult> {
  const { runtime, feed } = context;
  feed.prime(runtime.cache);
  const routingKey = await runtime.step("key", () => recordKey(context));
  const activity = activityOf(context);
  const { lifetime } = activity;
  runtime.recordDecision("lifetime", lifetime.state);
  if (lifetime.state === "expired") return runtime.step("expire", () => expire(context));

  const problem = specProblem(context);
  const hooks = await runtime.step("provision", async () =>
    problem === undefined ? provision(context, routingKey) : unprovisioned(context),
  );
  const idle = idleOf(context, activity.newest);
  const entries = await runtime.step("examine", () => examineEntries(context, { routingKey, provision: hooks, idle }));
  const quota = checkQuota(context, entries);
  const isHeld =
    problem !== undefined || hooks.waiting !== undefined || hooks.failed !== undefined || !quota.verdict.isWithin;
  runtime.recordDecision("quota", quota.verdict.isWithin ? "within" : "exceeded");
  runtime.recordDecision("forks", isHeld ? "held" : "apply");
  await runtime.step("apply", () => applyForks(context, { entries, isHeld }));
  return runtime.step("status", () =>
    finish(context, { routingKey, activity: activity.recorded, lifetime, problem, hooks, idle, entries, quota }),
  );
}

/** Chooses the key and records it before any object contains it. It never changes afterwards, not even across restarts. */
async function recordKey(context: SandboxContext): Promise<string> {
  const { runtime, sandbox, status, dependencies } = context;
  const routingKey = decideRoutingKey({
    recorded: status.routingKey,
    asked: sandbox.spec.routingKey,
    isTaken: (key) =>
      runtime.all.by("routingKey", key).length > 0 || runtime.watched.routeGroups.by("routingKey", key).length > 0,
    secureBytes: dependencies.secureBytes,
  });
  if (status.routingKey !== routingKey) {
    // After a conflict, the runtime applies the change to the live status. Another process may have recorded its key there.
    runtime.requireStatus(
      (live) => mayRecord(routingKey, live?.routingKey),
      () => new RoutingKeyRecordedError(`Sandbox ${runtime.key}`),
    );
    runtime.setStatus({ routingKey, createdBy: creatorOf(sandbox)?.user });
    await runtime.saveStatus({ purpose: "record the routing key" });
    context.event(sandboxEvents.created(routingKey));
  }
  return routingKey;
}

/** Decides the time of the last request, which proxies report in the status of tables, and the lifetime that depends on it. */
function activityOf({
  runtime,
  sandbox,
  status,
  createdAt,
  specChangedAt,
  now,
  config,
}: SandboxContext): RecordedActivity {
  const { uid } = sandbox.metadata;
  const { ttl, ttlFrom } = sandbox.spec;
  const ttlSecondsMax = config.limits.allowForever ? undefined : config.limits.maxTtlSeconds;
  const reported = runtime.watched.tables.by("sandboxUid", uid).flatMap((table) => table.status?.activity?.[uid] ?? []);
  return decideActivity({
    recorded: status.lastActivityTime === undefined ? undefined : parseTime(status.lastActivityTime),
    reported: reported.map((time) => parseTime(time)),
    lifetime: lifetimeBy({ ttl, ttlFrom, createdAt, updatedAt: specChangedAt, ttlSecondsMax, now }),
  });
}

/** Returns the most frequent loss of the key, as the route server reports it in the status of tables. */
function lostKeyOf({ runtime, sandbox }: SandboxContext): LostKey | undefined {
  const { uid } = sandbox.metadata;
  const losses = runtime.watched.tables.by("sandboxUid", uid).flatMap(({ status }) => status?.lostKeys?.[uid] ?? []);
  return losses.toSorted((a, b) => b.count - a.count)[0];
}

/**
 * Deletes an expired sandbox. If the sandbox was changed meanwhile, such as by an extension of its lifetime, the precondition fails and the next
 * reconcile decides again.
 */
async function expire(context: SandboxContext): Promise<ReconcileResult> {
  const { runtime, sandbox, namespace, name, dependencies } = context;
  context.event(sandboxEvents.expired);
  const { uid, resourceVersion } = sandbox.metadata;
  await runtime.client.delete(
    Sandbox,
    { namespace, name },
    { preconditions: { uid, resourceVersion }, signal: runtime.signal },
  );
  dependencies.metrics.expirations.inc({ namespace });
  return {};
}

/** Returns a problem of the spec, which may have been stored while the webhook was not installed, or a denial by a newer policy. */
function specProblem(context: SandboxContext): PermanentProblem | undefined {
  const { sandbox, namespace, config } = context;
  const problems = sandboxProblems(sandbox, { namespace, config });
  if (problems.length > 0) return { reason: "InvalidSpec", message: describeProblems(problems) };
  return policyProblem(context);
}

function idleOf({ sandbox, createdAt, now }: SandboxContext, lastActivityAt: number | undefined): IdleDecision {
  const { startIdle, sleepAfterSeconds } = sandbox.spec.idle;
  return decideIdle({
    isSuspended: sandbox.spec.suspend,
    startIdle,
    sleepAfterSeconds,
    createdAt,
    lastActivityAt,
    now,
  });
}

interface FinishInput {
  readonly routingKey: string;
  readonly activity: number | undefined;
  readonly lifetime: Lifetime;
  readonly problem: PermanentProblem | undefined;
  readonly hooks: Provision;
  readonly idle: IdleDecision;
  readonly entries: readonly ExaminedEntry[];
  readonly quota: QuotaResult;
}

/** Writes the status, and returns when to reconcile again. */
async function finish(context: SandboxContext, input: FinishInput): Promise<ReconcileResult> {
  const { runtime, sandbox, feed, config, namespace } = context;
  const { routingKey, lifetime, hooks, quota, idle } = input;
  const entries = entryOutcomes(context, { entries: input.entries, idle });
  const report = feed.sandbox(runtime.key);
  const routes = programmedRoutes(
    {
      uid: sandbox.metadata.uid,
      ownsKey: report?.ownsKey ?? false,
      services: report?.services ?? [],
      refusedServices: report?.refusedServices ?? [],
      uncompiledServices: sandbox.spec.suspend ? [] : changedServices(context, input.entries, entries),
      isOwn: (entry) => entry.routingKey === routingKey,
    },
    { feed, confirmed: context.dependencies.confirmedRoutes, table: (service) => runtime.watched.tables.get(service) },
  );
  const outcome: SandboxOutcome = {
    generation: context.generation,
    previous: context.status,
    routingKey,
    ownsKey: report?.ownsKey ?? true,
    createdBy: creatorOf(sandbox)?.user,
    lifetime,
    lastActivityAt: input.activity,
    lostKey: lostKeyOf(context),
    specChangedAt: context.specChangedAt,
    now: context.now,
    isSuspended: sandbox.spec.suspend,
    problem:
      input.problem ?? (hooks.failed === undefined ? undefined : { reason: "ProvisionFailed", message: hooks.failed }),
    provisioning: hooks.waiting,
    entries,
    quota: quota.verdict,
    routes,
    routeGroups: report?.groups ?? [],
    usage: quota.usage,
    amounts: quota.amounts,
    endpoints: endpointOutcomes({
      endpoints: sandbox.spec.endpoints,
      namespace,
      routingKey,
      preview: config.preview,
      hasService: (service) => runtime.watched.baselineServices.has(service),
      refusal: endpointRefusal(input.problem, { ownsKey: report?.ownsKey, routingKey }),
      uid: sandbox.metadata.uid,
      recorded: context.status.endpoints,
      table: (service) => runtime.watched.tables.get(service),
      tablesWithHost: (host) => runtime.watched.tables.by("host", host),
    }),
  };
  runtime.setStatusPlan(sandboxStatus(outcome));
  await runtime.saveStatus();
  // Routes follow from the status that was just written.
  feed.update("Sandbox", runtime.key, runtime.cache);
  reportChanges(context, outcome);
  return { requeueAfterMs: nextMs(context, input) };
}

/** Returns the reason why no endpoint of the sandbox may be served. `ownsKey` is undefined until the routes are compiled. */
function endpointRefusal(
  problem: PermanentProblem | undefined,
  { ownsKey, routingKey }: { readonly ownsKey: boolean | undefined; readonly routingKey: string },
): EndpointsInput["refusal"] {
  if (problem !== undefined)
    return { reason: problem.reason === "PolicyDenied" ? "PolicyDenied" : "InvalidSpec", message: problem.message };
  if (ownsKey === undefined) return { reason: "WaitingForGateway", message: "the routes are not compiled yet" };
  return ownsKey ? undefined : { reason: "RoutingKeyConflict", message: keyConflict(routingKey) };
}

/**
 * Returns the keys of the Services whose routes change when the pending status is written. Routes are compiled from the status, so the tables do not
 * contain them yet.
 */
function changedServices(
  { status }: SandboxContext,
  entries: readonly ExaminedEntry[],
  outcomes: readonly EntryOutcome[],
): readonly string[] {
  return outcomes.flatMap(({ name, mode, services }, index) => {
    const { namespace = "" } = entries[index]?.target ?? {};
    const recorded = overridesOf(status.services?.find((state) => state.name === name)?.services ?? [], namespace);
    return overridesOf(services, namespace)
      .filter((override) => mode !== "Local" && isServed(override, mode))
      .filter((override) => !recorded.some((each) => isEqual(each, override)))
      .map(({ service }) => `${namespace}/${service}`);
  });
}

/** Returns the time until the nearest deadline. */
function nextMs({ now }: SandboxContext, { lifetime, idle, entries }: FinishInput): number | undefined {
  const deadlines = [
    ...(lifetime.state === "alive" ? [lifetime.warnsAt] : []),
    ...(lifetime.state === "expiring" ? [lifetime.expiresAt] : []),
    ...(idle.state === "awake" && idle.sleepsAt !== undefined ? [idle.sleepsAt] : []),
    ...entries.flatMap((entry) =>
      entry.mode === "Fork" && entry.decision.requeueAfterMs !== undefined ? [now + entry.decision.requeueAfterMs] : [],
    ),
    // Rollouts are read, not watched.
    ...(entries.some(({ target }) => target.kind === "Rollout") ? [now + rolloutPollMs] : []),
  ];
  return deadlines.length === 0 ? undefined : Math.max(1, Math.min(...deadlines) - now);
}

const rolloutPollMs = 30_000;
