// The policies that apply to a sandbox.

import { sandboxDenials } from "../policy/denials.ts";
import { combinePolicies, type EffectivePolicy } from "../policy/effective-policy.ts";
import type { PermanentProblem } from "../status/sandbox-outcome.ts";
import { describeProblems } from "../validation/problem.ts";
import type { SandboxContext } from "./sandbox-context.ts";

/** Returns the combined policies of a namespace. */
export function policyOf({ runtime }: SandboxContext, namespace: string): EffectivePolicy {
  const labels = runtime.watched.namespaces.get(namespace)?.metadata.labels ?? {};
  return combinePolicies({ name: namespace, labels, policies: runtime.watched.policies.list({ namespace }) });
}

/**
 * Returns the denials of a sandbox by policies; undefined if it is allowed. A policy may be newer than the admission of the
 * sandbox.
 */
export function policyProblem(context: SandboxContext): PermanentProblem | undefined {
  const { sandbox, namespace, runtime } = context;
  const { watched } = runtime;
  const denials = sandboxDenials(sandbox, {
    namespace,
    world: {
      policyOf: (name) => (watched.namespaces.has(name) ? policyOf(context, name) : undefined),
      labelsOf({ kind, namespace: home, name }) {
        const key = { namespace: home, name };
        if (kind === "Deployment") return watched.deployments.get(key)?.metadata.labels;
        // Only admission knows the labels of Rollouts, which are not watched.
        return kind === "StatefulSet" ? watched.statefulSets.get(key)?.metadata.labels : undefined;
      },
    },
  });
  return denials.length === 0 ? undefined : { reason: "PolicyDenied", message: describeProblems(denials) };
}
