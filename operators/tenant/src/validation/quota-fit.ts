import { type Quantity, quantityFromJSON } from "@homeostat/core";
import type { Wanted } from "../build/resolved-tenant.ts";
import { invalid, type Problem } from "./problem.ts";

type Amount = string | number | undefined;

/** What a tenant's own pods do not fit into: the rows of its quota, each with what is needed and what is allowed. */
export function* quotaFitProblems(wanted: Wanted): Iterable<Problem> {
  const { quota, redis } = wanted;
  if (quota === undefined) return;
  const needs: Readonly<Record<string, Quantity>> = {
    "requests.cpu": podsNeed(wanted, "requests", "cpu"),
    "limits.cpu": podsNeed(wanted, "limits", "cpu"),
    "requests.memory": podsNeed(wanted, "requests", "memory"),
    "limits.memory": podsNeed(wanted, "limits", "memory"),
    ...(redis.isPersistent && { "requests.storage": quantityFromJSON(redis.storage).times(redis.replicas) }),
    pods: quantityFromJSON(serverPods(wanted) + redis.replicas),
  };
  for (const [row, need] of Object.entries(needs)) {
    const allowed = quota.hard[row];
    if (allowed === undefined || !need.isGreaterThan(quantityFromJSON(allowed))) continue;
    const path = row === "pods" ? "spec.quota.counts[pods]" : "spec.resources";
    const what = row === "requests.storage" ? "Redis needs" : "server and Redis need";
    yield invalid(path, allowed, `${what} ${need.canonical()} of ${row}, only ${allowed} allowed`);
  }
}

function podsNeed(wanted: Wanted, side: "limits" | "requests", name: "cpu" | "memory"): Quantity {
  const { server, redis } = wanted;
  const one = (resources: Wanted["server"]["resources"] | undefined): Quantity => amount(resources?.[side]?.[name]);
  const perRedis = one(redis.resources).add(one(redis.exporter?.resources));
  return one(server.resources).times(serverPods(wanted)).add(perRedis.times(redis.replicas));
}

function amount(value: Amount): Quantity {
  return quantityFromJSON(value ?? 0);
}

/** As many pods of the server as there are at most, while new ones take the place of old ones. */
function serverPods({ server: { replicas, strategy } }: Wanted): number {
  if (strategy.type === "Recreate") return replicas;
  const { maxSurge } = strategy;
  if (typeof maxSurge === "number") return replicas + maxSurge;
  return replicas + Math.ceil((replicas * Number.parseInt(maxSurge, 10)) / 100);
}
