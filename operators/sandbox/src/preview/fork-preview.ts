// Forks that the operator would derive for the entries of a Sandbox.

import type { DeepReadonly } from "@homeostat/core";
import type { CachedSandbox, ServiceEntry } from "../api/sandbox.ts";
import type { Baseline } from "../build/baseline.ts";
import { deriveFork, type DerivedFork } from "../build/derive-fork.ts";
import type { EnvSources } from "../build/env.ts";
import { chooseServices, forkAddress } from "../build/fork-services.ts";
import { hookName } from "../build/provision.ts";
import { isRefusal, type Refusal } from "../build/refusal.ts";
import type { CachedService, ServiceView } from "../build/service-view.ts";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import type { OperatorConfig } from "../settings/config.ts";
import type { ObjectProblem } from "../validation/problem.ts";

/** Objects of the cluster that a preview depends on. */
export interface PreviewWorld {
  /** Returns the workload of an entry; undefined if it does not exist or has no pod template. */
  baselineOf(entry: DeepReadonly<ServiceEntry>): Baseline | undefined;
  /** Returns all Services of a namespace. */
  servicesOf(namespace: string): readonly CachedService[];
  policyOf(namespace: string): Pick<EffectivePolicy, "allowPatchPaths" | "denyPatchPaths"> | undefined;
}

/** Preview of one entry: its fork or its Services. */
export interface EntryPreview {
  readonly entry: DeepReadonly<ServiceEntry>;
  /** The field of the entry: `spec.services[0]`. */
  readonly path: string;
  /** The fork of an entry with the mode Fork, or the refusal to derive it; undefined without a baseline, and for other modes. */
  readonly fork: DerivedFork | Refusal | undefined;
  /** Services of the baseline whose requests an entry with another mode gets. */
  readonly services: readonly ServiceView[];
}

/** The routing key in a preview of a sandbox for which the operator has not generated one yet. */
export const unknownKey = "<generated>";

/**
 * Returns a sandbox with the identity that forks are derived from. An object that is not stored yet may lack a namespace, a UID, and the
 * name that the API server generates.
 */
export function withIdentity(sandbox: CachedSandbox, namespace: string): CachedSandbox {
  const { metadata } = sandbox;
  const { uid = "00000000-0000-0000-0000-000000000000" } = metadata;
  const name = metadata.name ?? `${metadata.generateName ?? ""}generated`;
  return { ...sandbox, metadata: { ...metadata, name, namespace, uid } };
}

/** Derives the forks and Services that the operator would create for the entries at these positions. The sandbox must have an identity. */
export function previewEntries(
  sandbox: CachedSandbox,
  {
    indexes = sandbox.spec.services.keys(),
    routingKey,
    world,
    config,
  }: {
    readonly indexes?: Iterable<number>;
    readonly routingKey: string;
    readonly world: PreviewWorld;
    readonly config: Pick<OperatorConfig, "limits">;
  },
): EntryPreview[] {
  const sources = sourcesOf(sandbox, routingKey, world);
  const { cpu, memory } = config.limits.containerResources;
  return [...indexes].flatMap((index): EntryPreview[] => {
    const entry = sandbox.spec.services[index];
    if (entry === undefined) return [];
    const baseline = world.baselineOf(entry);
    const preview = { entry, path: `spec.services[${index}]` };
    if (baseline === undefined) return [{ ...preview, fork: undefined, services: [] }];
    const services = world.servicesOf(baseline.namespace);
    if (entry.mode !== "Fork") {
      const chosen = chooseServices({ baseline, entry, services });
      return [{ ...preview, fork: undefined, services: "problems" in chosen ? [] : chosen }];
    }
    const fork = deriveFork({
      baseline,
      sandbox,
      entry,
      routingKey,
      services,
      claims: new Map(),
      sources,
      policy: world.policyOf(baseline.namespace) ?? { allowPatchPaths: [], denyPatchPaths: [] },
      defaultLimits: { cpu: cpu.canonical(), memory: memory.canonical() },
      isAsleep: sandbox.spec.suspend || sandbox.spec.idle.startIdle,
    });
    return [{ ...preview, fork, services: [] }];
  });
}

/** Returns the values that variables of entries refer to, as if all hooks had run. */
function sourcesOf(sandbox: CachedSandbox, routingKey: string, world: PreviewWorld): EnvSources {
  const { services, provision } = sandbox.spec;
  const addresses = services.flatMap((entry) => {
    const baseline = entry.mode === "Fork" ? world.baselineOf(entry) : undefined;
    if (baseline === undefined) return [];
    const input = { baseline, entry, services: world.servicesOf(baseline.namespace) };
    const address = forkAddress({ sandbox, entry: entry.name, routingKey }, input);
    return address === undefined ? [] : [[entry.name, address] as const];
  });
  return {
    addresses: new Map(addresses),
    outputs: new Map(
      provision.map(({ name, outputs: keys }) => [name, { secretName: hookName(sandbox, name, "create"), keys }]),
    ),
  };
}

/** Returns the changes of patches that the guard forbids, as denials. */
export function guardDenials(previews: readonly EntryPreview[]): ObjectProblem[] {
  return previews.flatMap(({ entry, path, fork }) => {
    if (fork === undefined || !isRefusal(fork) || fork.reason !== "PatchForbidden") return [];
    return fork.problems.map((problem) => ({
      path: problem.path.replace(`spec.services[${entry.name}]`, path),
      code: "PatchForbidden",
      message: problem.message,
      reason: "FieldValueForbidden" as const,
    }));
  });
}

/** Returns other problems that would prevent the fork of an entry, as warnings. The sandbox is admitted, because its baseline may change. */
export function forkWarnings(previews: readonly EntryPreview[]): { readonly path: string; readonly message: string }[] {
  return previews.flatMap(({ entry, path, fork }) => {
    if (fork === undefined || !isRefusal(fork) || fork.reason === "PatchForbidden") return [];
    return fork.problems.map((problem) => ({
      path: problem.path.replace(`spec.services[${entry.name}]`, path),
      message: `no fork can be created: ${problem.message}`,
    }));
  });
}
