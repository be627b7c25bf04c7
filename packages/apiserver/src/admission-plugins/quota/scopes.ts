// Scopes of ResourceQuotas: the objects that a quota applies to.

import { listAt, textAt } from "../../values/fields.ts";
import type { QuotaScope } from "../../admission/quota-evaluator.ts";
import { evaluatorOf } from "./usage.ts";

function scopesOf(quota: unknown): QuotaScope[] {
  return [
    ...listAt(quota, "spec", "scopes").map((name) => ({ name: String(name), operator: "Exists", values: [] })),
    ...listAt(quota, "spec", "scopeSelector", "matchExpressions").map((each) => ({
      name: textAt(each, "scopeName"),
      operator: textAt(each, "operator"),
      values: listAt(each, "values").map(String),
    })),
  ];
}

/** Reports whether a quota applies to an object of a resource: the object must be in all scopes of the quota. */
export function isInScope(quota: unknown, resource: string, object: unknown): boolean {
  return scopesOf(quota).every((scope) => evaluatorOf(resource)?.isInScope?.(object, scope) === true);
}
