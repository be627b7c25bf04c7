import type { Field } from "../../../validation/field.ts";
import { checkPodSpec } from "../../pod-templates/pod-spec.ts";

/** Validates a Pod except for its metadata; see `ValidatePodSpec` in Kubernetes. */
export function checkPod(object: Field): void {
  const spec = object.at("spec");
  checkPodSpec(spec, { name: object.at("metadata").at("name").text });
  if (spec.at("serviceAccountName").text !== "") return;
  for (const source of spec
    .at("volumes")
    .items()
    .flatMap((volume) => volume.at("projected").at("sources").items())) {
    const token = source.at("serviceAccountToken");
    if (token.isSet) token.forbidden("must not be specified when serviceAccountName is not set");
  }
}
