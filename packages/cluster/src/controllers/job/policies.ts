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

/** The result of matching a failed pod against a pod failure policy. */
export interface FailurePolicyResult {
  /** Action of the first matching rule; undefined when no rule matches. */
  readonly action?: "FailJob" | "FailIndex" | "Ignore" | "Count";
  /** True if the failure counts against the back-off limit. */
  readonly isCounted: boolean;
  /** Message of the Job failure; undefined unless the action is `FailJob`. */
  readonly message?: string;
}

/** Matches a failed pod against a policy. The first matching rule applies; without one the failure counts. */
export function matchFailurePolicy(
  policy: DeepReadonly<PodFailurePolicy> | undefined,
  pod: SomePod,
): FailurePolicyResult {
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

/** Describes how a rule matches a pod; undefined when it does not match. */
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
    onPodConditions?.some((expected) => expected.type === type && (expected.status ?? "True") === status),
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

/** Returns the message for the first satisfied rule of a success policy; undefined when none is satisfied. */
export function matchSuccess(
  policy: DeepReadonly<SuccessPolicy> | undefined,
  { completions, succeeded }: { readonly completions: number; readonly succeeded: Indexes },
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = policy?.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && sizeOf(succeeded) >= succeededCount;
    const expected = parseIndexes(succeededIndexes, completions);
    if (expected.length === 0) return false;
    const met = overlap(expected, succeeded);
    return met === sizeOf(expected) || (succeededCount !== undefined && met >= succeededCount);
  });
  return index === undefined || index < 0 ? undefined : `Matched rules at index ${index}`;
}
