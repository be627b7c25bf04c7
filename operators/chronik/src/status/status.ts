// The status of a cluster, derived from what was observed and decided.

import type { StatusPlan } from "homeostat";
import { formatTime } from "@homeostat/core";
import type { ChronikCluster, ClusterStatus } from "../api/chronik-cluster.ts";
import { selectorText } from "../api/labels.ts";
import { bootstrapServers, memberAddress, names } from "../api/names.ts";
import { decidePhase, type PhaseDecision } from "../decide/phase.ts";
import { leaderOrdinal } from "../decide/quorum.ts";
import { conditionsOf } from "./conditions.ts";
import { withLastUpdated } from "./last-updated.ts";
import { canaryOf, operatorVersionOf, rolloutOf, scaleDownOf } from "./rollout-status.ts";
import { cut, type Fields, type StatusInput } from "./status-input.ts";

/** A status and the phase decision behind it. */
export interface DerivedStatus {
  readonly plan: StatusPlan<ChronikCluster>;
  readonly phase: PhaseDecision;
}

/** Derives the status of a reconcile without error. */
export function deriveStatus(input: StatusInput): DerivedStatus {
  const phase = phaseOf(input);
  const rollout = rolloutOf(input);
  const scaleDown = scaleDownOf(input);
  const fields: Fields = {
    phase: phase.phase,
    observedGeneration: input.generation,
    bootstrapped: input.bootstrapped,
    initialized: phase.initialized,
    selector: selectorText(input.resolved.name, "ingest"),
    ...addresses(input),
    ...counts(input),
    quorum: quorumOf(input),
    rollout,
    scaleDown,
    configHash: { ...input.configHash },
    plan: input.decision.plan.map((entry) => ({ ...entry, waitsFor: cut(entry.waitsFor) })),
    operatorVersion: operatorVersionOf(input, phase),
    searchColor: searchColorOf(input),
    canary: canaryOf(input),
    storage: {
      requested: input.resolved.storage.size,
      claims: input.observed.claims.length,
      resizing: input.volumes.resizing,
      larger: input.volumes.larger.slice(0, 100),
    },
    certificate: input.certificate?.found && {
      secret: input.certificate.found.secret,
      notBefore: formatTime(input.certificate.found.notBefore),
      notAfter: formatTime(input.certificate.found.notAfter),
    },
    warnings: input.warnings.slice(0, 20).map(({ reason, message }) => ({ reason, message: cut(message) })),
    lastError: undefined,
  };
  return { phase, plan: withLastUpdated({ fields, conditions: conditionsOf(input, phase) }, input) };
}

function phaseOf({ observed, progress, decision, missing, volumes, search, previous }: StatusInput): PhaseDecision {
  const isOutdated = decision.rollouts.some(({ outdated }) => outdated > 0);
  const { controller, ingest, search: searchProgress } = progress;
  return decidePhase({
    isDeleted: false,
    errorClass: undefined,
    isPaused: false,
    arePrerequisitesMissing: missing.length > 0,
    hasWorkloads: observed.controller.set !== undefined || observed.ingest.set !== undefined,
    components: { controller, ingest, ...(searchProgress !== undefined && { search: searchProgress }) },
    isRestarting: isOutdated || search.closed !== undefined,
    isResizing: volumes.isRecreating || volumes.condition.reason === "Resizing",
    previous: { phase: previous.phase, initialized: previous.initialized ?? false },
  });
}

function addresses(input: StatusInput): Fields {
  const { resolved, observed, search, externalAddresses } = input;
  const ready = (component: "controller" | "ingest"): string[] =>
    observed[component].members
      .filter(({ readySince }) => readySince !== undefined)
      .map(({ ordinal }) => memberAddress(resolved, component, ordinal));
  return {
    controllers: ready("controller"),
    ingestNodes: ready("ingest"),
    searchNodes: resolved.hasSearch ? search.slots.map(({ slot }) => memberAddress(resolved, "search", slot)) : [],
    bootstrapServers: bootstrapServers(resolved),
    externalBootstrapServers: externalAddresses.length === 0 ? undefined : [...externalAddresses],
  };
}

/** Returns the counts of members by component. */
export function counts({ progress, desired }: Pick<StatusInput, "progress" | "desired">): Fields {
  const { controller, ingest, search } = progress;
  const pick = (field: "replicas" | "ready" | "updated") => ({
    controllers: controller[field],
    ingestNodes: ingest[field],
    searchNodes: search?.[field] ?? 0,
  });
  const desiredCounts = { controllers: desired.controller, ingestNodes: desired.ingest, searchNodes: desired.search };
  const ready = pick("ready");
  return {
    replicas: pick("replicas"),
    readyReplicas: ready,
    updatedReplicas: pick("updated"),
    desiredReplicas: desiredCounts,
    summary: {
      controllers: `${ready.controllers}/${desiredCounts.controllers}`,
      ingestNodes: `${ready.ingestNodes}/${desiredCounts.ingestNodes}`,
      searchNodes: `${ready.searchNodes}/${desiredCounts.searchNodes}`,
    },
  };
}

function quorumOf({ decision: { shownQuorum: quorum }, resolved: { name } }: StatusInput): ClusterStatus["quorum"] {
  const leader = leaderOrdinal(quorum);
  return {
    voters: quorum.size,
    ready: quorum.source === "unknown" ? 0 : quorum.live.size,
    ...(leader !== undefined && { leader: names.member(name, "controller", leader) }),
  };
}

function searchColorOf({ search: { selected, switchedAt }, resolved }: StatusInput): ClusterStatus["searchColor"] {
  if (selected === "plain" || !resolved.hasSearch) return undefined;
  return { active: selected, ...(switchedAt !== undefined && { switchedAt: formatTime(switchedAt) }) };
}
