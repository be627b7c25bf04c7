// Table cells of the kinds that configure admission.

import { isSet, listAt, textAt, valueAt } from "../../values/fields.ts";
import { age, nameOf, textOr } from "../../tables/cell-text.ts";

/** Returns the table cells of a configuration of webhooks. */
export function webhookCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), listAt(object, "webhooks").length, age(object, nowMs)];
}

/** Returns the table cells of an admission policy. */
export function policyCells(object: unknown, nowMs: number): unknown[] {
  const kind = valueAt(object, "spec", "paramKind");
  const rules = listAt(object, "spec", "validations").length || listAt(object, "spec", "mutations").length;
  const text = isSet(kind) ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
  return [nameOf(object), rules, text, age(object, nowMs)];
}

/** Returns the table cells of a policy binding. */
export function policyBindingCells(object: unknown, nowMs: number): unknown[] {
  const ref = valueAt(object, "spec", "paramRef");
  const name = textAt(ref, "name");
  const text = name === "" ? "<unset>" : `${textOr(textAt(ref, "namespace"), "*")}/${name}`;
  return [nameOf(object), textAt(object, "spec", "policyName"), text, age(object, nowMs)];
}
