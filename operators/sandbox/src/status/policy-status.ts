// The status of a SandboxPolicy: its validity, and the combination of all policies of its namespace.

import type { StatusPlan } from "@homeostat/runtime";
import { formatSeconds } from "../api/duration.ts";
import type { CachedSandboxPolicy, SandboxPolicy } from "../api/sandbox-policy.ts";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import { describeProblems, type ObjectProblem } from "../validation/problem.ts";

/** Input of {@link policyStatus}. */
export interface PolicyStatusInput {
  readonly policy: CachedSandboxPolicy;
  readonly problems: readonly ObjectProblem[];
  readonly effective: EffectivePolicy;
  /** Longest lifetime that the configuration of the operator allows. */
  readonly maxTtlSeconds: number;
}

/** Returns the status of a policy. */
export function policyStatus({
  policy,
  problems,
  effective,
  maxTtlSeconds,
}: PolicyStatusInput): StatusPlan<SandboxPolicy> {
  const { quota, policies } = effective;
  const seconds = Math.min(effective.maxTtlSeconds ?? maxTtlSeconds, maxTtlSeconds);
  return {
    fields: {
      observedGeneration: policy.metadata.generation ?? 0,
      effective: {
        policies: [...policies],
        enabled: effective.unusable === undefined,
        allowLocal: effective.allowLocal,
        allowPublicEndpoints: effective.allowPublicEndpoints,
        sandboxes: quota.sandboxes,
        perUser: quota.perUser,
        cpu: quota.cpu.canonical(),
        memory: quota.memory.canonical(),
        pods: quota.pods,
        maxTTL: formatSeconds(seconds),
        interception: effective.interception,
      },
    },
    conditions: { Accepted: accepted(problems, policies) },
  };
}

type Conditions = NonNullable<StatusPlan<SandboxPolicy>["conditions"]>;

function accepted(problems: readonly ObjectProblem[], policies: readonly string[]): Conditions["Accepted"] {
  if (problems.length > 0) {
    const message = `Invalid values match nothing. ${describeProblems(problems)}`;
    return { status: false, reason: "InvalidSpec", message };
  }
  const others = policies.length - 1;
  const message =
    others === 0
      ? "The policy is in force"
      : `The policy is in force together with ${others} other ${others === 1 ? "policy" : "policies"} of the namespace`;
  return { status: true, reason: "Valid", message };
}
