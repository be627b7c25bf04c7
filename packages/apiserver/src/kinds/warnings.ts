import { isEqual, type JsonRecord } from "@homeostat/core";
import { isSet, listAt, numberAt, textAt, valueAt } from "../tables/read.ts";
import { podNameWarnings, podWarnings } from "./pod-warnings.ts";
import type { BuiltInKind } from "./resource.ts";

type Warn = (object: JsonRecord, old: JsonRecord | undefined) => readonly string[];

const template: Warn = (object, old) => {
  if (old !== undefined && isEqual(object["spec"], old["spec"])) return [];
  return podWarnings(valueAt(object, "spec", "template"), "spec.template");
};

const deployment: Warn = (object, old) => [
  ...(old === undefined ? podNameWarnings(textAt(object, "metadata", "name")) : []),
  ...template(object, old),
];

const statefulSet: Warn = (object, old) => [
  ...template(object, old),
  ...(numberAt(object, "spec", "revisionHistoryLimit") < 0
    ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
    : []),
];

/** People change pods rarely themselves, so only new ones are looked at. */
const pod: Warn = (object, old) =>
  old === undefined ? [...podNameWarnings(textAt(object, "metadata", "name")), ...podWarnings(object, "")] : [];

const service: Warn = (object) => {
  const type = textAt(object, "spec", "type");
  const isHeadless = type === "ClusterIP" && textAt(object, "spec", "clusterIP") === "None";
  const hasExternal = listAt(object, "spec", "externalIPs").length > 0;
  const isNamed = type === "ExternalName";
  const warnings: string[] = [];
  if (isHeadless && textAt(object, "spec", "loadBalancerIP") !== "")
    warnings.push("spec.loadBalancerIP is ignored for headless services");
  if (isHeadless && hasExternal) warnings.push("spec.externalIPs is ignored for headless services");
  if (isHeadless && textAt(object, "spec", "sessionAffinity") !== "None")
    warnings.push("spec.SessionAffinity is ignored for headless services");
  if (hasExternal && !isHeadless && !isNamed)
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (isNamed && hasExternal) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isNamed && isSet(object, "spec", "externalName") && textAt(object, "spec", "externalName") !== "")
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (textAt(object, "spec", "trafficDistribution") === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
};

const warners: ReadonlyMap<string, Warn> = new Map<string, Warn>([
  ["pods.", pod],
  ["services.", service],
  ["deployments.apps", deployment],
  ["replicasets.apps", template],
  ["daemonsets.apps", template],
  ["statefulsets.apps", statefulSet],
  ["jobs.batch", template],
]);

/** What the server warns the writer of an object of a built-in kind of, though it takes it. */
export function kindWarnings(kind: BuiltInKind, object: JsonRecord, old: JsonRecord | undefined): readonly string[] {
  return warners.get(`${kind.plural}.${kind.group}`)?.(object, old) ?? [];
}
