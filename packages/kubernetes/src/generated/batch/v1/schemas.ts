// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as batchV1 from "../../batch/v1.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";
import * as coreV1Schemas from "../../core/v1/schemas.ts";
import * as metaV1Schemas from "../../meta/v1/schemas.ts";

const string: EmbeddedSchema = { type: "string" };
const boolean: EmbeddedSchema = { type: "boolean" };
const int32: EmbeddedSchema = { type: "integer", format: "int32" };
const int64: EmbeddedSchema = { type: "integer", format: "int64" };

/** The schema of a `PodFailurePolicyOnExitCodesRequirement`. */
export const podFailurePolicyOnExitCodesRequirement: EmbeddedType<batchV1.PodFailurePolicyOnExitCodesRequirement> = {
  name: "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement",
  schema: {
    type: "object",
    properties: {
      containerName: string,
      operator: string,
      values: { type: "array", items: int32, "x-kubernetes-list-type": "set" },
    },
    required: ["operator", "values"],
  },
};

/** The schema of a `PodFailurePolicyOnPodConditionsPattern`. */
export const podFailurePolicyOnPodConditionsPattern: EmbeddedType<batchV1.PodFailurePolicyOnPodConditionsPattern> = {
  name: "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern",
  schema: {
    type: "object",
    properties: {
      status: string,
      type: string,
    },
    required: ["type"],
  },
};

/** The schema of a `PodFailurePolicyRule`. */
export const podFailurePolicyRule: EmbeddedType<batchV1.PodFailurePolicyRule> = {
  name: "io.k8s.api.batch.v1.PodFailurePolicyRule",
  schema: {
    type: "object",
    properties: {
      action: string,
      onExitCodes: podFailurePolicyOnExitCodesRequirement.schema,
      onPodConditions: { type: "array", items: podFailurePolicyOnPodConditionsPattern.schema, "x-kubernetes-list-type": "atomic" },
    },
    required: ["action"],
  },
};

/** The schema of a `PodFailurePolicy`. */
export const podFailurePolicy: EmbeddedType<batchV1.PodFailurePolicy> = {
  name: "io.k8s.api.batch.v1.PodFailurePolicy",
  schema: {
    type: "object",
    properties: {
      rules: { type: "array", items: podFailurePolicyRule.schema, "x-kubernetes-list-type": "atomic" },
    },
    required: ["rules"],
  },
};

/** The schema of a `SuccessPolicyRule`. */
export const successPolicyRule: EmbeddedType<batchV1.SuccessPolicyRule> = {
  name: "io.k8s.api.batch.v1.SuccessPolicyRule",
  schema: {
    type: "object",
    properties: {
      succeededCount: int32,
      succeededIndexes: string,
    },
  },
};

/** The schema of a `SuccessPolicy`. */
export const successPolicy: EmbeddedType<batchV1.SuccessPolicy> = {
  name: "io.k8s.api.batch.v1.SuccessPolicy",
  schema: {
    type: "object",
    properties: {
      rules: { type: "array", items: successPolicyRule.schema, "x-kubernetes-list-type": "atomic" },
    },
    required: ["rules"],
  },
};

/** The schema of a `JobSpec`. */
export const jobSpec: EmbeddedType<batchV1.JobSpec> = {
  name: "io.k8s.api.batch.v1.JobSpec",
  schema: {
    type: "object",
    properties: {
      activeDeadlineSeconds: int64,
      backoffLimit: int32,
      backoffLimitPerIndex: int32,
      completionMode: string,
      completions: int32,
      managedBy: string,
      manualSelector: boolean,
      maxFailedIndexes: int32,
      parallelism: int32,
      podFailurePolicy: podFailurePolicy.schema,
      podReplacementPolicy: string,
      selector: metaV1Schemas.labelSelector.schema,
      successPolicy: successPolicy.schema,
      suspend: boolean,
      template: coreV1Schemas.podTemplateSpec.schema,
      ttlSecondsAfterFinished: int32,
    },
    required: ["template"],
  },
};

/** The schema of a `JobTemplateSpec`. */
export const jobTemplateSpec: EmbeddedType<batchV1.JobTemplateSpec> = {
  name: "io.k8s.api.batch.v1.JobTemplateSpec",
  schema: {
    type: "object",
    properties: {
      metadata: metaV1Schemas.objectMeta.schema,
      spec: jobSpec.schema,
    },
  },
};

/** The schema of a `CronJobSpec`. */
export const cronJobSpec: EmbeddedType<batchV1.CronJobSpec> = {
  name: "io.k8s.api.batch.v1.CronJobSpec",
  schema: {
    type: "object",
    properties: {
      concurrencyPolicy: string,
      failedJobsHistoryLimit: int32,
      jobTemplate: jobTemplateSpec.schema,
      schedule: string,
      startingDeadlineSeconds: int64,
      successfulJobsHistoryLimit: int32,
      suspend: boolean,
      timeZone: string,
    },
    required: ["jobTemplate", "schedule"],
  },
};
