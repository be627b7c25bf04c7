import { isEqual, type JsonRecord } from "@homeostat/core";
import { valueAt } from "../../values/fields.ts";
import { podWarnings } from "./pod-warnings.ts";

/** Returns the warnings for a new or changed pod template; none for an unchanged one. */
export function templateWarnings(object: JsonRecord, old: JsonRecord | undefined): readonly string[] {
  if (old !== undefined && isEqual(object["spec"], old["spec"])) return [];
  return podWarnings(valueAt(object, "spec", "template"), "spec.template");
}
