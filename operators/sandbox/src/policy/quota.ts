// Quota: what sandboxes use, and whether that is within their limits.

import { type DeepReadonly, parseQuantity, type Quantity } from "@homeostat/core";
import { quantityIn } from "@homeostat/schema";
import type { ComputeAmounts } from "../settings/config.ts";

/** CPU, memory and pods. */
export interface Usage extends ComputeAmounts {
  readonly pods: number;
}

export const noUsage: Usage = { cpu: parseQuantity("0"), memory: parseQuantity("0"), pods: 0 };

/** Returns the sum of usages. */
export function sumUsage(usages: Iterable<Usage>): Usage {
  let sum = noUsage;
  for (const { cpu, memory, pods } of usages) {
    sum = { cpu: sum.cpu.add(cpu), memory: sum.memory.add(memory), pods: sum.pods + pods };
  }
  return sum;
}

/** Limits and requests of a container, as in a pod template. */
export interface ContainerResources {
  readonly limits?: Readonly<Record<string, number | string>> | undefined;
  readonly requests?: Readonly<Record<string, number | string>> | undefined;
}

/** Limit and request of one resource of a container of a fork. */
export interface ForkAmount {
  readonly limit: Quantity;
  /** Absent if the container requests nothing. */
  readonly request: Quantity | undefined;
}

/**
 * Returns limit and request of a container of a fork for one resource: without a limit, the limit is the request, or the configured
 * default. A request above the limit is lowered to it.
 */
export function forkAmount(
  resource: keyof ComputeAmounts,
  { limits, requests }: DeepReadonly<ContainerResources>,
  defaults: ComputeAmounts,
): ForkAmount {
  const request = quantityIn(requests?.[resource]);
  const limit = quantityIn(limits?.[resource]) ?? request ?? defaults[resource];
  return { limit, request: request !== undefined && request.isGreaterThan(limit) ? limit : request };
}

/** Returns what a fork may use: the sum of the limits of its containers, times its replicas. */
export function forkUsage(
  containers: readonly DeepReadonly<ContainerResources>[],
  { replicas, defaults }: { readonly replicas: number; readonly defaults: ComputeAmounts },
): Usage {
  const sum = (resource: keyof ComputeAmounts): Quantity =>
    containers
      .map((container) => forkAmount(resource, container, defaults).limit)
      .reduce((total, limit) => total.add(limit), noUsage[resource])
      .times(replicas);
  return { cpu: sum("cpu"), memory: sum("memory"), pods: replicas };
}

/** A resource of which more is used than the limit allows. */
export interface Excess {
  readonly resource: keyof Usage;
  readonly used: string;
  readonly limit: string;
}

/** Returns the resources of which more is used than allowed. */
export function excessOf(used: Usage, limit: Usage): readonly Excess[] {
  const amounts = (["cpu", "memory"] as const)
    .filter((resource) => used[resource].isGreaterThan(limit[resource]))
    .map((resource) => ({ resource, used: used[resource].toString(), limit: limit[resource].toString() }));
  const pods =
    used.pods > limit.pods ? [{ resource: "pods" as const, used: String(used.pods), limit: String(limit.pods) }] : [];
  return [...amounts, ...pods];
}

/** Returns an excess as text: `cpu 3 of 2`. */
export function describeExcess({ resource, used, limit }: Excess): string {
  return `${resource} ${used} of ${limit}`;
}

/** A sandbox as counting sees it. */
export interface CountedSandbox {
  readonly uid: string;
  readonly createdBy: string;
  /** Creation time in RFC 3339. */
  readonly createdAt: string;
}

/** The limit of sandboxes that one exceeds. */
export type CountExcess = "sandboxes" | "perUser";

/**
 * Returns the limits that a stored sandbox exceeds by its rank: two creations can race past admission, and then the later one must
 * give way, in all replicas the same one. The earlier creation time wins, then the lower UID.
 */
export function countExcess(
  sandbox: CountedSandbox,
  all: Iterable<CountedSandbox>,
  quota: { readonly sandboxes: number; readonly perUser: number },
): readonly CountExcess[] {
  let before = 0;
  let beforeOfUser = 0;
  for (const other of all) {
    if (other.uid === sandbox.uid || !isBefore(other, sandbox)) continue;
    before += 1;
    if (other.createdBy === sandbox.createdBy) beforeOfUser += 1;
  }
  return [
    ...(before >= quota.sandboxes ? ["sandboxes" as const] : []),
    ...(beforeOfUser >= quota.perUser ? ["perUser" as const] : []),
  ];
}

function isBefore(a: CountedSandbox, b: CountedSandbox): boolean {
  return a.createdAt === b.createdAt ? a.uid < b.uid : a.createdAt < b.createdAt;
}
