// Decisions that desired objects depend on.

import type { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { isRecord } from "@homeostat/core";
import type { DeepReadonly } from "homeostat";
import { type Component, type StatefulComponent, statefulComponents } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Membership } from "../build/config-files.ts";
import type { Decisions } from "../build/desired-objects.ts";
import { byComponent, componentsOf } from "../build/resolve.ts";
import { secretHash, secretsOf } from "../build/secrets.ts";
import { clusterHashes } from "../build/workloads.ts";
import { replicasOf } from "../decide/members.ts";
import type { Step, StepDecision } from "../decide/plan.ts";
import { decideSearch } from "../decide/search.ts";
import type { ClusterContext } from "./cluster-context.ts";
import { externalAddresses } from "./external-access.ts";
import type { Members } from "./observe-members.ts";
import type { Found } from "./prerequisites.ts";
import { planSearch, type SearchPlan } from "./search.ts";
import type { Storage } from "./storage.ts";

/** Input of {@link render}. */
export interface RenderInput {
  readonly before: Members;
  readonly found: Found;
  readonly storage: Storage;
  /** The decision whose replica counts are applied. */
  readonly scaling: StepDecision;
  /** True if the quorum exists, so that no controller may bootstrap a new one. */
  readonly isBootstrapped: boolean;
}

/** The decisions that desired objects depend on. */
export interface Rendered {
  readonly decisions: Decisions;
  /** Undefined without search nodes. */
  readonly search: SearchPlan | undefined;
  readonly configHashes: Readonly<Partial<Record<Component, string>>>;
}

/** A change of a replica count. */
export interface ReplicaChange {
  readonly component: StatefulComponent;
  readonly from: number;
  readonly to: number;
}

/** Returns the replica count that a step changes; undefined for other steps. */
export function replicaChange(step: Step): ReplicaChange | undefined {
  if (step.type !== "controllers" && step.type !== "ingest") return undefined;
  const component = step.type === "controllers" ? "controller" : "ingest";
  return step.step.type === "setReplicas" ? { component, from: step.step.from, to: step.step.to } : undefined;
}

/** Returns the decisions for this reconcile. */
export function render(context: ClusterContext, input: RenderInput): Rendered {
  const { resolved, runtime } = context;
  const { before, found, storage, isBootstrapped } = input;
  const { observed, desired, permission } = before;
  const replicas = replicaCounts(input);
  // Files of a member are kept until the pod that reads them is deleted.
  const members = countsOf((component) =>
    Math.max(replicas[component], ...observed[component].members.map(({ ordinal }) => ordinal + 1)),
  );
  const used = byComponent((component) => secretHash(secretsOf(resolved, component), found.secrets));
  const secretHashes = Object.fromEntries(Object.entries(used).filter(([, hash]) => hash !== undefined));
  const pods = { members, secretHashes, zones: found.zones };
  // The hashes also depend on the cluster, which is the cache key.
  const hashes = context.dependencies.hashes.of(context.cluster, JSON.stringify(pods), () =>
    clusterHashes(resolved, pods),
  );
  const templateHash = hashes.template.search;
  const { updateStrategy } = resolved;
  const search = resolved.hasSearch
    ? planSearch({
        observed,
        step: decideSearch({
          observed,
          policy: updateStrategy,
          quorum: input.scaling.quorum,
          targets: desired,
          permission,
          now: context.now,
          strategy: updateStrategy.search,
          rollbackSeconds: updateStrategy.rollbackSeconds,
          replicas: desired.search,
          templateHash,
          memberTemplateHashes: hashes.template,
        }),
        replicas: desired.search,
        templateHash,
        now: context.now,
      })
    : undefined;
  const config = runtime.owned.configMaps.get(names.componentConfig(resolved.name, "controller"));
  const decisions: Decisions = {
    ...pods,
    replicas,
    isBootstrapped,
    membership: membershipOf(config, replicas.controller, desired.controller),
    externalAddresses: externalAddresses(context, { members: observed.ingest.members, nodes: found.nodes }),
    externalOrdinals: range(members.ingest),
    claimSizes: storage.claimSizes,
    search: search?.decisions ?? { deployments: [], selected: { color: undefined }, slots: [] },
  };
  const configHashes = Object.fromEntries(
    componentsOf(resolved).map((component) => [component, hashes.config[component]]),
  );
  return { decisions, search, configHashes };
}

function countsOf(count: (component: StatefulComponent) => number): Record<StatefulComponent, number> {
  return { controller: count("controller"), ingest: count("ingest") };
}

/** Returns the replica counts to apply: the existing ones, changed by the step of this reconcile. New StatefulSets get all replicas at once. */
function replicaCounts({ before, scaling }: RenderInput): Readonly<Record<Component, number>> {
  const { observed, desired } = before;
  const change = replicaChange(scaling.step);
  const counts = { ...desired };
  for (const component of statefulComponents) {
    // A StatefulSet that is being recreated gets the replicas that exist, and scales afterwards.
    const { set } = observed[component];
    const existing = replicasOf(observed[component]);
    const present = set === undefined && existing === 0 ? desired[component] : existing;
    counts[component] = change?.component === component ? change.to : present;
  }
  return counts;
}

/** Returns the members of the quorum. The epoch grows with every change of the members that the ConfigMap records. */
export function membershipOf(
  config: DeepReadonly<ConfigMap> | undefined,
  replicas: number,
  target: number,
): Membership {
  const voters = range(replicas);
  const recorded = readMembers(config?.data?.["members.json"]);
  if (recorded === undefined) return { epoch: 1, voters, target };
  const isSame = recorded.voters === replicas && recorded.target === target;
  return { epoch: isSame ? recorded.epoch : recorded.epoch + 1, voters, target };
}

function readMembers(text: string | undefined): { epoch: number; voters: number; target: number } | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    const { epoch, voters, target } = value;
    if (typeof epoch !== "number" || typeof target !== "number" || !Array.isArray(voters)) return undefined;
    return { epoch, voters: voters.length, target };
  } catch {
    return undefined;
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_none, index) => index);
}
