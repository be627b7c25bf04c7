// Examines the entries of a sandbox: their baselines, the forks derived from them, and the existing forks.

import type { DeepReadonly, Stored } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import { podProblems } from "@homeostat/runtime";
import { annotations } from "../api/identity.ts";
import { forkName } from "../api/names.ts";
import { entryReplicas, type ServiceEntry } from "../api/sandbox.ts";
import type { Baseline } from "../build/baseline.ts";
import { deriveFork, type DerivedFork } from "../build/derive-fork.ts";
import type { EntryAddress } from "../build/env.ts";
import { buildForkServices, chooseServices, forkAddress, type ForkServices } from "../build/fork-services.ts";
import { type ForkState, forkAtStep, readForkState } from "../build/fork-state.ts";
import { baselineHash } from "../build/hashes.ts";
import { isRefusal, type Refusal } from "../build/refusal.ts";
import type { CachedService, ServiceView } from "../build/service-view.ts";
import type { ForkedFrom } from "../build/stored-fork.ts";
import type { ForkDeployment } from "../build/unpatched-fork.ts";
import { decideDrift, type DriftDecision } from "../decide/drift.ts";
import { decideForkState, type ForkHealth } from "../decide/entry-state.ts";
import type { IdleDecision } from "../decide/idle.ts";
import { claimModes, findBaseline } from "../observe/baselines.ts";
import { type Target, targetOf } from "../observe/kinds.ts";
import { policyOf } from "./policies.ts";
import type { Provision } from "./provision.ts";
import { identityOf, type SandboxContext } from "./sandbox-context.ts";

/** The current baseline workload of an entry. */
interface EntryBaseline {
  readonly entry: DeepReadonly<ServiceEntry>;
  readonly target: Target;
  readonly baseline: Baseline | undefined;
  /** All Services in the namespace of the workload, except those of the operator. */
  readonly services: readonly CachedService[];
}

/** An entry with the mode Fork, before anything is applied. */
export interface ExaminedFork extends EntryBaseline {
  readonly mode: "Fork";
  readonly name: string;
  readonly live: Stored<Deployment> | undefined;
  readonly derived: DerivedFork | Refusal | undefined;
  /** The state of the baseline; undefined if it does not exist. */
  readonly baselineState: ForkedFrom | undefined;
  readonly decision: DriftDecision;
  readonly health: ForkHealth;
  /** The fork to apply; undefined if the live one stays as it is. */
  readonly deployment: ForkDeployment | undefined;
  /** The Services to apply; undefined if the live ones stay as they are. */
  readonly forkServices: ForkServices | undefined;
  /** Replicas of the entry while it is awake. */
  readonly replicas: number;
}

/** An entry without a fork. */
export interface ExaminedOther extends EntryBaseline {
  readonly mode: "Local" | "Virtual";
  /** Services of the baseline that the entry overrides. */
  readonly chosen: readonly ServiceView[] | Refusal;
}

export type ExaminedEntry = ExaminedFork | ExaminedOther;

/** Input of {@link examineEntries}. */
export interface ExamineInput {
  readonly routingKey: string;
  readonly provision: Provision;
  readonly idle: IdleDecision;
}

/** Examines all entries. */
export async function examineEntries(context: SandboxContext, input: ExamineInput): Promise<readonly ExaminedEntry[]> {
  const found: EntryBaseline[] = [];
  for (const entry of context.sandbox.spec.services) {
    const target = targetOf(entry, context.sandbox);
    found.push({
      entry,
      target,
      baseline: await findBaseline(context.runtime, target),
      services: context.runtime.watched.baselineServices.by("baselineNamespace", target.namespace),
    });
  }
  const addresses = forkAddresses(context, input.routingKey, found);
  return found.map((each) => {
    const { mode } = each.entry;
    return mode === "Fork"
      ? examineFork(context, each, { ...input, addresses })
      : { ...each, mode, chosen: chosenServices(each) };
  });
}

/** Returns the addresses that variables of other entries can refer to. */
function forkAddresses(
  { sandbox }: SandboxContext,
  routingKey: string,
  entries: readonly EntryBaseline[],
): ReadonlyMap<string, EntryAddress> {
  return new Map(
    entries.flatMap(({ entry, baseline, services }) => {
      if (baseline === undefined || entry.mode !== "Fork") return [];
      const address = forkAddress({ sandbox, entry: entry.name, routingKey }, { baseline, entry, services });
      return address === undefined ? [] : [[entry.name, address] as const];
    }),
  );
}

function chosenServices({ baseline, entry, services }: EntryBaseline): readonly ServiceView[] | Refusal {
  return baseline === undefined ? [] : chooseServices({ baseline, entry, services });
}

interface ForkExamination extends ExamineInput {
  readonly addresses: ReadonlyMap<string, EntryAddress>;
}

function examineFork(context: SandboxContext, found: EntryBaseline, input: ForkExamination): ExaminedFork {
  const { sandbox, runtime, config, now } = context;
  const { entry, target, baseline, services } = found;
  const { idle, routingKey } = input;
  const isAsleep = idle.state !== "awake";
  const name = forkName(identityOf(sandbox), entry.name, target);
  const live = runtime.owned.forks.get({ namespace: target.namespace, name });
  const fork: ForkState | undefined = live && readForkState(live);
  const { limits } = config;
  const derived =
    baseline &&
    deriveFork({
      baseline,
      sandbox,
      entry,
      routingKey,
      services,
      claims: claimModes(runtime, baseline),
      sources: { outputs: input.provision.outputs, addresses: input.addresses },
      policy: policyOf(context, target.namespace),
      defaultLimits: {
        cpu: limits.containerResources.cpu.canonical(),
        memory: limits.containerResources.memory.canonical(),
      },
      isAsleep,
    });
  const baselineState = baseline && {
    uid: baseline.uid,
    generation: baseline.generation,
    templateHash: baselineHash(baseline, entry, services),
  };
  const replicas = entryReplicas(entry);
  const health = healthOf(context, { name, live, replicas: isAsleep ? 0 : replicas });
  const recorded = context.status.services?.find((state) => state.name === entry.name);
  const decision = decideDrift({
    entry,
    fork,
    state: health.state,
    awakeSinceMs: isAsleep ? undefined : context.createdAt,
    derived,
    baseline: baselineState,
    baselineSinceMs: context.dependencies.baselineTimes.since(
      `${sandbox.metadata.uid}/${entry.name}`,
      `${baselineState?.uid ?? ""}/${baselineState?.templateHash ?? ""}`,
      now,
    ),
    recordedGeneration: recorded?.baseline?.generation,
    rebaseRequest: sandbox.metadata.annotations?.[annotations.rebase],
    settings: {
      debounceMs: config.drift.debounceSeconds * 1_000,
      minIntervalMs: config.drift.minIntervalSeconds * 1_000,
    },
    nowMs: now,
  });
  const deployment =
    decision.step === "none"
      ? undefined
      : forkAtStep(decision.step, {
          place: { sandbox, name, namespace: target.namespace },
          live,
          replicas: isAsleep ? 0 : replicas,
          derived: derived === undefined || isRefusal(derived) ? undefined : derived,
          baselineHash: baselineState?.templateHash,
          nowMs: now,
        });
  const forkServices = servicesOf(context, found, { name, routingKey, deployment });
  return {
    ...found,
    mode: "Fork",
    name,
    live,
    derived,
    baselineState,
    decision,
    health,
    deployment,
    forkServices,
    replicas,
  };
}

/** Returns the Services of the template that is applied, which may be older than the current baseline. */
function servicesOf(
  { sandbox }: SandboxContext,
  { entry, baseline, services }: EntryBaseline,
  { name, routingKey, deployment }: { name: string; routingKey: string; deployment: ForkDeployment | undefined },
): ForkServices | undefined {
  if (baseline === undefined || deployment === undefined) return undefined;
  const identity = { sandbox, entry: entry.name, routingKey };
  const { template } = deployment.spec;
  const built = buildForkServices({ identity, baseline, entry, services, fork: { name, template } });
  return isRefusal(built) ? undefined : built;
}

/** Returns the state of the pods of a fork. */
export function healthOf(
  { runtime, sandbox, now }: SandboxContext,
  { name, live, replicas }: { name: string; live: Stored<Deployment> | undefined; replicas: number },
): ForkHealth {
  const pods = runtime.watched.pods.by("fork", `${sandbox.metadata.uid}/fork/${name}`);
  const problems = podProblems({ pods, workloads: live === undefined ? [] : [live], now });
  return decideForkState({ fork: live, replicas, problems });
}
