// What a write through a subresource may change: its own part, and the rest stays as it is stored.

import { deepClone, formatTime, isEqual, isRecord, type JsonRecord, type ObjectMeta } from "@homeostat/core";
import { textAt, valueAt } from "../tables/read.ts";
import { partOf } from "./fill.ts";
import type { BuiltInKind } from "./resource.ts";

/** Kinds whose status may be written together with no metadata at all. */
const keepsMeta = new Set([
  "servicecidrs.networking.k8s.io",
  "volumeattachments.storage.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "flowschemas.flowcontrol.apiserver.k8s.io",
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  "resourceclaims.resource.k8s.io",
  "apiservices.apiregistration.k8s.io",
]);

const metaFields = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/** What a subresource sets back, as server-side apply sees it. */
export function subresourceResets(kind: BuiltInKind, subresource: string): readonly (readonly string[])[] {
  const name = `${kind.plural}.${kind.group}`;
  if (subresource === "") return mainResets(kind, name);
  if (subresource !== "status") return [["status"]];
  if (keepsMeta.has(name)) return [["metadata"], ["spec"]];
  switch (name) {
    case "deployments.apps":
      return [["spec"], ["metadata", "labels"]];
    case "pods.":
      return [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]];
    case "certificatesigningrequests.certificates.k8s.io":
      return [["spec"], ["status", "conditions"]];
    default:
      return [["spec"]];
  }
}

function mainResets({ hasStatus }: BuiltInKind, name: string): readonly (readonly string[])[] {
  switch (name) {
    case "certificatesigningrequests.certificates.k8s.io":
      return [["spec"], ["status"]];
    case "ingressclasses.networking.k8s.io":
      return [];
    default:
      return hasStatus ? [["status"]] : [];
  }
}

/** Carries over into an object that was written through a subresource, in place, everything but its own part. */
export function prepareSubresource(
  kind: BuiltInKind,
  object: JsonRecord,
  old: JsonRecord,
  { subresource, nowMs }: { readonly subresource: string; readonly nowMs: number },
): void {
  const name = `${kind.plural}.${kind.group}`;
  const own = ownPart(name, subresource);
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (key === "apiVersion" || key === "kind" || key === "metadata" || key === own) continue;
    carry(object, old, key);
  }
  keepMeta(name, subresource, object, old);
  if (name === "pods." && subresource === "status") keepPodStatus(object, old);
  if (name === "persistentvolumes." && subresource === "status") stampVolume(object, old, nowMs);
}

/** The part that a subresource writes. */
function ownPart(name: string, subresource: string): string {
  if (name === "namespaces." && subresource === "finalize") return "spec";
  return subresource === "status" || subresource === "approval" ? "status" : "spec";
}

function carry(object: JsonRecord, old: JsonRecord, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = deepClone(old[field]);
}

function keepMeta(name: string, subresource: string, object: JsonRecord, old: JsonRecord): void {
  const kept: readonly (keyof ObjectMeta)[] = keepsMeta.has(name)
    ? metaFields
    : name === "deployments.apps"
      ? ["labels"]
      : name === "pods." && subresource === "status"
        ? ["ownerReferences"]
        : [];
  const metadata = partOf(object, "metadata");
  const before = isRecord(old["metadata"]) ? old["metadata"] : {};
  for (const field of kept) carry(metadata, before, field);
}

function keepPodStatus(pod: JsonRecord, old: JsonRecord): void {
  const status = partOf(pod, "status");
  const quality = textAt(old, "status", "qosClass");
  if (textAt(status, "qosClass") === "" && quality !== "") status["qosClass"] = quality;
}

function stampVolume(volume: JsonRecord, old: JsonRecord, nowMs: number): void {
  const status = partOf(volume, "status");
  const before = valueAt(old, "status", "lastPhaseTransitionTime");
  const isSamePhase = textAt(old, "status", "phase") === textAt(status, "phase");
  const time = status["lastPhaseTransitionTime"];
  if (isSamePhase && time === undefined && before !== undefined) status["lastPhaseTransitionTime"] = before;
  else if (!isSamePhase && (time === undefined || isEqual(time, before)))
    status["lastPhaseTransitionTime"] = formatTime(nowMs);
}
