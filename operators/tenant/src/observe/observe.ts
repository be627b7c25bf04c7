// The observed state of a tenant: everything from the cache, except for the events of a StatefulSet that gets no pods.

import type { DeepReadonly } from "homeostat";
import { parseTime } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Event, type PersistentVolumeClaim, type Pod, type ResourceQuota } from "@homeostat/kubernetes/core/v1";
import { rolloutOf } from "@homeostat/runtime";
import { labels } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { TenantStatus } from "../api/tenant.ts";
import { apps, type Workload } from "../build/objects.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import type { ComponentProblem, ObservedComponent } from "../status/component.ts";
import type { Context } from "./kinds.ts";
import { deploymentProblem, podProblem, refusedPods } from "./pod-problems.ts";

/** The workloads of a tenant, their pods (terminating ones included) and claims, and its quota. */
export interface Observed {
  readonly redis: DeepReadonly<StatefulSet> | undefined;
  readonly redisPods: readonly DeepReadonly<Pod>[];
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  readonly server: DeepReadonly<Deployment> | undefined;
  readonly serverPods: readonly DeepReadonly<Pod>[];
  readonly quota: DeepReadonly<ResourceQuota> | undefined;
}

/** The parts of a reconcile that observation reads. */
export interface ObserveScope {
  readonly runtime: Pick<Context, "client" | "owned" | "signal" | "watched">;
  readonly name: string;
  /** The namespace of the tenant, which may not exist yet. */
  readonly namespace: string;
  /** The API server's time at the start of the reconcile. */
  readonly now: number;
  /** The status before this reconcile. */
  readonly status: DeepReadonly<TenantStatus>;
  readonly resolved: ResolvedTenant;
}

/** Reads a tenant's objects from the cache. Own writes of this reconcile are visible. */
export function observe({ runtime: { owned, watched }, name, namespace }: ObserveScope): Observed {
  const podsOf = (component: Workload): readonly DeepReadonly<Pod>[] =>
    watched.pods.list({ namespace, labels: `${labels.app}=${apps[component]},${labels.tenant}=${name}` });
  const claimPrefix = `redis-data-${names.redis(name)}-`;
  return {
    redis: owned.statefulSets.get({ namespace, name: names.redis(name) }),
    redisPods: podsOf("redis"),
    claims: watched.claims.list({ namespace }).filter(({ metadata }) => metadata.name.startsWith(claimPrefix)),
    server: owned.deployments.get({ namespace, name: names.server(name) }),
    serverPods: podsOf("server"),
    quota: owned.resourceQuotas.get({ namespace, name: names.quota }),
  };
}

/** Problems of a component that its own objects do not show. */
export type KnownProblems = Pick<ObservedComponent, "refused" | "waitsFor">;

export async function observeRedis(
  context: ObserveScope,
  observed: Observed,
  known: KnownProblems,
): Promise<ObservedComponent> {
  const { redis, redisPods, claims } = observed;
  const found = podProblem(redisPods, claims, context.now);
  // The Redis container refers to nothing but the operator's own Secret and ConfigMap.
  const problem = found?.reason === "MissingReference" ? { ...found, reason: "SecretNotFound" as const } : found;
  const blocked = (await refusalOf(context, observed)) ?? blocking(problem);
  return componentOf(context, "redis", { workload: redis, pods: redisPods, problem, blocked, known });
}

export function observeServer(context: ObserveScope, observed: Observed, known: KnownProblems): ObservedComponent {
  const { server, serverPods } = observed;
  const problem = podProblem(serverPods, [], context.now);
  const blocked = blocking(problem) ?? deploymentProblem(server);
  return componentOf(context, "server", { workload: server, pods: serverPods, problem, blocked, known });
}

interface ComponentInput {
  readonly workload: Observed["redis"] | Observed["server"];
  readonly pods: readonly unknown[];
  readonly problem: ComponentProblem | undefined;
  readonly blocked: ComponentProblem | undefined;
  readonly known: KnownProblems;
}

function componentOf(
  { resolved, status }: ObserveScope,
  component: Workload,
  { workload, pods, problem, blocked, known: { refused, waitsFor = problem } }: ComponentInput,
): ObservedComponent {
  const desired = resolved.isHibernated ? 0 : resolved[component].replicas;
  return {
    title: component === "redis" ? "Redis" : "Server",
    ...rolloutOf(workload, desired),
    desired,
    pods: pods.length,
    previousPhase: status[`${component}Status`]?.phase,
    blocked,
    waitsFor,
    refused,
  };
}

function blocking(problem: ReturnType<typeof podProblem>): ComponentProblem | undefined {
  return problem?.isBlocking === true ? problem : undefined;
}

/**
 * Reports whether Redis has fewer pods than desired.
 *
 * If the StatefulSet reports all replicas as ready, only the cache of pods is behind.
 */
export function isShortOfPods(
  {
    resolved: {
      isHibernated,
      redis: { replicas },
    },
  }: ObserveScope,
  { redis, redisPods }: Pick<Observed, "redis" | "redisPods">,
): boolean {
  return !isHibernated && redisPods.length < replicas && (redis?.status?.readyReplicas ?? 0) < replicas;
}

/** A StatefulSet does not report why it has too few pods. After this time its events are read. */
export const shortPodsMs = 60_000;

async function refusalOf(context: ObserveScope, observed: Observed): Promise<ComponentProblem | undefined> {
  const { client, signal } = context.runtime;
  const { redis } = observed;
  const since = context.status.redisStatus?.lastTransitionTime;
  const isLong = since !== undefined && context.now - parseTime(since) >= shortPodsMs;
  if (redis === undefined || !isLong || !isShortOfPods(context, observed)) return undefined;
  const { namespace, name = "" } = redis.metadata;
  const fieldSelector = `involvedObject.kind=StatefulSet,involvedObject.name=${name},type=Warning`;
  const { items } = await client.list(Event, { namespace, fieldSelector, limit: 50, signal });
  return refusedPods(redis, items);
}
