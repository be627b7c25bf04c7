// Combination of the SandboxPolicies of a namespace.
//
// A policy that does not set a field does not affect it. If any policy denies something, it is denied; otherwise it is allowed if at least one policy
// allows it. The lowest limit applies. If no policy sets a field, its default applies.

import { type DeepReadonly, parseQuantity, type Quantity } from "@homeostat/core";
import { quantityIn } from "@homeostat/schema";
import { durationSeconds } from "../api/duration.ts";
import { forbiddenNamespaces, labels as labelKeys } from "../api/identity.ts";
import type {
  CachedSandboxPolicy,
  InterceptionPolicy,
  NamespaceRule,
  SandboxPolicySpec,
  TargetRule,
} from "../api/sandbox-policy.ts";

/** A namespace and its policies. */
export interface NamespacePolicies {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly policies: readonly CachedSandboxPolicy[];
}

/** Limits of a namespace. */
export interface Quota {
  readonly sandboxes: number;
  readonly perUser: number;
  readonly cpu: Quantity;
  readonly memory: Quantity;
  readonly pods: number;
}

/** The reason why a namespace cannot be used. */
export type Unusable = "NamespaceForbidden" | "NamespaceNotEnabled" | "PolicyDisabled";

/** The combination of all policies of a namespace. */
export interface EffectivePolicy {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the policies, sorted. */
  readonly policies: readonly string[];
  /** Absent if workloads of the namespace can be forked. */
  readonly unusable: Unusable | undefined;
  /** Absent if all workloads are allowed. */
  readonly allowedTargets: readonly DeepReadonly<TargetRule>[] | undefined;
  readonly deniedTargets: readonly DeepReadonly<TargetRule>[];
  readonly allowedFromNamespaces: readonly DeepReadonly<NamespaceRule>[];
  /** Absent if all images are allowed. */
  readonly allowedImages: readonly string[] | undefined;
  readonly allowPatchPaths: readonly string[];
  readonly denyPatchPaths: readonly string[];
  readonly allowLocal: boolean;
  readonly allowPublicEndpoints: boolean;
  /** Absent for Services of the namespace. */
  readonly outboundAllow: readonly string[] | undefined;
  readonly provisionServiceAccounts: readonly string[];
  readonly quota: Quota;
  /** Absent if only the configuration of the operator limits the lifetime. */
  readonly maxTtlSeconds: number | undefined;
  readonly interception: InterceptionPolicy;
}

const defaults = {
  sandboxes: 50,
  perUser: 5,
  cpu: "20",
  memory: "20Gi",
  pods: 100,
} as const;

/** Combines the policies of a namespace. */
export function combinePolicies({ name, labels, policies }: NamespacePolicies): EffectivePolicy {
  const sorted = policies.toSorted((a, b) => compareTexts(a.metadata.name ?? "", b.metadata.name ?? ""));
  const specs = sorted.map(({ spec }) => spec);
  return {
    namespace: name,
    labels,
    policies: sorted.map(({ metadata }) => metadata.name ?? ""),
    unusable: unusable({ name, labels, specs }),
    allowedTargets: union(specs.map((spec) => spec.allowedTargets)),
    deniedTargets: union(specs.map((spec) => spec.deniedTargets)) ?? [],
    allowedFromNamespaces: union(specs.map((spec) => spec.allowedFromNamespaces)) ?? [],
    allowedImages: union(specs.map((spec) => spec.allowedImages)),
    allowPatchPaths: union(specs.map((spec) => spec.allowPatchPaths)) ?? [],
    denyPatchPaths: union(specs.map((spec) => spec.denyPatchPaths)) ?? [],
    allowLocal: allowed(specs, "allowLocal") ?? true,
    allowPublicEndpoints: allowed(specs, "allowPublicEndpoints") ?? false,
    outboundAllow: union(specs.map((spec) => spec.outboundAllow)),
    provisionServiceAccounts: union(specs.map((spec) => spec.provisionServiceAccounts)) ?? [],
    quota: lowestQuota(specs),
    maxTtlSeconds: lowest(specs.map(({ maxTTL }) => (maxTTL === undefined ? undefined : durationSeconds(maxTTL)))),
    interception: specs.find(({ interception }) => interception !== undefined)?.interception ?? "Auto",
  };
}

type Spec = DeepReadonly<SandboxPolicySpec>;

function unusable({
  name,
  labels,
  specs,
}: {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly specs: readonly Spec[];
}): Unusable | undefined {
  if (forbiddenNamespaces.includes(name)) return "NamespaceForbidden";
  if (specs.length === 0) return labels[labelKeys.enabled] === "true" ? undefined : "NamespaceNotEnabled";
  return allowed(specs, "enabled") === false ? "PolicyDisabled" : undefined;
}

/** Returns the entries of all lists that are set; undefined if none is. */
function union<T>(lists: readonly (readonly T[] | undefined)[]): readonly T[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  return given.length === 0 ? undefined : given.flat();
}

/** Returns false if a policy denies it, true if one allows it, undefined if none sets it. */
function allowed(
  specs: readonly Spec[],
  field: "allowLocal" | "allowPublicEndpoints" | "enabled",
): boolean | undefined {
  const values = specs.map((spec) => spec[field]);
  if (values.includes(false)) return false;
  return values.includes(true) ? true : undefined;
}

function lowestQuota(specs: readonly Spec[]): Quota {
  const quotas = specs.map(({ quota }) => quota ?? {});
  return {
    sandboxes: lowest(quotas.map((quota) => quota.sandboxes)) ?? defaults.sandboxes,
    perUser: lowest(quotas.map((quota) => quota.perUser)) ?? defaults.perUser,
    cpu: lowestAmount(quotas.map((quota) => quota.cpu)) ?? parseQuantity(defaults.cpu),
    memory: lowestAmount(quotas.map((quota) => quota.memory)) ?? parseQuantity(defaults.memory),
    pods: lowest(quotas.map((quota) => quota.pods)) ?? defaults.pods,
  };
}

function lowest(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

function lowestAmount(values: readonly (number | string | undefined)[]): Quantity | undefined {
  return values
    .map(quantityIn)
    .filter((amount) => amount !== undefined)
    .reduce<Quantity | undefined>(
      (least, each) => (least === undefined || each.isLessThan(least) ? each : least),
      undefined,
    );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
