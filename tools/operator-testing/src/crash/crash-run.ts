import type { CrashPoint } from "../cluster/crashing-transport.ts";
import { isWrite, type RunningOperator, type TestCluster } from "../cluster/test-cluster.ts";
import type { RecordedRun } from "./points.ts";

/** Durations after the last step of a scenario. */
export interface Settling {
  /** Time for the operator to finish its work, before and again after a restart. */
  readonly settleMs: number;
  /** Time in which an operator that has finished must not write anything. */
  readonly quietMs: number;
  /** Steps in which the clock moves by `quietMs`. */
  readonly quietSteps: number;
}

/** Record of a complete run. */
export interface FinishedRun extends RecordedRun {
  /** Writes after everything had settled. */
  readonly lateWrites: readonly string[];
}

/**
 * One run of a scenario: an operator that may crash once, and the operator that takes over from it.
 *
 * ```
 *   start(crash)      until(…)           until(…)        finish()
 *   │ operator A ─────── x                               settle · restart a late crash · settle · quiet
 *   │                    whileDown()
 *   │                    operator B ───────────────────────────────────────────────────────────
 * ```
 *
 * An operator's tests extend it with how the operator is started, the steps that scenarios are written in, and the outcome.
 */
export abstract class CrashRun<Outcome> {
  readonly #cluster: TestCluster;
  #current: RunningOperator | undefined;
  #first: RunningOperator | undefined;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  /** Starts an operator; `crash` is where it crashes. */
  protected abstract startOperator(crash: CrashPoint | undefined): Promise<RunningOperator>;

  /** Returns the result of the scenario without values that differ between runs, such as times, uids and names of runs. */
  abstract outcome(): Promise<Outcome>;

  /** Plays the part of the cluster's controllers and kubelets; called repeatedly while a run waits. */
  protected async tick(): Promise<void> {}

  /** Called between a crash and the restart. */
  protected async whileDown(): Promise<void> {}

  /** Removes what the run leaves in the cluster. Called when no operator runs. */
  async cleanUp(): Promise<void> {}

  async start(crash: CrashPoint | undefined): Promise<void> {
    this.#first = await this.startOperator(crash);
    this.#current = this.#first;
  }

  /** Waits until `look` returns true. An operator that crashes meanwhile is restarted. */
  async until(what: string, look: () => Promise<boolean>): Promise<void> {
    await this.#cluster.until(what, async () => {
      await this.#restartIfCrashed();
      await this.tick();
      return look();
    });
  }

  /** Lets the operator finish its work, records what it writes afterwards, and stops it. */
  async finish({ settleMs, quietMs, quietSteps }: Settling): Promise<FinishedRun> {
    await this.#settle(settleMs);
    // A crash point among the last requests may be reached only now.
    await this.#restartIfCrashed();
    await this.#settle(settleMs);
    const before = this.#current?.writes().length ?? 0;
    await this.#cluster.pass(quietMs, quietSteps);
    const lateWrites = this.#current?.writes().slice(before) ?? [];
    await this.#current?.stop();
    const sent = this.#first?.sent ?? [];
    const changes = sent.flatMap((request, index) => (isWrite(request) ? [index + 1] : []));
    return { requests: sent.length, changes, lateWrites };
  }

  async #settle(ms: number): Promise<void> {
    const ticks = 4;
    for (let count = 0; count < ticks; count += 1) {
      await this.tick();
      await this.#cluster.pass(ms / ticks);
    }
  }

  async #restartIfCrashed(): Promise<void> {
    if (this.#current?.hasCrashed !== true) return;
    await this.#current.stop();
    await this.whileDown();
    this.#current = await this.startOperator(undefined);
  }
}
