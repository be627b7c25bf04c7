// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as autoscalingV2 from "../../autoscaling/v2.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";
import * as metaV1Schemas from "../../meta/v1/schemas.ts";

const string: EmbeddedSchema = { type: "string" };
const int32: EmbeddedSchema = { type: "integer", format: "int32" };

/** The schema of a `HPAScalingPolicy`. */
export const hpaScalingPolicy: EmbeddedType<autoscalingV2.HPAScalingPolicy> = {
  name: "io.k8s.api.autoscaling.v2.HPAScalingPolicy",
  schema: {
    type: "object",
    properties: {
      periodSeconds: int32,
      type: string,
      value: int32,
    },
    required: ["periodSeconds", "type", "value"],
  },
};

/** The schema of a `HPAScalingRules`. */
export const hpaScalingRules: EmbeddedType<autoscalingV2.HPAScalingRules> = {
  name: "io.k8s.api.autoscaling.v2.HPAScalingRules",
  schema: {
    type: "object",
    properties: {
      policies: { type: "array", items: hpaScalingPolicy.schema, "x-kubernetes-list-type": "atomic" },
      selectPolicy: string,
      stabilizationWindowSeconds: int32,
      tolerance: metaV1Schemas.quantity.schema,
    },
  },
};

/** The schema of a `HorizontalPodAutoscalerBehavior`. */
export const horizontalPodAutoscalerBehavior: EmbeddedType<autoscalingV2.HorizontalPodAutoscalerBehavior> = {
  name: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior",
  schema: {
    type: "object",
    properties: {
      scaleDown: hpaScalingRules.schema,
      scaleUp: hpaScalingRules.schema,
    },
  },
};

/** The schema of a `MetricTarget`. */
export const metricTarget: EmbeddedType<autoscalingV2.MetricTarget> = {
  name: "io.k8s.api.autoscaling.v2.MetricTarget",
  schema: {
    type: "object",
    properties: {
      averageUtilization: int32,
      averageValue: metaV1Schemas.quantity.schema,
      type: string,
      value: metaV1Schemas.quantity.schema,
    },
    required: ["type"],
  },
};

/** The schema of a `ContainerResourceMetricSource`. */
export const containerResourceMetricSource: EmbeddedType<autoscalingV2.ContainerResourceMetricSource> = {
  name: "io.k8s.api.autoscaling.v2.ContainerResourceMetricSource",
  schema: {
    type: "object",
    properties: {
      container: string,
      name: string,
      target: metricTarget.schema,
    },
    required: ["container", "name", "target"],
  },
};

/** The schema of a `MetricIdentifier`. */
export const metricIdentifier: EmbeddedType<autoscalingV2.MetricIdentifier> = {
  name: "io.k8s.api.autoscaling.v2.MetricIdentifier",
  schema: {
    type: "object",
    properties: {
      name: string,
      selector: metaV1Schemas.labelSelector.schema,
    },
    required: ["name"],
  },
};

/** The schema of an `ExternalMetricSource`. */
export const externalMetricSource: EmbeddedType<autoscalingV2.ExternalMetricSource> = {
  name: "io.k8s.api.autoscaling.v2.ExternalMetricSource",
  schema: {
    type: "object",
    properties: {
      metric: metricIdentifier.schema,
      target: metricTarget.schema,
    },
    required: ["metric", "target"],
  },
};

/** The schema of a `CrossVersionObjectReference`. */
export const crossVersionObjectReference: EmbeddedType<autoscalingV2.CrossVersionObjectReference> = {
  name: "io.k8s.api.autoscaling.v2.CrossVersionObjectReference",
  schema: {
    type: "object",
    properties: {
      apiVersion: string,
      kind: string,
      name: string,
    },
    required: ["kind", "name"],
  },
};

/** The schema of an `ObjectMetricSource`. */
export const objectMetricSource: EmbeddedType<autoscalingV2.ObjectMetricSource> = {
  name: "io.k8s.api.autoscaling.v2.ObjectMetricSource",
  schema: {
    type: "object",
    properties: {
      describedObject: crossVersionObjectReference.schema,
      metric: metricIdentifier.schema,
      target: metricTarget.schema,
    },
    required: ["describedObject", "metric", "target"],
  },
};

/** The schema of a `PodsMetricSource`. */
export const podsMetricSource: EmbeddedType<autoscalingV2.PodsMetricSource> = {
  name: "io.k8s.api.autoscaling.v2.PodsMetricSource",
  schema: {
    type: "object",
    properties: {
      metric: metricIdentifier.schema,
      target: metricTarget.schema,
    },
    required: ["metric", "target"],
  },
};

/** The schema of a `ResourceMetricSource`. */
export const resourceMetricSource: EmbeddedType<autoscalingV2.ResourceMetricSource> = {
  name: "io.k8s.api.autoscaling.v2.ResourceMetricSource",
  schema: {
    type: "object",
    properties: {
      name: string,
      target: metricTarget.schema,
    },
    required: ["name", "target"],
  },
};

/** The schema of a `MetricSpec`. */
export const metricSpec: EmbeddedType<autoscalingV2.MetricSpec> = {
  name: "io.k8s.api.autoscaling.v2.MetricSpec",
  schema: {
    type: "object",
    properties: {
      containerResource: containerResourceMetricSource.schema,
      external: externalMetricSource.schema,
      object: objectMetricSource.schema,
      pods: podsMetricSource.schema,
      resource: resourceMetricSource.schema,
      type: string,
    },
    required: ["type"],
  },
};

/** The schema of a `HorizontalPodAutoscalerSpec`. */
export const horizontalPodAutoscalerSpec: EmbeddedType<autoscalingV2.HorizontalPodAutoscalerSpec> = {
  name: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec",
  schema: {
    type: "object",
    properties: {
      behavior: horizontalPodAutoscalerBehavior.schema,
      maxReplicas: int32,
      metrics: { type: "array", items: metricSpec.schema, "x-kubernetes-list-type": "atomic" },
      minReplicas: int32,
      scaleTargetRef: crossVersionObjectReference.schema,
    },
    required: ["maxReplicas", "scaleTargetRef"],
  },
};
