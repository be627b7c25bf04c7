import type { DeepReadonly } from "@homeostat/core";
import type { HPAScalingRules, HorizontalPodAutoscalerBehavior } from "@homeostat/kubernetes/autoscaling/v2";

/** Stabilization window of scale-down (`--horizontal-pod-autoscaler-downscale-stabilization`). */
const downWindowMs = 300_000;

/** A recommended number of replicas, or the size of a change, with its time. */
interface Sample {
  readonly count: number;
  readonly at: number;
}

/** Input of {@link ScaleHistory.limit}. */
export interface Recommendation {
  readonly current: number;
  /** Replicas that the metrics require. */
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: DeepReadonly<HorizontalPodAutoscalerBehavior> | undefined;
  readonly now: number;
}

/** A number of replicas after stabilization and limits, with the conditions `AbleToScale` and `ScalingLimited`. */
export interface Limited {
  readonly replicas: number;
  readonly able: { readonly reason: string; readonly message: string };
  readonly limited: { readonly isLimited: boolean; readonly reason: string; readonly message: string };
}

interface Bound {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

const within = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };
const tooFew = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const tooMany = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const upLimit = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const downLimit = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const readyForScale = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const downStabilized = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const upStabilized = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

/** Earlier recommendations and changes of one autoscaler. They are in memory only, as in kube-controller-manager. */
export class ScaleHistory {
  #recommendations: Sample[];
  #ups: Sample[] = [];
  #downs: Sample[] = [];

  /** @param replicas Replicas when the autoscaler is first reconciled, which count as its first recommendation. */
  constructor(replicas: number, now: number) {
    this.#recommendations = [{ count: replicas, at: now }];
  }

  /** Applies stabilization windows, rates, minimum and maximum to a recommendation, and records it. */
  limit(recommended: Recommendation): Limited {
    const { desired, behavior, current } = recommended;
    const stabilized =
      behavior === undefined ? this.#stabilized(recommended) : this.#stabilizedBy(behavior, recommended);
    const stabilizedCondition = behavior !== undefined && desired >= current ? upStabilized : downStabilized;
    const bound =
      behavior === undefined
        ? bounded({ ...recommended, desired: stabilized })
        : this.#boundedBy(behavior, { ...recommended, desired: stabilized });
    return {
      replicas: bound.replicas,
      able: stabilized === desired ? readyForScale : stabilizedCondition,
      limited: { isLimited: bound.replicas !== stabilized, reason: bound.reason, message: bound.message },
    };
  }

  /** Records a change of the scale, for the rates of `behavior`. */
  record(change: {
    readonly from: number;
    readonly to: number;
    readonly behavior: DeepReadonly<HorizontalPodAutoscalerBehavior> | undefined;
    readonly now: number;
  }): void {
    const { from, to, behavior, now } = change;
    if (behavior === undefined) return;
    const isUp = to > from;
    const rules = isUp ? behavior.scaleUp : behavior.scaleDown;
    const longestMs = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds * 1000));
    const kept = (isUp ? this.#ups : this.#downs).filter(({ at }) => at >= now - longestMs);
    kept.push({ count: Math.abs(to - from), at: now });
    if (isUp) this.#ups = kept;
    else this.#downs = kept;
  }

  /** Returns the highest recommendation of the last five minutes. */
  #stabilized({ desired, now }: Recommendation): number {
    const recent = this.#recommendations.filter(({ at }) => at >= now - downWindowMs);
    this.#recommendations = [...recent, { count: desired, at: now }];
    return Math.max(desired, ...recent.map(({ count }) => count));
  }

  /** Returns the recommendation that is closest to the current replicas within the windows of `behavior`. */
  #stabilizedBy(behavior: DeepReadonly<HorizontalPodAutoscalerBehavior>, recommended: Recommendation): number {
    const { desired, current, now } = recommended;
    const upSince = now - (behavior.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
    const downSince = now - (behavior.scaleDown?.stabilizationWindowSeconds ?? downWindowMs / 1000) * 1000;
    const since = (start: number): number[] =>
      this.#recommendations.filter(({ at }) => at > start).map(({ count }) => count);
    const lowest = Math.min(desired, ...since(upSince));
    const highest = Math.max(desired, ...since(downSince));
    this.#recommendations = this.#recommendations.filter(({ at }) => at >= upSince || at >= downSince);
    this.#recommendations.push({ count: desired, at: now });
    return Math.min(Math.max(current, lowest), highest);
  }

  #boundedBy(behavior: DeepReadonly<HorizontalPodAutoscalerBehavior>, recommended: Recommendation): Bound {
    const { desired, current, min, max, now } = recommended;
    if (desired > current) {
      const rate = Math.max(current, this.#rateLimit(behavior.scaleUp ?? {}, { current, now, isUp: true }));
      const [limit, why] = max > rate ? [rate, upLimit] : [max, tooMany];
      return desired > limit ? { replicas: limit, ...why } : { replicas: desired, ...within };
    }
    if (desired < current) {
      const rate = Math.min(current, this.#rateLimit(behavior.scaleDown ?? {}, { current, now, isUp: false }));
      const [limit, why] = min < rate ? [rate, downLimit] : [min, tooFew];
      return desired < limit ? { replicas: limit, ...why } : { replicas: desired, ...within };
    }
    return { replicas: desired, ...within };
  }

  /** Returns the number of replicas that the policies allow at most (up) or at least (down). */
  #rateLimit(
    { policies = [], selectPolicy = "Max" }: DeepReadonly<HPAScalingRules>,
    { current, now, isUp }: { readonly current: number; readonly now: number; readonly isUp: boolean },
  ): number {
    if (selectPolicy === "Disabled") return current;
    const limits = policies.map(({ type, value, periodSeconds }) => {
      const changed = (samples: readonly Sample[]): number =>
        samples.filter(({ at }) => at > now - periodSeconds * 1000).reduce((total, { count }) => total + count, 0);
      const before = current - changed(this.#ups) + changed(this.#downs);
      if (type === "Pods") return isUp ? before + value : before - value;
      // A rounded up limit, because the target could otherwise never grow.
      return isUp ? Math.ceil(before * (1 + value / 100)) : Math.trunc(before * (1 - value / 100));
    });
    return isUp === (selectPolicy === "Min") ? Math.min(...limits) : Math.max(...limits);
  }
}

/** Applies minimum and maximum, and the rate of an autoscaler without `behavior`: twice the replicas, or four. */
function bounded({ current, desired, min, max }: Recommendation): Bound {
  const rate = Math.max(2 * current, 4);
  const [limit, why] = max > rate ? [rate, upLimit] : [max, tooMany];
  if (desired < min) return { replicas: min, ...tooFew };
  return desired > limit ? { replicas: limit, ...why } : { replicas: desired, ...within };
}
