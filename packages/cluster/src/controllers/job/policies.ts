import type { DeepReadonly } from "@homeostat/core";
import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  SuccessPolicy,
} from "@homeostat/kubernetes/batch/v1";
import type { ContainerStatus, PodStatus } from "@homeostat/kubernetes/core/v1";
import type { SomePod } from "../pods/pod-state.ts";
import { type Indexes, overlap, parseIndexes, sizeOf } from "./indexes.ts";

/** What a policy makes of a failed pod. */
export interface FailureVerdict {
  /** What the first rule that fits says to do; undefined when none does. */
  readonly action?: "FailJob" | "FailIndex" | "Ignore" | "Count";
  /** Whether the failure counts towards the backoff limit. */
  readonly isCounted: boolean;
  /** Why the Job is to fail; undefined when it is not. */
  readonly message?: string;
}

/** Judges a failed pod by the first rule that fits. */
export function judgeFailure(policy: DeepReadonly<PodFailurePolicy> | undefined, pod: SomePod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const why = matchRule(rule, pod);
    if (why === undefined) continue;
    switch (rule.action) {
      case "Ignore":
        return { action: "Ignore", isCounted: false };
      case "FailIndex":
        return { action: "FailIndex", isCounted: true };
      case "Count":
        return { action: "Count", isCounted: true };
      case "FailJob":
        return { action: "FailJob", isCounted: true, message: `${why} matching FailJob rule at index ${index}` };
    }
  }
  return { isCounted: true };
}

/** What of a pod a rule fits; undefined when it does not. */
function matchRule(
  { onExitCodes, onPodConditions }: DeepReadonly<PodFailurePolicyRule>,
  pod: SomePod,
): string | undefined {
  const { namespace = "", name = "" } = pod.metadata;
  if (onExitCodes !== undefined) {
    const container = containerWith(pod.status, onExitCodes);
    if (container === undefined) return undefined;
    const { exitCode } = container.state?.terminated ?? {};
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((wanted) => wanted.type === type && (wanted.status ?? "True") === status),
  );
  return condition === undefined ? undefined : `Pod ${namespace}/${name} has condition ${condition.type}`;
}

function containerWith(
  status: DeepReadonly<PodStatus> | undefined,
  { containerName, operator, values }: DeepReadonly<PodFailurePolicyOnExitCodesRequirement>,
): DeepReadonly<ContainerStatus> | undefined {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
    return operator === "In" ? values.includes(exitCode) : operator === "NotIn" && !values.includes(exitCode);
  });
}

/** Which rule of a success policy is met, in words; undefined when none is. */
export function matchSuccess(
  policy: DeepReadonly<SuccessPolicy> | undefined,
  { completions, succeeded }: { readonly completions: number; readonly succeeded: Indexes },
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = policy?.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && sizeOf(succeeded) >= succeededCount;
    const wanted = parseIndexes(succeededIndexes, completions);
    if (wanted.length === 0) return false;
    const met = overlap(wanted, succeeded);
    return met === sizeOf(wanted) || (succeededCount !== undefined && met >= succeededCount);
  });
  return index === undefined || index < 0 ? undefined : `Matched rules at index ${index}`;
}
