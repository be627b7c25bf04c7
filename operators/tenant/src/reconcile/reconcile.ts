import { formatTime, jitter } from "@homeostat/core";
import { names } from "../api/names.ts";
import { replicasNow } from "../decide/replicas.ts";
import { resolve } from "../build/resolve.ts";
import type { Wanted } from "../build/resolved-tenant.ts";
import type { Obstacle } from "../status/component.ts";
import type { Sight } from "../status/derive.ts";
import { describeProblems } from "../validation/problem.ts";
import { structuralProblems } from "../validation/structural.ts";
import { makeChildren } from "./children.ts";
import { conclude } from "./conclude.ts";
import { credentialsStatus, type Login, lookAtSecrets, tellOfLogin } from "./credentials.ts";
import { events } from "./events.ts";
import type { Context } from "./watches.ts";
import { ensureNamespace, noteForeignLabels } from "./namespace.ts";
import { type Next, type Parts, Pass } from "./pass.ts";
import {
  lookAround,
  quotaCondition,
  quotaUse,
  redisView,
  serverView,
  shortPodsMs,
  type World,
} from "../observe/observe.ts";
import { growStorage, type Storage } from "./storage.ts";
import { troubleOf } from "./trouble.ts";
import { externalWaitMs, Troubles } from "./troubles.ts";

/** One pass over a tenant that is not being deleted: section 7. */
export async function reconcile(context: Context, parts: Parts): Promise<Next> {
  const { clock } = context;
  const begin = clock.monotonic();
  const pass = new Pass(context, parts);
  try {
    return await look(pass);
  } finally {
    const phase = context.all.get(context.key)?.status?.phase;
    parts.metrics.passed(phase, (clock.monotonic() - begin) / 1_000);
  }
}

async function look(pass: Pass): Promise<Next> {
  const { tenant, parts, context } = pass;
  if (tenant.spec.paused === true) return pause(pass);
  if (pass.before.phase === undefined) await begin(pass);
  const problems = describeProblems(structuralProblems(tenant, parts.settings));
  if (problems !== "") return refuse(pass, problems);
  const wanted = resolve(tenant, parts.settings, pass.namespace);
  noteForeignLabels(pass, wanted.namespace);
  const home = await ensureHome(pass, wanted);
  if (home.is === "missing") {
    await conclude(pass, { is: "homeless", namespace: home });
    // A namespace that is somebody else's is waited for by its watch alone.
    return home.reason === "NamespaceConflict" ? undefined : { requeueAfterMs: externalWaitMs };
  }
  context.log.debug("The namespace is there", { tenant: pass.name, namespace: home.name });
  return build(pass, wanted);
}

/** Says that the tenant was seen, before anything is done for it. */
async function begin({ context, now }: Pass): Promise<void> {
  context.setStatus({ phase: "Pending", message: "Tenant was accepted", lastTransitionTime: formatTime(now) });
  await context.saveStatus();
}

/** Nothing is written but that the tenant is paused: section 20.6. */
async function pause(pass: Pass): Promise<Next> {
  const { context, generation, before } = pass;
  const phase = before.phase ?? "Pending";
  context.setStatus({ phase, observedGeneration: generation });
  context.setCondition("Paused", {
    status: true,
    reason: "Paused",
    message: "Nothing is written while spec.paused is true",
  });
  await context.saveStatus();
  if (pass.condition("Paused")?.status !== "True") pass.event(events.paused);
  pass.phaseIs(phase);
  return { requeueAfterMs: periodMs(pass) };
}

/** What cannot be built is not tried again before it is another. */
async function refuse(pass: Pass, message: string): Promise<Next> {
  await conclude(pass, { is: "invalid", message });
  pass.once(events.invalid(message));
  return undefined;
}

/** The namespace, or why there is none. An error is told in the status before it is thrown. */
async function ensureHome(pass: Pass, wanted: Wanted): ReturnType<typeof ensureNamespace> {
  try {
    return await ensureNamespace(pass, wanted);
  } catch (error) {
    const trouble = troubleOf(error);
    pass.context.signal.throwIfAborted();
    const { message } = trouble;
    if (trouble.is === "invalid") return { is: "missing", reason: "CreateFailed", message };
    await conclude(pass, { is: "homeless", namespace: { is: "missing", reason: "CreateFailed", message } });
    throw error;
  }
}

/** Everything within the namespace. */
async function build(pass: Pass, wanted: Wanted): Promise<Next> {
  const troubles = new Troubles();
  const before = lookAround(pass, wanted);
  const wasWhole = isWhole(pass);
  let login: Login;
  let storage: Storage;
  try {
    login = await lookAtSecrets(pass, wanted, before);
    storage = await growStorage(pass, wanted);
  } catch (error) {
    pass.context.signal.throwIfAborted();
    troubles.add("redis", error);
    login = { auth: { at: "waiting" }, own: undefined, decision: undefined };
    storage = { claimSize: undefined, told: undefined };
  }
  const replicas = replicasNow(wanted, livePods(before, wanted));
  const situation = { auth: login.auth, replicas, claimSize: storage.claimSize };
  await makeChildren(pass, { wanted, situation, secret: login.own, troubles, wasWhole });
  if (troubles.messageOf("redis") === undefined) tellOfLogin(pass, login);
  const sight = await see(pass, wanted, { troubles, login, storage });
  await conclude(pass, { is: "seen", namespace: wanted.namespace, sight });
  if (troubles.invalid !== undefined) pass.once(events.invalid(troubles.invalid));
  measure(pass, wanted, login);
  return next(pass, { troubles, login, wanted });
}

/** Whether everything was there after an earlier pass for the same generation: then what is missing was taken away. */
function isWhole(pass: Pass): boolean {
  const ready = pass.condition("Ready");
  const redis = pass.condition("RedisReady")?.reason;
  const isPartial = ["ReconcileError", "InvalidSpec", "NamespaceConflict", "ResourceConflict"].includes(
    ready?.reason ?? "",
  );
  return (
    pass.before.observedGeneration === pass.generation &&
    pass.condition("NamespaceReady")?.status === "True" &&
    ready !== undefined &&
    !isPartial &&
    redis !== "SecretNotFound"
  );
}

function livePods({ redis, server, serverPods }: World, wanted: Wanted): Parameters<typeof replicasNow>[1] {
  // Not whether it is complete: one that sleeps is, with no pod at all.
  const isRedisReady = (redis?.status?.readyReplicas ?? 0) >= wanted.redis.replicas;
  return { serverReplicas: server?.spec?.replicas, serverPods: serverPods.length, isRedisReady };
}

interface Done {
  readonly troubles: Troubles;
  readonly login: Login;
  readonly storage: Storage;
}

/** What the tenant looks like after everything was done. */
async function see(pass: Pass, wanted: Wanted, { troubles, login, storage }: Done): Promise<Sight> {
  const world = lookAround(pass, wanted);
  const { decision } = login;
  const noSecret: Obstacle | undefined =
    decision?.at === "waiting" ? { reason: "SecretNotFound", message: decision.problem } : undefined;
  const quota = pass.context.watched.resourceQuotas.get({ namespace: wanted.namespace, name: names.quota });
  const policies = troubles.messageOf("network-policy");
  const { invalid } = troubles;
  const others = troubles.obstacleOf("quota") ?? troubles.obstacleOf("access") ?? troubles.obstacleOf("network-policy");
  const failure =
    invalid !== undefined
      ? { reason: "InvalidSpec" as const, message: invalid }
      : others?.reason === "ResourceConflict"
        ? { reason: "ResourceConflict" as const, message: others.message }
        : undefined;
  return {
    redis: await redisView(pass, wanted, world, { refused: troubles.obstacleOf("redis"), waitsFor: noSecret }),
    server: serverView(pass, wanted, world, { refused: troubles.obstacleOf("server"), waitsFor: noSecret }),
    policies:
      policies !== undefined
        ? { is: "failed", message: policies }
        : { is: wanted.network === undefined ? "disabled" : "applied" },
    storage: storage.told,
    quota: quotaCondition(wanted.quota === undefined ? undefined : quota, quotaUse(quota)),
    credentials: credentialsStatus(login),
    error: troubles.passing,
    failure,
  };
}

function measure(pass: Pass, wanted: Wanted, { auth }: Login): void {
  const quota = pass.context.watched.resourceQuotas.get({ namespace: wanted.namespace, name: names.quota });
  const rotatedAt = auth.at === "known" ? auth.credentials.rotatedAtMs : undefined;
  pass.parts.metrics.measured(pass.name, { rotatedAt, used: quotaUse(quota) });
}

/** What comes after: an error where something is to be tried again, else a time. */
function next(pass: Pass, { troubles, login, wanted }: Omit<Done, "storage"> & { readonly wanted: Wanted }): Next {
  const error = troubles.toError(pass.name);
  if (error !== undefined) throw error;
  if (troubles.isWaiting || login.decision?.problem !== undefined) return { requeueAfterMs: externalWaitMs };
  // Only another spec helps, and that wakes the tenant by itself.
  if (troubles.invalid !== undefined) return undefined;
  const world = lookAround(pass, wanted);
  const isShort = !wanted.isHibernated && world.redisPods.length < wanted.redis.replicas;
  const periods = [periodMs(pass), ...(isShort ? [shortPodsMs] : []), ...rotationDue(pass, wanted, login)];
  return { requeueAfterMs: Math.min(...periods) };
}

/** When the password gets too old. */
function rotationDue({ now }: Pass, wanted: Wanted, { auth }: Login): readonly number[] {
  const { rotationIntervalMs } = wanted.redis.security ?? {};
  if (auth.at !== "known" || rotationIntervalMs === undefined || auth.credentials.step !== "done") return [];
  return [Math.max(1_000, auth.credentials.rotatedAtMs + rotationIntervalMs - now)];
}

const jitterMost = 0.1;

function periodMs({ parts: { settings, random } }: Pass): number {
  return jitter(random, settings.resyncIntervalMs, jitterMost);
}
