import { type DeepReadonly, formatTime } from "@homeostat/core";
import type { HorizontalPodAutoscalerCondition } from "@homeostat/kubernetes/autoscaling/v2";

/** Types of the conditions of an autoscaler. */
export type ConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited";

/** The conditions of one autoscaler during a reconcile. New ones are appended, as kube-controller-manager does. */
export class Conditions {
  #list: readonly DeepReadonly<HorizontalPodAutoscalerCondition>[];
  readonly #now: number;

  constructor(before: readonly DeepReadonly<HorizontalPodAutoscalerCondition>[], now: number) {
    this.#list = before;
    this.#now = now;
  }

  /** Sets a condition. Its transition time changes only with its status. */
  set(
    type: ConditionType,
    isTrue: boolean,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): void {
    const status = isTrue ? "True" : "False";
    const before = this.#list.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : formatTime(this.#now);
    const next = {
      type,
      status,
      ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
      reason,
      message,
    };
    this.#list = before === undefined ? [...this.#list, next] : this.#list.map((one) => (one === before ? next : one));
  }

  list(): readonly DeepReadonly<HorizontalPodAutoscalerCondition>[] {
    return this.#list;
  }
}
