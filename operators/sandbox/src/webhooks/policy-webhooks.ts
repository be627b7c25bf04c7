import { type AdmissionWebhook, validatingWebhook } from "homeostat";
import { type CachedRouteTable, RouteTable } from "../api/route-table.ts";
import { type CachedSandboxPolicy, SandboxPolicy } from "../api/sandbox-policy.ts";
import { routeTableProblems, sandboxPolicyProblems } from "../validation/policy-rules.ts";
import {
  type Change,
  changesSpec,
  findingsOf,
  nothingToCheck,
  type ObjectCheck,
  type WebhookTools,
} from "./admission.ts";

/** Builds the webhooks of kinds that are validated without reading the cluster: SandboxPolicies and RouteTables. */
export function policyWebhooks({ config }: Pick<WebhookTools, "config">): AdmissionWebhook[] {
  return [
    validatingWebhook({
      for: SandboxPolicy,
      validate: (object, old, context) => findingsOf(checkPolicy({ object, old, context }, config)),
    }),
    validatingWebhook({
      for: RouteTable,
      validate: (object, old, context) => findingsOf(checkTable({ object, old, context }, config)),
    }),
  ];
}

/** Checks a new or changed SandboxPolicy. */
export function checkPolicy(change: Change<CachedSandboxPolicy>, config: WebhookTools["config"]): ObjectCheck {
  if (!changesSpec(change)) return nothingToCheck;
  const rules = { namespace: change.context.namespace, config: config() };
  const known = change.old === undefined ? [] : sandboxPolicyProblems(change.old, rules);
  return { ...nothingToCheck, problems: sandboxPolicyProblems(change.object, rules), known };
}

function checkTable(change: Change<CachedRouteTable>, config: WebhookTools["config"]): ObjectCheck {
  if (!changesSpec(change)) return nothingToCheck;
  const rules = { namespace: change.context.namespace, config: config() };
  return { ...nothingToCheck, problems: routeTableProblems(change.object, rules) };
}
