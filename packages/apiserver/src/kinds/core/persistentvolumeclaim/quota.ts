import { type Quantity, quantityFromInteger } from "@homeostat/core";
import { fitsClass, type QuotaEvaluator } from "../../../admission/quota-evaluator.ts";
import { amountsAt, one } from "../../../admission/resource-lists.ts";
import { textAt, valueAt } from "../../../values/fields.ts";

const names = ["persistentvolumeclaims", "requests.storage"];
const byClass = ".storageclass.storage.k8s.io/";

/** Evaluator of claims: quotas limit their number and their storage, in total and per storage class. */
export const claimQuota: QuotaEvaluator = {
  measures: (name) => names.includes(name) || names.some((each) => name.endsWith(byClass + each)),
  usage: claimUsage,
  measuresUpdate: () => true,
  isInScope: (claim, scope) =>
    scope.name === "VolumeAttributesClass" && fitsClass(scope, textAt(claim, "spec", "volumeAttributesClassName")),
};

function claimUsage(claim: unknown): ReadonlyMap<string, Quantity> {
  const usage = new Map([["persistentvolumeclaims", one]]);
  const annotated = textAt(valueAt(claim, "metadata", "annotations"), "volume.beta.kubernetes.io/storage-class");
  const className = annotated === "" ? textAt(claim, "spec", "storageClassName") : annotated;
  if (className !== "") usage.set(`${className}${byClass}persistentvolumeclaims`, one);
  const requested = amountsAt(claim, "spec", "resources", "requests").get("storage");
  if (requested === undefined) return usage;
  const allocated = amountsAt(claim, "status", "allocatedResources").get("storage");
  const larger = allocated?.isGreaterThan(requested) === true ? allocated : requested;
  const size = larger.isInteger() ? larger : quantityFromInteger(larger.value(), larger.format);
  usage.set("requests.storage", size);
  if (className !== "") usage.set(`${className}${byClass}requests.storage`, size);
  return usage;
}
