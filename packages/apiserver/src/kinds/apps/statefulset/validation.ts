import { isEqual, isList, isRecord } from "@homeostat/core";
import { checkClaimSpec } from "../../pod-templates/claim-spec.ts";
import { Field } from "../../../validation/field.ts";
import {
  checkLongRunning,
  checkPodTemplate,
  checkSelectorMatchesTemplate,
  checkTemplateMeta,
} from "../../pod-templates/pod-template.ts";
import type { StatusCounts } from "../../updates/status-counts.ts";
import { printedStrategy } from "../update-strategy.ts";

/** Checks a new StatefulSet. */
export function checkStatefulSet(object: Field): void {
  checkStatefulSetSpec(object.at("spec"), { isNew: true });
}

/** Checks an updated StatefulSet. Fields that cannot change are not checked again. */
export function checkChangedStatefulSet(object: Field): void {
  checkStatefulSetSpec(object.at("spec"), { isNew: false });
}

function checkStatefulSetSpec(spec: Field, { isNew }: { isNew: boolean }): void {
  const policy = spec.at("podManagementPolicy");
  if (policy.text !== "OrderedReady" && policy.text !== "Parallel") {
    policy.invalid(`must be 'OrderedReady' or 'Parallel'`, policy.text);
  }
  const strategy = spec.at("updateStrategy");
  if (strategy.at("type").text === "OnDelete") {
    if (strategy.at("rollingUpdate").isSet) {
      strategy.at("rollingUpdate").invalid("only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (strategy.at("type").text === "RollingUpdate") {
    strategy.at("rollingUpdate").at("partition").notNegative();
  } else
    strategy.invalid(
      "must be 'RollingUpdate' or 'OnDelete'",
      printedStrategy(strategy, { partition: 0, maxUnavailable: null }),
    );
  const retention = spec.at("persistentVolumeClaimRetentionPolicy");
  for (const name of ["whenDeleted", "whenScaled"]) {
    if (!["Retain", "Delete"].includes(retention.at(name).text)) retention.at(name).notSupported(["Retain", "Delete"]);
  }
  spec.at("replicas").notNegative();
  spec.at("minReadySeconds").notNegative();
  if (spec.at("ordinals").isSet) spec.at("ordinals").at("start").notNegative();
  if (isNew) {
    for (const claim of spec.at("volumeClaimTemplates").items()) checkClaimSpec(claim.at("spec"));
    if (spec.at("serviceName").text !== "") spec.at("serviceName").dnsLabel();
  }
  if (checkSelectorMatchesTemplate(spec, "statefulset", "")) {
    const template = spec.at("template").with(withClaims(spec));
    checkPodTemplate(template);
    // kube-apiserver checks the metadata twice.
    checkTemplateMeta(template);
  }
  checkLongRunning(spec.at("template"), "StatefulSet");
}

/** Returns the template as the controller completes it: a volume for each claim, without host names. */
function withClaims(spec: Field): unknown {
  const template = spec.at("template").value;
  const pod = isRecord(template) ? template["spec"] : undefined;
  if (!isRecord(template) || !isRecord(pod)) return template;
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = pod;
  const names = new Set(
    spec
      .at("volumeClaimTemplates")
      .items()
      .map((claim) => claim.at("metadata").at("name").text),
  );
  const own = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = isList(pod["volumes"])
    ? pod["volumes"].filter((each) => !names.has(new Field(each, "", []).at("name").text))
    : [];
  return { ...template, spec: { ...rest, volumes: [...own, ...others] } };
}

const mutableFields = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
]);

/** Checks that an update changes only the mutable fields. */
export function checkStatefulSetUpdate(object: Field, old: Field): void {
  const names = new Set([...object.at("spec").entries(), ...old.at("spec").entries()].map(([name]) => name));
  for (const name of names) {
    if (mutableFields.has(name)) continue;
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

/** Counts in the status, in the order in which kube-apiserver checks them. */
export const statefulSetCounts: StatusCounts = {
  counts: [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  parts: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  availableWords: "cannot be greater than status.readyReplicas",
};
