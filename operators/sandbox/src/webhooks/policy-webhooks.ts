import { type AdmissionWebhook, type Finding, validatingWebhook } from "homeostat";
import { type CachedRouteTable, RouteTable } from "../api/route-table.ts";
import { type CachedSandboxPolicy, SandboxPolicy } from "../api/sandbox-policy.ts";
import { routeTableProblems, sandboxPolicyProblems } from "../validation/policy-rules.ts";
import { type Change, changesSpec, findingsOf, type WebhookTools } from "./admission.ts";

/** Builds the webhooks of kinds that need no look at the cluster: SandboxPolicies and RouteTables. */
export function policyWebhooks({ config }: Pick<WebhookTools, "config">): AdmissionWebhook[] {
  return [
    validatingWebhook({
      for: SandboxPolicy,
      validate: (object, old, context) => policyFindings({ object, old, context }, config),
    }),
    validatingWebhook({
      for: RouteTable,
      validate: (object, old, context) => tableFindings({ object, old, context }, config),
    }),
  ];
}

function* policyFindings(change: Change<CachedSandboxPolicy>, config: WebhookTools["config"]): Iterable<Finding> {
  if (!changesSpec(change)) return;
  const rules = { namespace: change.context.namespace, config: config() };
  const known = change.old === undefined ? [] : sandboxPolicyProblems(change.old, rules);
  yield* findingsOf(sandboxPolicyProblems(change.object, rules), { known });
}

function* tableFindings(change: Change<CachedRouteTable>, config: WebhookTools["config"]): Iterable<Finding> {
  if (!changesSpec(change)) return;
  yield* findingsOf(routeTableProblems(change.object, { namespace: change.context.namespace, config: config() }), {});
}
