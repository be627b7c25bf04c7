// What can be seen of a tenant: everything from the cache, but for the events of a Redis that does not get its pods.

import { type DeepReadonly, isQuantity, quantityFromJSON, parseTime } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Event, type PersistentVolumeClaim, type Pod, type ResourceQuota } from "@homeostat/kubernetes/core/v1";
import { labels } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { apps } from "../build/objects.ts";
import type { Wanted } from "../build/resolved-tenant.ts";
import type { ComponentView, Obstacle } from "../status/component.ts";
import type { Told } from "../status/derive.ts";
import { podObstacle } from "./pod-problems.ts";
import { deploymentNumbers, deploymentObstacle, refusalOf, statefulSetNumbers } from "./workloads.ts";
import type { Pass } from "../reconcile/pass.ts";

/** The workloads of a tenant and what belongs to them. */
export interface World {
  readonly redis: DeepReadonly<StatefulSet> | undefined;
  readonly redisPods: readonly DeepReadonly<Pod>[];
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  readonly server: DeepReadonly<Deployment> | undefined;
  readonly serverPods: readonly DeepReadonly<Pod>[];
}

/** What the cache has of a tenant's workloads. */
export function lookAround({ context: { watched } }: Pass, { name, namespace }: Wanted): World {
  const podsOf = (component: "redis" | "server"): readonly DeepReadonly<Pod>[] =>
    watched.pods.list({ namespace, labels: `${labels.app}=${apps[component]},${labels.tenant}=${name}` });
  const claimStart = `redis-data-${names.redis(name)}-`;
  return {
    redis: watched.statefulSets.get({ namespace, name: names.redis(name) }),
    redisPods: podsOf("redis"),
    claims: watched.claims.list({ namespace }).filter(({ metadata }) => metadata.name.startsWith(claimStart)),
    server: watched.deployments.get({ namespace, name: names.server(name) }),
    serverPods: podsOf("server"),
  };
}

/** What keeps the two components from being made as they should be, and what they wait for. */
export interface Obstacles {
  readonly refused?: Obstacle | undefined;
  readonly waitsFor?: Obstacle | undefined;
}

/** What can be seen of Redis. */
export async function redisView(pass: Pass, wanted: Wanted, world: World, found: Obstacles): Promise<ComponentView> {
  const replicas = wanted.isHibernated ? 0 : wanted.redis.replicas;
  const numbers = statefulSetNumbers(world.redis, replicas);
  const ofPods = podObstacle(world.redisPods, world.claims, pass.now);
  // A container of Redis refers to nothing but our own Secret and ConfigMap.
  const obstacle = ofPods?.reason === "MissingReference" ? { ...ofPods, reason: "SecretNotFound" as const } : ofPods;
  const isShort = world.redis !== undefined && world.redisPods.length < replicas;
  const refused = isShort && isOld(pass, pass.before.redisStatus) ? await refusedPods(pass, wanted) : undefined;
  return {
    title: "Redis",
    ...numbers,
    wanted: replicas,
    pods: world.redisPods.length,
    before: pass.before.redisStatus?.phase,
    blocked: refused ?? (obstacle?.isBlocking === true ? obstacle : undefined),
    waitsFor: found.waitsFor ?? obstacle,
    refused: found.refused,
  };
}

/** What can be seen of the server. */
export function serverView(pass: Pass, wanted: Wanted, world: World, found: Obstacles): ComponentView {
  const replicas = wanted.isHibernated ? 0 : wanted.server.replicas;
  const obstacle = podObstacle(world.serverPods, [], pass.now);
  return {
    title: "Server",
    ...deploymentNumbers(world.server, replicas),
    wanted: replicas,
    pods: world.serverPods.length,
    before: pass.before.serverStatus?.phase,
    blocked: (obstacle?.isBlocking === true ? obstacle : undefined) ?? deploymentObstacle(world.server),
    waitsFor: found.waitsFor ?? obstacle,
    refused: found.refused,
  };
}

/** A StatefulSet does not say why it has too few pods; after so long its events are asked. */
export const shortPodsMs = 60_000;

function isOld({ now }: Pass, status: { readonly lastTransitionTime?: string | undefined } | undefined): boolean {
  const since = status?.lastTransitionTime;
  return since !== undefined && now - parseTime(since) >= shortPodsMs;
}

/** Why a StatefulSet gets no pods, by its events; undefined when they do not tell. */
async function refusedPods({ context: { client, signal } }: Pass, wanted: Wanted): Promise<Obstacle | undefined> {
  const name = names.redis(wanted.name);
  const fields = `involvedObject.kind=StatefulSet,involvedObject.name=${name},type=Warning`;
  const { items } = await client.list(Event, { namespace: wanted.namespace, fieldSelector: fields, limit: 50, signal });
  const told = items.toReversed().flatMap(({ message = "" }) => refusalOf(message) ?? []);
  return told[0];
}

/** Above this, a quota is nearly used up. */
const pressureAbove = 0.9;

/** How much of a quota is used, by resource, from 0 to 1. */
export function quotaUse(quota: DeepReadonly<ResourceQuota> | undefined): ReadonlyMap<string, number> {
  const { hard = {}, used = {} } = quota?.status ?? {};
  const ratios = Object.keys(hard).flatMap((resource): (readonly [string, number])[] => {
    const [most, now] = [numberOf(hard[resource]), numberOf(Object.hasOwn(used, resource) ? used[resource] : "0")];
    return most === undefined || now === undefined || most <= 0 ? [] : [[resource, now / most]];
  });
  return new Map(ratios);
}

/** What the condition about the quota says; undefined when there is none. */
export function quotaCondition(
  quota: DeepReadonly<ResourceQuota> | undefined,
  use: ReadonlyMap<string, number>,
): Told<"QuotaPressure"> | undefined {
  if (quota === undefined) return undefined;
  const pressed = [...use].filter(([, ratio]) => ratio > pressureAbove);
  if (pressed.length === 0) return { status: false, reason: "WithinQuota", message: "The quota is not used up" };
  const told = pressed.map(([resource, ratio]) => `${resource} ${Math.floor(ratio * 100)}%`).toSorted();
  return { status: true, reason: "AboveThreshold", message: `The quota is nearly used up: ${told.join(", ")}` };
}

function numberOf(amount: string | number | undefined): number | undefined {
  if (amount === undefined || (typeof amount === "string" && !isQuantity(amount))) return undefined;
  return quantityFromJSON(amount).asApproximateNumber();
}
