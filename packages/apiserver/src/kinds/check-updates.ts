// What may not change once an object is there.

import { isEqual, isList, isRecord } from "@homeostat/core";
import { checkChangedClaim } from "./check-claim-update.ts";
import { checkChangedPod } from "./check-pod-update.ts";
import type { Field } from "./field.ts";
import { printedAs } from "./printed.ts";

/** Compares an object with the one it replaces. */
export type UpdateRule = (object: Field, old: Field) => void;

const immutable = "field is immutable";

function keep(object: Field, old: Field, ...path: readonly string[]): void {
  const [now, before] = [follow(object, path), follow(old, path)];
  if (!isEqual(now.value, before.value)) now.invalid(immutable, now.value ?? emptyOf(before.value));
}

/** What a message shows in place of a value that is gone: an empty text, or nothing. */
function emptyOf(before: unknown): unknown {
  return typeof before === "string" ? "" : null;
}

function follow(field: Field, path: readonly string[]): Field {
  return path.reduce((at, name) => at.at(name), field);
}

function whole(words: string, ...fields: readonly string[]): UpdateRule {
  return (object, old) => {
    if (old.at("immutable").value !== true) return;
    if (object.at("immutable").value !== true) object.at("immutable").forbidden(words);
    for (const name of fields) {
      if (!isEqual(object.at(name).value ?? {}, old.at(name).value ?? {})) object.at(name).forbidden(words);
    }
  };
}

const secretWhole = whole("field is immutable when `immutable` is set", "data");

function secret(object: Field, old: Field): void {
  keep(object, old, "type");
  secretWhole(object, old);
}

function job(object: Field, old: Field): void {
  const [spec, before] = [object.at("spec"), old.at("spec")];
  if (spec.at("completionMode").text !== "Indexed") keep(spec, before, "completions");
  else if (spec.at("completions").isSet && !isEqual(spec.at("completions").value, before.at("completions").value)) {
    const [count, workers] = [spec.at("completions"), spec.at("parallelism")];
    if (count.value !== workers.value) count.invalid("can only be modified in tandem with spec.parallelism");
  }
  keep(spec, before, "selector");
  if (before.at("suspend").value === true) {
    // A job that waits may still be told where its pods go and what they ask for.
    const isFresh = !old.at("status").at("startTime").isSet;
    const [pod, podBefore] = [spec, before].map((each) => settled(each.at("template").at("spec").value, isFresh));
    if (!isEqual(pod, podBefore)) {
      const place = spec.at("template").at("spec");
      place.invalid(immutable, printedAs("PodSpec", place.value));
    }
  } else if (!isEqual(spec.at("template").value, before.at("template").value))
    spec.at("template").invalid(immutable, printedTemplate(spec.at("template")));
  keep(spec, before, "completionMode");
  keepPrinted("PodFailurePolicy", spec.at("podFailurePolicy"), before.at("podFailurePolicy"));
  keep(spec, before, "backoffLimitPerIndex");
  keep(spec, before, "managedBy");
  keepPrinted("SuccessPolicy", spec.at("successPolicy"), before.at("successPolicy"));
}

function keepPrinted(type: string, now: Field, before: Field): void {
  if (!isEqual(now.value, before.value)) now.invalid(immutable, printedAs(`*${type}`, now.value));
}

/** The metadata of a template is a part of it there, and not a field. */
function printedTemplate(template: Field): unknown {
  const { value } = template.at("metadata");
  return { ...(isRecord(value) ? value : {}), Spec: printedAs("PodSpec", template.at("spec").value) };
}

/** A pod spec without what may change in a job that waits. */
function settled(pod: unknown, isFresh: boolean): unknown {
  if (!isRecord(pod)) return pod;
  const { nodeSelector, tolerations, schedulingGates, affinity, ...rest } = pod;
  const bare = (list: unknown): unknown =>
    isList(list) ? list.map((each) => (isRecord(each) ? { ...each, resources: undefined } : each)) : list;
  const { nodeAffinity: _, ...others } = isRecord(affinity) ? affinity : {};
  return {
    ...rest,
    containers: bare(rest["containers"]),
    initContainers: bare(rest["initContainers"]),
    ...(isFresh ? { affinity: others } : { nodeSelector, tolerations, schedulingGates, affinity }),
  };
}

const statefulSetFields = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
]);

function statefulSet(object: Field, old: Field): void {
  const names = new Set([...object.at("spec").entries(), ...old.at("spec").entries()].map(([name]) => name));
  for (const name of names) {
    if (statefulSetFields.has(name)) continue;
    if (!isEqual(object.at("spec").at(name).value, old.at("spec").at(name).value)) {
      object
        .at("spec")
        .forbidden(
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        );
      return;
    }
  }
}

function service(object: Field, old: Field): void {
  const [type, before] = [object.at("spec").at("type").text, old.at("spec").at("type").text];
  if (type === "ExternalName" || before === "ExternalName") return;
  const address = old.at("spec").at("clusterIP").text;
  // Left away it stays what it was.
  const next = object.at("spec").at("clusterIP").text;
  if (address === "" || next === "" || next === address) return;
  const first = object.at("spec").at("clusterIPs");
  const place = first.items()[0]?.as("spec.clusterIPs[0]") ?? first;
  place.invalid("may not change once set", first.value ?? [object.at("spec").at("clusterIP").text]);
}

const selector: UpdateRule = (object, old) => keep(object, old, "spec", "selector");

/** Kinds whose changes are looked at before their fields. */
export const changesFirst: ReadonlySet<string> = new Set(["configmaps.", "secrets.", "daemonsets.apps"]);

/** Rules by `plural.group`. */
export const updateRules: ReadonlyMap<string, UpdateRule> = new Map<string, UpdateRule>([
  ["pods.", checkChangedPod],
  ["persistentvolumeclaims.", checkChangedClaim],
  ["configmaps.", whole("field is immutable when `immutable` is set", "data", "binaryData")],
  ["secrets.", secret],
  ["jobs.batch", job],
  ["statefulsets.apps", statefulSet],
  ["deployments.apps", selector],
  ["replicasets.apps", selector],
  ["daemonsets.apps", selector],
  ["services.", service],
  ["rolebindings.rbac.authorization.k8s.io", roleRef],
  ["clusterrolebindings.rbac.authorization.k8s.io", roleRef],
]);

function roleRef(object: Field, old: Field): void {
  if (!isEqual(object.at("roleRef").value, old.at("roleRef").value))
    object.at("roleRef").invalid("cannot change roleRef");
}
