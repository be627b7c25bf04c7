import { isEqual, isList, isRecord } from "@homeostat/core";
import type { Field } from "../../../validation/field.ts";
import { checkImmutable, checkImmutablePrinted, immutable } from "../../updates/immutable.ts";
import { printedAs } from "../../printed-values/printed.ts";

/** Checks that an update changes only the mutable fields of a Job. */
export function checkJobUpdate(object: Field, old: Field): void {
  const [spec, before] = [object.at("spec"), old.at("spec")];
  if (spec.at("completionMode").text !== "Indexed") checkImmutable(spec, before, "completions");
  else if (spec.at("completions").isSet && !isEqual(spec.at("completions").value, before.at("completions").value)) {
    const [count, workers] = [spec.at("completions"), spec.at("parallelism")];
    if (count.value !== workers.value) count.invalid("can only be modified in tandem with spec.parallelism");
  }
  checkImmutable(spec, before, "selector");
  if (before.at("suspend").value === true) {
    // Scheduling directives and resources of a suspended Job may change.
    const hasNotStarted = !old.at("status").at("startTime").isSet;
    const [pod, podBefore] = [spec, before].map((each) =>
      fixedPodSpec(each.at("template").at("spec").value, hasNotStarted),
    );
    if (!isEqual(pod, podBefore)) {
      const podSpec = spec.at("template").at("spec");
      podSpec.invalid(immutable, printedAs("PodSpec", podSpec.value));
    }
  } else if (!isEqual(spec.at("template").value, before.at("template").value))
    spec.at("template").invalid(immutable, printedTemplate(spec.at("template")));
  checkImmutable(spec, before, "completionMode");
  checkImmutablePrinted("PodFailurePolicy", spec.at("podFailurePolicy"), before.at("podFailurePolicy"));
  checkImmutable(spec, before, "backoffLimitPerIndex");
  checkImmutable(spec, before, "managedBy");
  checkImmutablePrinted("SuccessPolicy", spec.at("successPolicy"), before.at("successPolicy"));
}

/** Returns a template as Go prints it: the internal type embeds the metadata. */
function printedTemplate(template: Field): unknown {
  const { value } = template.at("metadata");
  return { ...(isRecord(value) ? value : {}), Spec: printedAs("PodSpec", template.at("spec").value) };
}

/** Returns a pod spec without the fields that may change in a suspended Job; `hasNotStarted` when it never started. */
function fixedPodSpec(pod: unknown, hasNotStarted: boolean): unknown {
  if (!isRecord(pod)) return pod;
  const { nodeSelector, tolerations, schedulingGates, affinity, ...rest } = pod;
  const bare = (list: unknown): unknown =>
    isList(list) ? list.map((each) => (isRecord(each) ? { ...each, resources: undefined } : each)) : list;
  const { nodeAffinity: _, ...others } = isRecord(affinity) ? affinity : {};
  return {
    ...rest,
    containers: bare(rest["containers"]),
    initContainers: bare(rest["initContainers"]),
    ...(hasNotStarted ? { affinity: others } : { nodeSelector, tolerations, schedulingGates, affinity }),
  };
}
