import type { Threshold, ThresholdResult } from "../api/locust-test.ts";
import type { LiveView } from "../reconcile/ports.ts";
import { judge } from "../result/thresholds.ts";

/** What is judged while a test runs. */
export interface AbortInput {
  /** `namespace/name` of the test. */
  readonly key: string;
  /** Its uid and the number of its run, in one text: another run begins with nothing remembered. */
  readonly run: string;
  readonly thresholds: readonly Threshold[];
  readonly expectedWorkers: number;
  readonly view: LiveView | undefined;
}

interface Remembered {
  readonly run: string;
  /** Since when each threshold is broken, by its place in the list. */
  readonly brokenSince: Map<number, number>;
}

/**
 * Watches the thresholds with `abortOnFail` of running tests (21.4).
 *
 * How long a threshold has been broken is kept here and not in the status: an operator that was restarted counts
 * `holdSeconds` anew, which ends a test later and never too early.
 */
export class AbortWatch {
  readonly #tests = new Map<string, Remembered>();

  /** The threshold that ends the run now; undefined when none does. */
  check({ key, run, thresholds, expectedWorkers, view }: AbortInput): ThresholdResult | undefined {
    const snapshot = view?.snapshot;
    if (snapshot === undefined || !view?.isFresh || view.begunAt === undefined) return undefined;
    if (snapshot.state !== "running" && snapshot.state !== "spawning") return undefined;
    const { brokenSince } = this.#of(key, run);
    let hit: ThresholdResult | undefined;
    for (const [index, threshold] of thresholds.entries()) {
      if (!threshold.abortOnFail) continue;
      const result = judge(threshold, snapshot, expectedWorkers);
      if (result.passed) {
        brokenSince.delete(index);
        continue;
      }
      const since = brokenSince.get(index) ?? snapshot.at;
      brokenSince.set(index, since);
      if (snapshot.at - since >= threshold.holdSeconds * 1_000) hit ??= result;
    }
    return hit;
  }

  /** Forgets a test. */
  forget(key: string): void {
    this.#tests.delete(key);
  }

  #of(key: string, run: string): Remembered {
    const known = this.#tests.get(key);
    if (known?.run === run) return known;
    const fresh = { run, brokenSince: new Map<number, number>() };
    this.#tests.set(key, fresh);
    return fresh;
  }
}
