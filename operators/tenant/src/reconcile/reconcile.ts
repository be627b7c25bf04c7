import type { ReconcileResult } from "homeostat";
import { formatTime, jitter } from "@homeostat/core";
import { quotaUsage } from "@homeostat/runtime";
import { formatProblems } from "@homeostat/schema";
import type { Decisions } from "../build/desired-children.ts";
import { decideReplicas, type LiveReplicas } from "../decide/replicas.ts";
import { isShortOfPods, type Observed, observe, observeRedis, observeServer, shortPodsMs } from "../observe/observe.ts";
import type { ComponentProblem } from "../status/component.ts";
import { type AppliedOutcome, quotaCondition } from "../status/status.ts";
import { structuralProblems } from "../validation/structural.ts";
import { applyChildren } from "./children.ts";
import { events } from "./events.ts";
import { externalWaitMs, type Failures } from "./failures.ts";
import type { Context } from "../observe/kinds.ts";
import { ensureNamespace, reportForeignLabels } from "./namespace.ts";
import {
  credentialsStatus,
  passwordSourceCondition,
  type RedisLogin,
  reportLogin,
  resolveLogin,
} from "./redis-credentials.ts";
import { growStorage, type Storage } from "./storage.ts";
import { type Dependencies, TenantContext } from "./tenant-context.ts";

type Requeue = ReconcileResult | undefined;

/** Reconciles a tenant that is not being deleted. */
export async function reconcile(runtime: Context, dependencies: Dependencies): Promise<Requeue> {
  const { clock, all, key } = runtime;
  const startedAt = clock.monotonic();
  try {
    return await reconcileTenant(new TenantContext(runtime, dependencies));
  } finally {
    const phase = all.get(key)?.status?.phase ?? "Pending";
    dependencies.metrics.durations.observe({ phase }, (clock.monotonic() - startedAt) / 1_000);
  }
}

async function reconcileTenant(context: TenantContext): Promise<Requeue> {
  const { tenant, namespace, runtime, settings } = context;
  if (tenant.spec.paused === true) return pause(context);
  if (context.status.phase === undefined) await runtime.step("acknowledge", () => acknowledge(context));

  const problems = formatProblems(structuralProblems(tenant, settings));
  if (problems !== "") {
    await context.writeStatus({ type: "invalidSpec", message: problems });
    context.eventOnce(events.invalid(problems));
    return undefined;
  }

  reportForeignLabels(context);
  const missing = await runtime.step("namespace", () => ensureNamespace(context));
  if (missing !== undefined) {
    runtime.recordDecision("namespace", missing.reason);
    await context.writeStatus({ type: "namespaceMissing", namespace: missing });
    // The watch on namespaces triggers the next reconcile after a conflict.
    return missing.reason === "NamespaceConflict" ? undefined : { requeueAfterMs: externalWaitMs };
  }
  runtime.log.debug("Namespace is ready", { tenant: context.name, namespace });
  return reconcileContent(context);
}

/** Reconciles everything in the tenant's namespace. */
async function reconcileContent(context: TenantContext): Promise<Requeue> {
  const { failures, resolved, namespace, runtime } = context;
  const observed = observe(context);

  const { login, storage } = await runtime.step("redis", () => prepareRedis(context, observed));
  const replicas = decideReplicas(resolved, liveReplicas(context, observed));
  runtime.recordDecision("Redis password", login.auth.state);
  const decisions: Decisions = { auth: login.auth, replicas, claimSize: storage.claimSize };

  const wasComplete = wasCompleteBefore(context);
  await runtime.step("children", () => applyChildren(context, decisions, { secret: login.secret, wasComplete }));
  if (failures.messageOf("redis") === undefined) reportLogin(context, login);

  const after = observe(context);
  await runtime.step("status", async () => {
    const applied = await outcomeOf(context, after, { login, storage });
    await context.writeStatus({ type: "applied", namespace, applied });
  });
  if (failures.invalid !== undefined) context.eventOnce(events.invalid(failures.invalid));
  const rotatedAt = login.auth.state === "known" ? login.auth.credentials.rotatedAtMs : undefined;
  context.dependencies.metrics.recordUsage(context.name, { rotatedAt, quota: quotaUsage(after.quota) });

  return requeueAfter(context, after, login);
}

/** Writes the phase Pending before anything is created, so that users see that the operator handles the tenant. */
async function acknowledge({ runtime, now }: TenantContext): Promise<void> {
  runtime.setStatus({ phase: "Pending", message: "Tenant accepted", lastTransitionTime: formatTime(now) });
  await runtime.saveStatus();
}

/** Reconciles a paused tenant: writes only its status. */
async function pause(context: TenantContext): Promise<Requeue> {
  const { runtime, generation, status } = context;
  const phase = status.phase ?? "Pending";
  runtime.setStatus({ phase, observedGeneration: generation });
  const message = "Reconciliation is suspended while spec.paused is true";
  runtime.setCondition("Paused", { status: true, reason: "Paused", message });
  await runtime.saveStatus();
  if (context.condition("Paused")?.status !== "True") context.event(events.paused);
  context.recordPhase(phase);
  return { requeueAfterMs: resyncMs(context) };
}

interface PreparedRedis {
  readonly login: RedisLogin;
  readonly storage: Storage;
}

/** Decides on the password and grows the storage. Without them the other objects are still applied. */
async function prepareRedis(context: TenantContext, observed: Observed): Promise<PreparedRedis> {
  try {
    return { login: await resolveLogin(context, observed), storage: await growStorage(context, observed) };
  } catch (error) {
    context.runtime.signal.throwIfAborted();
    context.failures.add("redis", "Redis", error);
    return {
      login: { auth: { state: "waiting", problem: undefined }, secret: undefined },
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

function liveReplicas({ resolved }: TenantContext, { redis, server, serverPods }: Observed): LiveReplicas {
  // Ready, not complete: a hibernated StatefulSet is complete without any pod.
  const isRedisReady = (redis?.status?.readyReplicas ?? 0) >= resolved.redis.replicas;
  return { serverReplicas: server?.spec?.replicas, serverPods: serverPods.length, isRedisReady };
}

async function outcomeOf(
  context: TenantContext,
  observed: Observed,
  { login, storage }: PreparedRedis,
): Promise<AppliedOutcome> {
  const { failures, resolved } = context;
  const problem = login.auth.state === "waiting" ? login.auth.problem : undefined;
  const waitsFor: ComponentProblem | undefined =
    problem === undefined ? undefined : { reason: "SecretNotFound", message: problem };
  const policies = failures.messageOf("network-policy");
  return {
    redis: await observeRedis(context, observed, { refused: failures.problemOf("redis"), waitsFor }),
    server: observeServer(context, observed, { refused: failures.problemOf("server"), waitsFor }),
    policies:
      policies === undefined
        ? { state: resolved.network === undefined ? "disabled" : "applied" }
        : { state: "failed", message: policies },
    storage: storage.condition,
    quota: resolved.quota && quotaCondition(observed.quota, quotaUsage(observed.quota)),
    passwordSource: passwordSourceCondition(resolved.redis.security?.authSecret, login),
    credentials: credentialsStatus(login),
    error: failures.transient,
    failure: permanentFailure(failures),
  };
}

/** Returns a failure that is not retried: an invalid object, or a conflict over an object that belongs to no component. */
function permanentFailure(failures: Failures): AppliedOutcome["failure"] {
  const { invalid } = failures;
  if (invalid !== undefined) return { reason: "InvalidSpec", message: invalid };
  const shared = failures.problemOf("quota") ?? failures.problemOf("access") ?? failures.problemOf("network-policy");
  return shared?.reason === "ResourceConflict" ? { reason: "ResourceConflict", message: shared.message } : undefined;
}

/** Returns when to reconcile again; throws to have the runtime retry with backoff. */
function requeueAfter(context: TenantContext, observed: Observed, { auth }: RedisLogin): Requeue {
  const { failures, resolved, now } = context;
  const error = failures.toError(context.name);
  if (error !== undefined) throw error;
  const hasSecretProblem = auth.state !== "disabled" && auth.problem !== undefined;
  if (failures.hasTerminating || hasSecretProblem) return { requeueAfterMs: externalWaitMs };
  // Not retried: a change of the spec triggers the next reconcile.
  if (failures.invalid !== undefined) return undefined;
  const { rotationIntervalMs } = resolved.redis.security ?? {};
  const delays = [resyncMs(context)];
  if (isShortOfPods(context, observed)) delays.push(shortPodsMs);
  if (auth.state === "known" && auth.credentials.step === "done" && rotationIntervalMs !== undefined) {
    delays.push(Math.max(1_000, auth.credentials.rotatedAtMs + rotationIntervalMs - now));
  }
  return { requeueAfterMs: Math.min(...delays) };
}

/** Returns the time until the next periodic reconcile. Jitter spreads the reconciles of many tenants. */
function resyncMs({ settings, dependencies: { random } }: TenantContext): number {
  return jitter(random, settings.resyncInterval, 0.1);
}
