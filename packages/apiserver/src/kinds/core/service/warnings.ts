import type { JsonRecord } from "@homeostat/core";
import { isSet, listAt, textAt } from "../../../values/fields.ts";

/** Returns warnings about fields of a Service that have no effect or are deprecated. */
export function serviceWarnings(object: JsonRecord): readonly string[] {
  const type = textAt(object, "spec", "type");
  const isHeadless = type === "ClusterIP" && textAt(object, "spec", "clusterIP") === "None";
  const hasExternal = listAt(object, "spec", "externalIPs").length > 0;
  const isExternalName = type === "ExternalName";
  const warnings: string[] = [];
  if (isHeadless && textAt(object, "spec", "loadBalancerIP") !== "")
    warnings.push("spec.loadBalancerIP is ignored for headless services");
  if (isHeadless && hasExternal) warnings.push("spec.externalIPs is ignored for headless services");
  if (isHeadless && textAt(object, "spec", "sessionAffinity") !== "None")
    warnings.push("spec.SessionAffinity is ignored for headless services");
  if (hasExternal && !isHeadless && !isExternalName)
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (isExternalName && hasExternal) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternalName && isSet(object, "spec", "externalName") && textAt(object, "spec", "externalName") !== "")
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (textAt(object, "spec", "trafficDistribution") === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
