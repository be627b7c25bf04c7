// Admission steps for PersistentVolumes and claims.

import { isRecord, type JsonRecord } from "@homeostat/core";
import { strategyOf } from "../kinds/strategies.ts";
import { isSet, listAt, textAt, valueAt } from "../values/fields.ts";
import type { AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { newestDefault } from "./default-class.ts";
import { forbid, isAbout } from "../admission/forbid.ts";
import { withSpec } from "./node-steps.ts";
import { amountsAt, none } from "../admission/resource-lists.ts";

const classes = { group: "storage.k8s.io", resource: "storageclasses", namespace: "" };
const classAnnotation = "volume.beta.kubernetes.io/storage-class";
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** Returns the step that sets the default StorageClass on a claim without one. */
export function defaultStorageClass(reader: ClusterReader): AdmissionStep {
  return {
    name: "DefaultStorageClass",
    mutate: (request) => {
      const { object: claim, operation } = request;
      if (claim === undefined || operation !== "CREATE" || !isAbout(request, "persistentvolumeclaims"))
        return undefined;
      const hasClass =
        isSet(claim, "spec", "storageClassName") || isSet(claim, "metadata", "annotations", classAnnotation);
      const name = hasClass ? undefined : newestDefault(reader.list(classes), defaultAnnotations);
      return name === undefined ? undefined : withSpec(claim, { storageClassName: name });
    },
  };
}

/** Adds the finalizer that protects new volumes and claims from deletion while they are in use. */
export const storageObjectInUseProtection: AdmissionStep = {
  name: "StorageObjectInUseProtection",
  mutate: (request) => {
    const { object, operation } = request;
    if (object === undefined || operation !== "CREATE" || request.subresource !== "") return undefined;
    const { protectionFinalizer } = strategyOf(request.kind.resource);
    return protectionFinalizer === undefined ? undefined : withFinalizer(object, protectionFinalizer);
  },
};

function withFinalizer(object: JsonRecord, finalizer: string): JsonRecord | undefined {
  const finalizers = listAt(object, "metadata", "finalizers");
  if (finalizers.includes(finalizer)) return undefined;
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { ...metadata, finalizers: [...finalizers, finalizer] } };
}

/** Returns the step that allows a claim to grow only if its StorageClass allows volume expansion. */
export function persistentVolumeClaimResize(reader: ClusterReader): AdmissionStep {
  return {
    name: "PersistentVolumeClaimResize",
    validate: (request) => {
      const { object: claim, oldObject: old, operation } = request;
      if (operation !== "UPDATE" || !isAbout(request, "persistentvolumeclaims")) return;
      if (!sizeOf(claim).isGreaterThan(sizeOf(old))) return;
      if (textAt(old, "status", "phase") !== "Bound") {
        throw forbid(request, "Only bound persistent volume claims can be expanded");
      }
      const name = classOf(claim);
      const found = name === "" || name !== classOf(old) ? undefined : reader.get({ ...classes, name });
      if (valueAt(found, "allowVolumeExpansion") === true) return;
      const only = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc";
      throw forbid(request, `${only} must support resize`);
    },
  };
}

function sizeOf(claim: unknown): typeof none {
  return amountsAt(claim, "spec", "resources", "requests").get("storage") ?? none;
}

function classOf(claim: unknown): string {
  const annotated = textAt(valueAt(claim, "metadata", "annotations"), classAnnotation);
  return annotated === "" ? textAt(claim, "spec", "storageClassName") : annotated;
}
