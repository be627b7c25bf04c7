import type { ReconcileResult } from "homeostat";
import { formatTime, jitter } from "@homeostat/core";
import { formatProblems } from "@homeostat/schema";
import type { Decisions } from "../build/desired-children.ts";
import { type ResolvedTenant, resolveTenant } from "../build/resolve.ts";
import { decideReplicas, type LiveReplicas } from "../decide/replicas.ts";
import { type Observed, observe, observeRedis, observeServer, quotaUsage, shortPodsMs } from "../observe/observe.ts";
import type { ComponentProblem } from "../status/component.ts";
import { type AppliedOutcome, quotaCondition } from "../status/status.ts";
import { structuralProblems } from "../validation/structural.ts";
import { applyChildren } from "./children.ts";
import { events } from "./events.ts";
import { externalWaitMs, Failures } from "./failures.ts";
import { ensureNamespace, reportForeignLabels } from "./namespace.ts";
import { credentialsStatus, type RedisLogin, reportLogin, resolveLogin } from "./redis-credentials.ts";
import { growStorage, type Storage } from "./storage.ts";
import { type Dependencies, TenantContext } from "./tenant-context.ts";
import type { Context } from "./kinds.ts";

type Requeue = ReconcileResult | undefined;

/** Reconciles a tenant that is not being deleted. */
export async function reconcile(runtime: Context, dependencies: Dependencies): Promise<Requeue> {
  const { clock, all, key } = runtime;
  const startedAt = clock.monotonic();
  try {
    return await reconcileTenant(new TenantContext(runtime, dependencies));
  } finally {
    dependencies.metrics.recordReconcile(all.get(key)?.status?.phase, (clock.monotonic() - startedAt) / 1_000);
  }
}

async function reconcileTenant(context: TenantContext): Promise<Requeue> {
  const { tenant, runtime, settings } = context;
  if (tenant.spec.paused === true) return pause(context);
  if (context.status.phase === undefined) await acknowledge(context);

  const problems = formatProblems(structuralProblems(tenant, settings));
  if (problems !== "") {
    await context.writeStatus({ type: "invalidSpec", message: problems });
    context.eventOnce(events.invalid(problems));
    return undefined;
  }
  const resolved = resolveTenant(tenant, settings, context.namespace);

  reportForeignLabels(context, resolved);
  const missing = await ensureNamespace(context, resolved);
  if (missing !== undefined) {
    await context.writeStatus({ type: "namespaceMissing", namespace: missing });
    // The watch on namespaces triggers the next reconcile after a conflict.
    return missing.reason === "NamespaceConflict" ? undefined : { requeueAfterMs: externalWaitMs };
  }
  runtime.log.debug("Namespace is ready", { tenant: context.name, namespace: resolved.namespace });
  return reconcileContent(context, resolved);
}

/** Reconciles everything in the tenant's namespace. */
async function reconcileContent(context: TenantContext, resolved: ResolvedTenant): Promise<Requeue> {
  const failures = new Failures();
  const observed = observe(context, resolved);

  const { login, storage } = await prepareRedis(context, resolved, { observed, failures });
  const replicas = decideReplicas(resolved, liveReplicas(observed, resolved));
  const decisions: Decisions = { auth: login.auth, replicas, claimSize: storage.claimSize };

  const wasComplete = wasCompleteBefore(context);
  await applyChildren(context, { resolved, decisions, secret: login.secret, failures, wasComplete });
  if (failures.messageOf("redis") === undefined) reportLogin(context, login);

  const after = observe(context, resolved);
  const applied = await outcomeOf(context, resolved, { observed: after, failures, login, storage });
  await context.writeStatus({ type: "applied", namespace: resolved.namespace, applied });
  if (failures.invalid !== undefined) context.eventOnce(events.invalid(failures.invalid));
  const rotatedAt = login.auth.state === "known" ? login.auth.credentials.rotatedAtMs : undefined;
  context.dependencies.metrics.recordUsage(context.name, { rotatedAt, quota: quotaUsage(after.quota) });

  return requeueAfter(context, resolved, { observed: after, failures, login });
}

/** Shows the tenant as accepted before anything is done for it. */
async function acknowledge({ runtime, now }: TenantContext): Promise<void> {
  runtime.setStatus({ phase: "Pending", message: "Tenant was accepted", lastTransitionTime: formatTime(now) });
  await runtime.saveStatus();
}

/** A paused tenant gets no writes except for its status. */
async function pause(context: TenantContext): Promise<Requeue> {
  const { runtime, generation, status } = context;
  const phase = status.phase ?? "Pending";
  runtime.setStatus({ phase, observedGeneration: generation });
  const message = "Nothing is written while spec.paused is true";
  runtime.setCondition("Paused", { status: true, reason: "Paused", message });
  await runtime.saveStatus();
  if (context.condition("Paused")?.status !== "True") context.event(events.paused);
  context.recordPhase(phase);
  return { requeueAfterMs: resyncMs(context) };
}

/** Decides on the password and grows the storage. Without them the other objects are still applied. */
async function prepareRedis(
  context: TenantContext,
  resolved: ResolvedTenant,
  { observed, failures }: { readonly observed: Observed; readonly failures: Failures },
): Promise<{ readonly login: RedisLogin; readonly storage: Storage }> {
  try {
    const login = await resolveLogin(context, resolved, observed);
    return { login, storage: await growStorage(context, resolved, observed) };
  } catch (error) {
    context.runtime.signal.throwIfAborted();
    failures.add("redis", "Redis", error);
    return {
      login: { auth: { state: "waiting" }, secret: undefined, decision: undefined },
      storage: { claimSize: undefined, condition: undefined },
    };
  }
}

/** Reasons of Ready with which an earlier reconcile may have left objects out. */
const partialReasons: ReadonlySet<string> = new Set([
  "ReconcileError",
  "InvalidSpec",
  "NamespaceConflict",
  "ResourceConflict",
]);

/** Reports whether an earlier reconcile of the same generation applied everything. Then a missing object is drift. */
function wasCompleteBefore(context: TenantContext): boolean {
  const ready = context.condition("Ready")?.reason;
  return (
    context.status.observedGeneration === context.generation &&
    context.condition("NamespaceReady")?.status === "True" &&
    ready !== undefined &&
    !partialReasons.has(ready) &&
    context.condition("RedisReady")?.reason !== "SecretNotFound"
  );
}

function liveReplicas({ redis, server, serverPods }: Observed, resolved: ResolvedTenant): LiveReplicas {
  // Ready, not complete: a hibernated StatefulSet is complete without any pod.
  const isRedisReady = (redis?.status?.readyReplicas ?? 0) >= resolved.redis.replicas;
  return { serverReplicas: server?.spec?.replicas, serverPods: serverPods.length, isRedisReady };
}

interface Applied {
  readonly observed: Observed;
  readonly failures: Failures;
  readonly login: RedisLogin;
}

async function outcomeOf(
  context: TenantContext,
  resolved: ResolvedTenant,
  { observed, failures, login, storage }: Applied & { readonly storage: Storage },
): Promise<AppliedOutcome> {
  const { decision } = login;
  const waitsFor: ComponentProblem | undefined =
    decision?.state === "waiting" ? { reason: "SecretNotFound", message: decision.problem } : undefined;
  const policies = failures.messageOf("network-policy");
  return {
    redis: await observeRedis(context, resolved, observed, { refused: failures.problemOf("redis"), waitsFor }),
    server: observeServer(context, resolved, observed, { refused: failures.problemOf("server"), waitsFor }),
    policies:
      policies === undefined
        ? { state: resolved.network === undefined ? "disabled" : "applied" }
        : { state: "failed", message: policies },
    storage: storage.condition,
    quota: resolved.quota && quotaCondition(observed.quota, quotaUsage(observed.quota)),
    credentials: credentialsStatus(login),
    error: failures.transient,
    failure: permanentFailure(failures),
  };
}

/** An invalid object, or a conflict over an object that belongs to no component. */
function permanentFailure(failures: Failures): AppliedOutcome["failure"] {
  const { invalid } = failures;
  if (invalid !== undefined) return { reason: "InvalidSpec", message: invalid };
  const shared = failures.problemOf("quota") ?? failures.problemOf("access") ?? failures.problemOf("network-policy");
  return shared?.reason === "ResourceConflict" ? { reason: "ResourceConflict", message: shared.message } : undefined;
}

/** Returns when to reconcile again; throws to have the runtime retry with backoff. */
function requeueAfter(
  context: TenantContext,
  resolved: ResolvedTenant,
  { observed, failures, login }: Applied,
): Requeue {
  const error = failures.toError(context.name);
  if (error !== undefined) throw error;
  if (failures.hasTerminating || login.decision?.problem !== undefined) return { requeueAfterMs: externalWaitMs };
  // Only another spec helps, and its generation triggers the next reconcile.
  if (failures.invalid !== undefined) return undefined;
  const isShort = !resolved.isHibernated && observed.redisPods.length < resolved.redis.replicas;
  const delays = [resyncMs(context), ...(isShort ? [shortPodsMs] : []), ...rotationDueMs(context, resolved, login)];
  return { requeueAfterMs: Math.min(...delays) };
}

/** When the password reaches its maximum age. */
function rotationDueMs({ now }: TenantContext, { redis }: ResolvedTenant, { auth }: RedisLogin): readonly number[] {
  const { rotationIntervalMs } = redis.security ?? {};
  if (auth.state !== "known" || rotationIntervalMs === undefined || auth.credentials.step !== "done") return [];
  return [Math.max(1_000, auth.credentials.rotatedAtMs + rotationIntervalMs - now)];
}

/** Jitter spreads the periodic reconciles of many tenants. */
function resyncMs({ settings, dependencies: { random } }: TenantContext): number {
  return jitter(random, settings.resyncIntervalMs, 0.1);
}
