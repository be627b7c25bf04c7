// Schema fields that several parts of the spec share.

import type { ValidationRule } from "@homeostat/schema";
import type {
  NodeAffinity,
  PodAffinity,
  PodAntiAffinity,
  TopologySpreadConstraint,
} from "@homeostat/kubernetes/core/v1";
import { s } from "homeostat";
import { annotationPrefix } from "./annotations.ts";
import { reservedLabelPrefixes, reservedLabels } from "./labels.ts";
import { ownedVariables } from "./variables.ts";

export const quantityProblem = "must be a quantity greater than 0, such as 500m or 10Gi";

/** A quantity greater than 0, as text. */
export const quantity = s.string().max(64).rule({
  rule: "isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",
  message: quantityProblem,
  reason: "FieldValueInvalid",
});

/** The name of a Secret or another object in the namespace of the cluster. */
export const objectName = s
  .string()
  .min(1)
  .max(253)
  .pattern(String.raw`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`);

export const secretKey = s
  .object({
    name: objectName.describe("Name of the Secret."),
    key: s
      .string()
      .min(1)
      .max(253)
      .pattern(String.raw`^[-._a-zA-Z0-9]+$`)
      .describe("Key in the Secret."),
  })
  .describe("A key of a Secret in the namespace of the cluster.");

/** Returns a map of texts. */
export const texts = (countMax: number, lengthMax = 1024) => s.map(s.string().max(lengthMax)).max(countMax);

/** Returns a rule that rejects keys of a map by a CEL condition on `k`. */
function keysRule(condition: string, message: string): ValidationRule {
  return { rule: `self.all(k, ${condition})`, message, reason: "FieldValueForbidden" };
}

export const reservedLabelProblem = `must not use ${reservedLabels.join(", ")} or a key under ${reservedLabelPrefixes.join(", ")}`;

/** Labels of pods. Keys that selectors and watches use are rejected. */
export const podLabels = texts(32, 63).rule(
  keysRule(
    [
      `!(k in [${reservedLabels.map((label) => `'${label}'`).join(", ")}])`,
      ...reservedLabelPrefixes.map((prefix) => `!k.startsWith('${prefix}')`),
    ].join(" && "),
    reservedLabelProblem,
  ),
);

export const reservedAnnotationProblem = `must not use a key under ${annotationPrefix}`;

/** Annotations of pods. */
export const podAnnotations = texts(64, 4096).rule(
  keysRule(`!k.startsWith('${annotationPrefix}')`, reservedAnnotationProblem),
);

export const nodeSelector = texts(32, 63);

const toleration = s.object({
  key: s.string().max(317).optional(),
  operator: s.enum("Exists", "Equal").optional(),
  value: s.string().max(63).optional(),
  effect: s.enum("NoSchedule", "PreferNoSchedule", "NoExecute").optional(),
  tolerationSeconds: s.int64().optional(),
});

export const tolerations = s.list(toleration).atomic().max(32);

/** Parts of an affinity, which are copied to pods unchanged. */
export const affinity = s.object({
  nodeAffinity: s.opaque<NodeAffinity>().optional(),
  podAffinity: s.opaque<PodAffinity>().optional(),
  podAntiAffinity: s.opaque<PodAntiAffinity>().optional().describe("Replaces the anti-affinity of the operator."),
});

export const topologySpreadConstraints = s.list(s.opaque<TopologySpreadConstraint>()).atomic().max(8);

export const ownedVariableProblem = "the operator sets this variable";

const envVar = s
  .object({
    name: s.string().max(256).pattern("^[A-Za-z_][A-Za-z0-9_]*$"),
    value: s.string().max(4096).optional(),
    valueFromSecret: secretKey.optional(),
  })
  .exactlyOneOf("value", "valueFromSecret")
  .rule({
    rule: `!(self.name in [${ownedVariables.map((variable) => `'${variable}'`).join(", ")}])`,
    message: ownedVariableProblem,
    reason: "FieldValueForbidden",
    fieldPath: ".name",
  });

export const env = s.list(envVar).mapBy("name").max(64);

/** Returns a rule that keeps a field as it was at the creation of the cluster. */
export function unchanged(field: string, isOptional = false): ValidationRule {
  const isSame = `self.${field} == oldSelf.${field}`;
  return {
    rule: isOptional ? `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || ${isSame})` : isSame,
    message: immutableProblem,
    reason: "FieldValueForbidden",
    fieldPath: `.${field}`,
  };
}

export const immutableProblem = "field is immutable: create a new cluster and move the data";
