import type { EventNote, Stored } from "homeostat";
import { type DeepReadonly, findCondition, parseTime, type Random } from "@homeostat/core";
import type { RouteFeed } from "../observe/route-feed.ts";
import type { CachedSandbox, Sandbox, SandboxConditionType, SandboxStatus } from "../api/sandbox.ts";
import type { SecureBytes } from "../decide/routing-key.ts";
import type { SandboxMetrics } from "../metrics/sandbox-metrics.ts";
import type { BaselineTimes } from "../observe/baseline-times.ts";
import type { ConfirmedRoutes } from "../observe/confirmed-routes.ts";
import type { Context } from "../observe/kinds.ts";
import type { OperatorConfig } from "../settings/config.ts";

/** Dependencies that all reconciles share. */
export interface Dependencies {
  readonly config: () => OperatorConfig;
  readonly feed: () => RouteFeed;
  readonly metrics: SandboxMetrics;
  readonly random: Random;
  readonly secureBytes: SecureBytes;
  readonly baselineTimes: BaselineTimes;
  readonly confirmedRoutes: ConfirmedRoutes;
}

/** One reconcile of one sandbox: its object and previous status, and how to report events. */
export class SandboxContext {
  readonly runtime: Context;
  readonly dependencies: Dependencies;
  readonly config: OperatorConfig;
  readonly feed: RouteFeed;
  readonly sandbox: Stored<Sandbox>;
  /**
   * The API server's time at the start of the reconcile. Times in the status and in observed objects come from the same clock.
   */
  readonly now: number;
  /** The status before this reconcile. */
  readonly status: DeepReadonly<SandboxStatus>;

  constructor(runtime: Context, dependencies: Dependencies) {
    this.runtime = runtime;
    this.dependencies = dependencies;
    this.config = dependencies.config();
    this.feed = dependencies.feed();
    this.sandbox = runtime.object;
    this.now = runtime.serverClock.now();
    this.status = this.sandbox.status ?? {};
  }

  get name(): string {
    return this.runtime.name;
  }

  get namespace(): string {
    return this.runtime.namespace;
  }

  get generation(): number {
    return this.sandbox.metadata.generation ?? 0;
  }

  get createdAt(): number {
    const { creationTimestamp } = this.sandbox.metadata;
    return creationTimestamp === undefined ? this.now : parseTime(creationTimestamp);
  }

  /** Time of the last change of the spec, as far as the status has recorded it. */
  get specChangedAt(): number {
    const { observedGeneration, specChangedAt } = this.status;
    if (observedGeneration !== this.generation) return this.now;
    return specChangedAt === undefined ? this.createdAt : parseTime(specChangedAt);
  }

  /** Returns a condition of the status before this reconcile. */
  condition(type: SandboxConditionType) {
    return findCondition(this.status.conditions ?? [], type);
  }

  event(note: EventNote): void {
    this.runtime.event(note);
  }

  /** Records an event when a condition becomes true or false, not while it stays so. */
  eventOnChange(type: SandboxConditionType, becomes: boolean, note: EventNote): void {
    if (this.condition(type)?.status !== (becomes ? "True" : "False")) this.event(note);
  }
}

/** Returns the name and UID of a sandbox. */
export function identityOf({ metadata: { name = "", uid = "" } }: CachedSandbox): { name: string; uid: string } {
  return { name, uid };
}
