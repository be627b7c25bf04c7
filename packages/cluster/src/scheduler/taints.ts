import type { DeepReadonly } from "@homeostat/core";
import type { Node, Taint, Toleration } from "@homeostat/kubernetes/core/v1";

type Tolerations = readonly DeepReadonly<Toleration>[];

/** Reports whether a node has a taint that the tolerations do not cover. */
export function hasUntoleratedTaint({ spec }: DeepReadonly<Node>, tolerations: Tolerations | undefined): boolean {
  const keeping = spec?.taints?.filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute") ?? [];
  return keeping.some((taint) => !isTolerated(taint, tolerations));
}

/** Reports whether one of the tolerations covers a taint. */
export function isTolerated(taint: DeepReadonly<Taint>, tolerations: Tolerations = []): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

function tolerates(toleration: DeepReadonly<Toleration>, taint: DeepReadonly<Taint>): boolean {
  const { effect = "", key = "", operator = "Equal", value = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}
