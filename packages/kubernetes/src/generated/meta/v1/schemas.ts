// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../../meta/v1.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";

const string: EmbeddedSchema = { type: "string" };
const strings: EmbeddedSchema = { type: "array", items: string, "x-kubernetes-list-type": "atomic" };
const stringMap: EmbeddedSchema = { type: "object", additionalProperties: string };
const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";
const conditionTypePattern =
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

/** The schema of a `Time`. */
export const time: EmbeddedType<metaV1.Time> = {
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
  schema: { type: "string", format: "date-time" },
};

/** The schema of a `LabelSelectorRequirement`. */
export const labelSelectorRequirement: EmbeddedType<metaV1.LabelSelectorRequirement> = {
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
  schema: {
    type: "object",
    properties: {
      key: string,
      operator: string,
      values: strings,
    },
    required: ["key", "operator"],
  },
};

/** The schema of a `LabelSelector`. */
export const labelSelector: EmbeddedType<metaV1.LabelSelector> = {
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
  schema: {
    type: "object",
    properties: {
      matchExpressions: { type: "array", items: labelSelectorRequirement.schema, "x-kubernetes-list-type": "atomic" },
      matchLabels: stringMap,
    },
    "x-kubernetes-map-type": "atomic",
  },
};

/**
 * The schema of the metadata of a template: the fields of `ObjectMeta` that a person sets. A bare object would lose
 * them all.
 */
export const objectMeta: EmbeddedType<Pick<metaV1.ObjectMeta, "annotations" | "finalizers" | "labels" | "name" | "namespace">> = {
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  schema: {
    type: "object",
    properties: {
      annotations: stringMap,
      finalizers: { type: "array", items: string },
      labels: stringMap,
      name: string,
      namespace: string,
    },
  },
};

/** The schema of a `Quantity`. */
export const quantity: EmbeddedType<metaV1.Quantity> = {
  name: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  schema: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true, pattern: quantityPattern },
};

/** The schema of an `IntOrString`. */
export const intOrString: EmbeddedType<metaV1.IntOrString> = {
  name: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  schema: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
};

/** The schema of a `MicroTime`. */
export const microTime: EmbeddedType<metaV1.MicroTime> = {
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
  schema: { type: "string", format: "date-time" },
};

/** The schema of a `Condition`, with the limits that its Go source asks of custom resources. */
export const condition: EmbeddedType<metaV1.Condition> = {
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
  schema: {
    type: "object",
    properties: {
      lastTransitionTime: time.schema,
      message: { type: "string", maxLength: 32768 },
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      reason: { type: "string", maxLength: 1024, minLength: 1, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      type: { type: "string", maxLength: 316, pattern: conditionTypePattern },
    },
    required: ["lastTransitionTime", "message", "reason", "status", "type"],
  },
};

/** The schema of a `Duration`. */
export const duration: EmbeddedType<metaV1.Duration> = {
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.Duration",
  schema: { type: "string" },
};

/** The schema of a `RawExtension`. */
export const rawExtension: EmbeddedType<metaV1.RawExtension> = {
  name: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
