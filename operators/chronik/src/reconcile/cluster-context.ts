import type { DeepReadonly, EventNote, Stored } from "homeostat";
import { findCondition, isRecord } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import { annotations, isAnnotated } from "../api/annotations.ts";
import { ChronikCluster, type ClusterCondition, type ClusterStatus } from "../api/chronik-cluster.ts";
import type { ConditionType } from "../api/status.ts";
import type { ClusterMemory } from "../build/cluster-memory.ts";
import { type ResolvedCluster, resolveDefaulted } from "../build/resolve.ts";
import type { ClusterHashes } from "../build/workloads.ts";
import type { ChronikMetrics } from "../metrics/chronik-metrics.ts";
import type { ComponentCalls } from "../observe/component-calls.ts";
import type { Context } from "../observe/kinds.ts";
import type { NodeReader } from "../observe/nodes.ts";
import type { SecretReader } from "../observe/secrets.ts";
import type { ZoneCounter } from "../observe/zones.ts";
import type { ChronikSettings } from "../settings/settings.ts";
import { clusterProblems } from "../validation/validate.ts";
import type { ClusterWarning } from "../validation/warnings.ts";

/** Dependencies that all reconciles share. */
export interface Dependencies {
  readonly settings: () => ChronikSettings;
  readonly metrics: ChronikMetrics;
  readonly calls: () => ComponentCalls;
  readonly secrets: SecretReader;
  readonly zones: ZoneCounter;
  readonly nodes: NodeReader;
  readonly problems: ClusterMemory<readonly Problem[]>;
  readonly hashes: ClusterMemory<ClusterHashes>;
  readonly warnings: ClusterMemory<readonly ClusterWarning[]>;
  /** Version of this operator with the fingerprint of its pod templates, for the limit on rollouts after an upgrade. */
  readonly operatorVersion: () => string;
}

/** One reconcile of one cluster: its object and previous status, its steps, and how to report events. */
export class ClusterContext {
  readonly runtime: Context;
  readonly dependencies: Dependencies;
  readonly settings: ChronikSettings;
  /** The cluster with the defaults of its spec. Not validated. */
  readonly cluster: Stored<ChronikCluster>;
  /** The API server's time at the start of the reconcile. */
  readonly now: number;
  /** The status before this reconcile. */
  readonly status: DeepReadonly<ClusterStatus>;
  /** Name of the step in progress, for `lastError`. */
  currentStep = "load";
  #resolved: ResolvedCluster | undefined;

  constructor(runtime: Context, dependencies: Dependencies) {
    this.runtime = runtime;
    this.dependencies = dependencies;
    this.settings = dependencies.settings();
    this.cluster = withDefaults(runtime.object);
    this.now = runtime.serverClock.now();
    this.status = this.cluster.status ?? {};
  }

  get name(): string {
    return this.runtime.name;
  }

  get namespace(): string {
    return this.runtime.namespace;
  }

  get generation(): number {
    return this.cluster.metadata.generation ?? 0;
  }

  get isPaused(): boolean {
    const { spec, metadata } = this.cluster;
    // The spec may be invalid here: this is evaluated before validation.
    return (isRecord(spec) && spec.paused) || isAnnotated(metadata, annotations.pause);
  }

  /** All problems of the spec; empty if its objects can be built. */
  get problems(): readonly Problem[] {
    const { cluster, settings } = this;
    return this.dependencies.problems.of(cluster, "", () => clusterProblems(cluster, settings));
  }

  /** The resolved spec. Only for clusters without problems. */
  get resolved(): ResolvedCluster {
    this.#resolved ??= resolveDefaulted(this.cluster, this.settings);
    return this.#resolved;
  }

  /** Performs a step. Its name is part of log lines, metrics, spans and errors. */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const { clock, log } = this.runtime;
    const startedAt = clock.monotonic();
    this.currentStep = name;
    try {
      return await this.runtime.step(name, work);
    } finally {
      const seconds = (clock.monotonic() - startedAt) / 1_000;
      this.dependencies.metrics.steps.observe({ step: name }, seconds);
      log.debug("Finished step", { step: name, seconds });
    }
  }

  /** Returns a condition of the status before this reconcile. */
  condition(type: ConditionType): DeepReadonly<ClusterCondition> | undefined {
    return findCondition(this.status.conditions ?? [], type);
  }

  event(note: EventNote): void {
    this.runtime.event(note);
  }

  /** Records an event at most once per generation of the cluster. */
  eventOnce(note: EventNote): void {
    this.event({ ...note, once: "generation" });
  }
}

// The cache returns the same object until it changes.
const defaulted = new WeakMap<object, Stored<ChronikCluster>>();

/** Adds the defaults of the spec. The API server has added those of the CRD, which may be older than the operator. */
function withDefaults(object: Stored<ChronikCluster>): Stored<ChronikCluster> {
  const known = defaulted.get(object);
  if (known !== undefined) return known;
  const { metadata } = object;
  const cluster = isRecord(object.spec) ? { ...ChronikCluster.default(object), metadata } : object;
  defaulted.set(object, cluster);
  return cluster;
}
