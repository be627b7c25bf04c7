// Reports whether SandboxPolicies are valid, and the combination of all policies of a namespace.

import { type Controller, defineController, when } from "homeostat";
import { keyOf } from "@homeostat/core";
import { watched } from "homeostat";
import { statusFieldManager } from "../api/identity.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { configChanges, type FollowConfig } from "../observe/config-changes.ts";
import { combinePolicies } from "../policy/effective-policy.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { policyStatus } from "../status/policy-status.ts";
import { sandboxPolicyProblems } from "../validation/policy-rules.ts";

/**
 * Defines the controller of SandboxPolicies. A change of one policy affects the status of all policies of its
 * namespace.
 */
export function policyController({
  config,
  followConfig,
}: {
  readonly config: () => OperatorConfig;
  readonly followConfig: FollowConfig;
}): Controller {
  return defineController({
    name: "sandboxpolicy",
    for: SandboxPolicy,
    fieldManager: statusFieldManager,
    when: when.generationChanged(),
    sources: [configChanges(followConfig, SandboxPolicy)],
    watches: {
      siblings: watched(SandboxPolicy, {
        map: ({ metadata: { namespace = "" } }, cache) => cache.list(SandboxPolicy, { namespace }).map(keyOf),
        when: when.generationChanged(),
      }),
    },
    async reconcile({ object, namespace, all, setStatusPlan }) {
      const policies = all.list({ namespace });
      // The label of the namespace applies only if the namespace has no policies.
      const effective = combinePolicies({ name: namespace, labels: {}, policies });
      setStatusPlan(
        policyStatus({
          policy: object,
          problems: sandboxPolicyProblems(object, { namespace, config: config() }),
          effective,
          maxTtlSeconds: config().limits.maxTtlSeconds,
        }),
      );
    },
  });
}
