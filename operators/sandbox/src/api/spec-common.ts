// Schema fields that several kinds share.

import { labelSelector as labelSelectorType } from "@homeostat/kubernetes/meta/v1/schemas";
import type { ValidationRule } from "@homeostat/schema";
import { s } from "homeostat";
import { durationLengthMax, durationPattern } from "./duration.ts";
import { nameLengthMax, namePattern, nameProblem } from "./names.ts";
import {
  baselineKeys,
  reservedKeyProblem,
  routingKeyLengthMax,
  routingKeyLengthMin,
  routingKeyPattern,
} from "./routing-key.ts";

/** The name of an entry, an endpoint or an object of this API. */
export const dnsLabel = s.string().min(1).max(nameLengthMax).pattern(namePattern);

/** The name of an object of Kubernetes. */
export const objectName = s
  .string()
  .min(1)
  .max(253)
  .pattern(String.raw`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`);

/** A rule for `metadata.name`: the schema pattern of a name has no readable message. */
export const nameRule: ValidationRule = {
  rule: `self.metadata.name.size() <= ${nameLengthMax} && self.metadata.name.matches('${namePattern}')`,
  message: nameProblem,
  reason: "FieldValueInvalid",
  fieldPath: ".metadata.name",
};

/** The field `metadata.name` of all kinds. {@link nameRule} restricts it further. */
export const metadataName = s.string().max(253);

/** A routing key that a sandbox or a group owns. */
export const ownedRoutingKey = s
  .string()
  .min(routingKeyLengthMin)
  .max(routingKeyLengthMax)
  .pattern(routingKeyPattern)
  .rule({
    rule: `!(self in [${baselineKeys.map((key) => `'${key}'`).join(", ")}])`,
    message: reservedKeyProblem,
    reason: "FieldValueInvalid",
  });

/** A duration: an integer of seconds, or text such as `90m`. */
export const duration = s.intOrString().min(0).maxLength(durationLengthMax).pattern(durationPattern);

export const quantityProblem = "must be a quantity greater than 0, such as 500m or 2Gi";

/**
 * A quantity greater than 0, as a number or as text. It has a CEL rule instead of a pattern, because only rules have
 * readable messages.
 */
export const quantity = s.intOrString().maxLength(64).rule({
  rule: "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
  message: quantityProblem,
  reason: "FieldValueInvalid",
});

export const labelSelector = s.embedded(labelSelectorType);

export const targetKinds = ["Deployment", "StatefulSet", "Rollout"] as const;

/** The API versions of workloads, by the group of their kinds. */
export const workloadApiVersion = "apps/v1";
export const rolloutApiGroup = "argoproj.io";

/** A reference to a workload of the baseline. */
export const targetRef = s
  .object({
    apiVersion: s
      .string()
      .max(253)
      .default(workloadApiVersion)
      .describe("API version of the workload: apps/v1, or argoproj.io/v1alpha1 for a Rollout."),
    kind: s
      .enum(...targetKinds)
      .default("Deployment")
      .describe("Kind of the workload. A Rollout needs the CRDs of Argo Rollouts in the cluster."),
    name: objectName.describe("Name of the workload."),
    namespace: dnsLabel
      .optional()
      .describe(
        "Namespace of the workload. Default: the namespace of this object. Another namespace needs a SandboxPolicy there that allows it.",
      ),
  })
  .rule({
    rule: `self.kind == 'Rollout' ? self.apiVersion.startsWith('${rolloutApiGroup}/') : self.apiVersion == '${workloadApiVersion}'`,
    messageExpression: `'must be ' + (self.kind == 'Rollout' ? '${rolloutApiGroup}/v1alpha1' : '${workloadApiVersion}') + ' for the kind ' + self.kind + ', not ' + self.apiVersion`,
    message: `must be ${workloadApiVersion} for Deployments and StatefulSets and ${rolloutApiGroup}/v1alpha1 for Rollouts`,
    reason: "FieldValueInvalid",
    fieldPath: ".apiVersion",
  });

/** Handling of requests while a workload exists but has no ready target. */
export const unavailableModes = ["Baseline", "Fail", "Hold"] as const;

/** Ways in which the traffic of a Service reaches the routing proxy. */
export const interceptionModes = ["Takeover", "Sidecar", "Mesh", "None"] as const;

export type Interception = (typeof interceptionModes)[number];

/** Values whose hash decides on which side of a percentage a caller falls. */
export const stickyModes = ["TraceId", "ClientIP", "Header", "None"] as const;

export const messageLengthMax = 1024;

/** A readable message of a status. */
export const message = s.string().max(messageLengthMax).optional();

/** A count of a status. */
export const count = s.int().min(0).default(0);

/** A short word or summary of a status. */
export const word = s.string().max(64).optional();
