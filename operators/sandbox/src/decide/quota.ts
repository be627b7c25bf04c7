// Decides whether the forks of a sandbox fit within its own ceilings and the quotas of the namespaces in which they run.

import { parseQuantity, type Quantity } from "@homeostat/core";
import type { SandboxReason } from "../api/sandbox.ts";
import { addUsage, type Usage } from "./usage.ts";

/** Ceilings. An absent value means no limit. */
export interface Ceilings {
  readonly cpu?: string | number | undefined;
  readonly memory?: string | number | undefined;
  readonly pods?: number | undefined;
}

/** A sandbox with forks in a namespace. */
export interface NamespaceUser {
  readonly uid: string;
  readonly createdAtMs: number;
  readonly usage: Usage;
  /** True once its forks exist. */
  readonly isRunning: boolean;
}

/** The usage of a sandbox in a namespace, with the quota and the other sandboxes there. */
export interface NamespaceShare {
  readonly namespace: string;
  readonly quota: Ceilings;
  readonly own: Usage;
  /** Other sandboxes with forks in the namespace. */
  readonly others: readonly NamespaceUser[];
}

/** Input of {@link decideQuota}. */
export interface QuotaInput {
  readonly uid: string;
  readonly createdAtMs: number;
  /** Sum over all forks of the sandbox. */
  readonly usage: Usage;
  /** `spec.resources` of the sandbox, with defaults. */
  readonly ceilings: Ceilings;
  readonly shares: readonly NamespaceShare[];
  /** True once forks exist. */
  readonly isRunning: boolean;
}

/** The result of the comparison. */
export type QuotaDecision =
  | { readonly isWithin: true }
  | {
      readonly isWithin: false;
      readonly reason: SandboxReason<"WithinQuota">;
      /** All ceilings that are exceeded. */
      readonly message: string;
      /** `refuse` before the first start: nothing is created. `keep` afterwards: forks are not changed until the problem is resolved. */
      readonly effect: "refuse" | "keep";
    };

/** Compares the usage of a sandbox with all ceilings. */
export function decideQuota(input: QuotaInput): QuotaDecision {
  const { usage, ceilings, shares, isRunning } = input;
  const effect = isRunning ? "keep" : "refuse";
  const own = excess(usage, ceilings).map((text) => `the forks of the sandbox need ${text} of spec.resources`);
  const ofNamespaces = shares.flatMap(({ namespace, quota, own: share, others }) => {
    const counted = others.filter((other) => other.isRunning || isBefore(other, input)).map((other) => other.usage);
    const sum = counted.reduce(addUsage, share);
    return excess(sum, quota).map(
      (text) => `the forks of the namespace ${namespace} need ${text} of its SandboxPolicies`,
    );
  });
  if (own.length === 0 && ofNamespaces.length === 0) return { isWithin: true };
  const reason = own.length > 0 ? "SandboxResourcesExceeded" : "NamespaceQuotaExceeded";
  const advice = isRunning
    ? "The running forks stay as they are. Lower limits or replicas, or raise the ceiling."
    : "Lower limits or replicas, raise the ceiling, or delete other sandboxes.";
  return { isWithin: false, reason, message: `${[...own, ...ofNamespaces].join("; ")}. ${advice}`, effect };
}

function excess(usage: Usage, { cpu, memory, pods }: Ceilings): string[] {
  return [
    ...quantityExcess("CPU", usage.cpu, cpu),
    ...quantityExcess("memory", usage.memory, memory),
    ...(pods !== undefined && usage.pods > pods ? [`${usage.pods} pods, more than the ${pods}`] : []),
  ];
}

function quantityExcess(name: string, used: Quantity, ceiling: string | number | undefined): string[] {
  if (ceiling === undefined) return [];
  const max = parseQuantity(String(ceiling));
  return used.isGreaterThan(max) ? [`${used.canonical()} ${name}, more than the ${max.canonical()}`] : [];
}

/** Orders sandboxes for the quota by age. If two were created in the same second, the UID decides. */
export function isBefore(
  a: { readonly uid: string; readonly createdAtMs: number },
  b: { readonly uid: string; readonly createdAtMs: number },
): boolean {
  return a.createdAtMs === b.createdAtMs ? a.uid < b.uid : a.createdAtMs < b.createdAtMs;
}

/** Limits of the number of sandboxes. */
export interface CountInput {
  readonly uid: string;
  readonly createdAtMs: number;
  /** Other sandboxes of the namespace. */
  readonly others: readonly { readonly uid: string; readonly createdAtMs: number; readonly isOfSameUser: boolean }[];
  readonly sandboxesMax: number | undefined;
  readonly perUserMax: number | undefined;
  /** True once forks exist. */
  readonly isRunning: boolean;
}

/**
 * Checks the number of sandboxes again after admission: two sandboxes that were created at the same time may both have passed it. The older ones are
 * kept, and the younger ones get the reason `Raced`.
 */
export function decideCounts(input: CountInput): QuotaDecision {
  const older = input.others.filter((other) => isBefore(other, input));
  const { sandboxesMax = Infinity, perUserMax = Infinity } = input;
  const ofUser = older.filter(({ isOfSameUser }) => isOfSameUser).length;
  const texts = [
    ...(older.length >= sandboxesMax ? [`the namespace may have ${sandboxesMax} sandboxes`] : []),
    ...(ofUser >= perUserMax ? [`its user may have ${perUserMax} sandboxes in the namespace`] : []),
  ];
  if (texts.length === 0) return { isWithin: true };
  const message = `${texts.join("; ")}, and older sandboxes use the whole quota. Delete one of them or this one.`;
  return { isWithin: false, reason: "Raced", message, effect: input.isRunning ? "keep" : "refuse" };
}
