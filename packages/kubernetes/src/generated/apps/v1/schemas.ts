// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as appsV1 from "../../apps/v1.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";
import * as coreV1Schemas from "../../core/v1/schemas.ts";
import * as metaV1Schemas from "../../meta/v1/schemas.ts";

const string: EmbeddedSchema = { type: "string" };
const boolean: EmbeddedSchema = { type: "boolean" };
const int32: EmbeddedSchema = { type: "integer", format: "int32" };

/** The schema of a `RollingUpdateDaemonSet`. */
export const rollingUpdateDaemonSet: EmbeddedType<appsV1.RollingUpdateDaemonSet> = {
  name: "io.k8s.api.apps.v1.RollingUpdateDaemonSet",
  schema: {
    type: "object",
    properties: {
      maxSurge: metaV1Schemas.intOrString.schema,
      maxUnavailable: metaV1Schemas.intOrString.schema,
    },
  },
};

/** The schema of a `DaemonSetUpdateStrategy`. */
export const daemonSetUpdateStrategy: EmbeddedType<appsV1.DaemonSetUpdateStrategy> = {
  name: "io.k8s.api.apps.v1.DaemonSetUpdateStrategy",
  schema: {
    type: "object",
    properties: {
      rollingUpdate: rollingUpdateDaemonSet.schema,
      type: string,
    },
  },
};

/** The schema of a `DaemonSetSpec`. */
export const daemonSetSpec: EmbeddedType<appsV1.DaemonSetSpec> = {
  name: "io.k8s.api.apps.v1.DaemonSetSpec",
  schema: {
    type: "object",
    properties: {
      minReadySeconds: int32,
      revisionHistoryLimit: int32,
      selector: metaV1Schemas.labelSelector.schema,
      template: coreV1Schemas.podTemplateSpec.schema,
      updateStrategy: daemonSetUpdateStrategy.schema,
    },
    required: ["selector", "template"],
  },
};

/** The schema of a `RollingUpdateDeployment`. */
export const rollingUpdateDeployment: EmbeddedType<appsV1.RollingUpdateDeployment> = {
  name: "io.k8s.api.apps.v1.RollingUpdateDeployment",
  schema: {
    type: "object",
    properties: {
      maxSurge: metaV1Schemas.intOrString.schema,
      maxUnavailable: metaV1Schemas.intOrString.schema,
    },
  },
};

/** The schema of a `DeploymentStrategy`. */
export const deploymentStrategy: EmbeddedType<appsV1.DeploymentStrategy> = {
  name: "io.k8s.api.apps.v1.DeploymentStrategy",
  schema: {
    type: "object",
    properties: {
      rollingUpdate: rollingUpdateDeployment.schema,
      type: string,
    },
  },
};

/** The schema of a `DeploymentSpec`. */
export const deploymentSpec: EmbeddedType<appsV1.DeploymentSpec> = {
  name: "io.k8s.api.apps.v1.DeploymentSpec",
  schema: {
    type: "object",
    properties: {
      minReadySeconds: int32,
      paused: boolean,
      progressDeadlineSeconds: int32,
      replicas: int32,
      revisionHistoryLimit: int32,
      selector: metaV1Schemas.labelSelector.schema,
      strategy: deploymentStrategy.schema,
      template: coreV1Schemas.podTemplateSpec.schema,
    },
    required: ["selector", "template"],
  },
};

/** The schema of a `ReplicaSetSpec`. */
export const replicaSetSpec: EmbeddedType<appsV1.ReplicaSetSpec> = {
  name: "io.k8s.api.apps.v1.ReplicaSetSpec",
  schema: {
    type: "object",
    properties: {
      minReadySeconds: int32,
      replicas: int32,
      selector: metaV1Schemas.labelSelector.schema,
      template: coreV1Schemas.podTemplateSpec.schema,
    },
    required: ["selector"],
  },
};

/** The schema of a `StatefulSetOrdinals`. */
export const statefulSetOrdinals: EmbeddedType<appsV1.StatefulSetOrdinals> = {
  name: "io.k8s.api.apps.v1.StatefulSetOrdinals",
  schema: {
    type: "object",
    properties: {
      start: int32,
    },
  },
};

/** The schema of a `StatefulSetPersistentVolumeClaimRetentionPolicy`. */
export const statefulSetPersistentVolumeClaimRetentionPolicy: EmbeddedType<appsV1.StatefulSetPersistentVolumeClaimRetentionPolicy> = {
  name: "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  schema: {
    type: "object",
    properties: {
      whenDeleted: string,
      whenScaled: string,
    },
  },
};

/** The schema of a `RollingUpdateStatefulSetStrategy`. */
export const rollingUpdateStatefulSetStrategy: EmbeddedType<appsV1.RollingUpdateStatefulSetStrategy> = {
  name: "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy",
  schema: {
    type: "object",
    properties: {
      maxUnavailable: metaV1Schemas.intOrString.schema,
      partition: int32,
    },
  },
};

/** The schema of a `StatefulSetUpdateStrategy`. */
export const statefulSetUpdateStrategy: EmbeddedType<appsV1.StatefulSetUpdateStrategy> = {
  name: "io.k8s.api.apps.v1.StatefulSetUpdateStrategy",
  schema: {
    type: "object",
    properties: {
      rollingUpdate: rollingUpdateStatefulSetStrategy.schema,
      type: string,
    },
  },
};

/** The schema of a `StatefulSetSpec`. */
export const statefulSetSpec: EmbeddedType<appsV1.StatefulSetSpec> = {
  name: "io.k8s.api.apps.v1.StatefulSetSpec",
  schema: {
    type: "object",
    properties: {
      minReadySeconds: int32,
      ordinals: statefulSetOrdinals.schema,
      persistentVolumeClaimRetentionPolicy: statefulSetPersistentVolumeClaimRetentionPolicy.schema,
      podManagementPolicy: string,
      replicas: int32,
      revisionHistoryLimit: int32,
      selector: metaV1Schemas.labelSelector.schema,
      serviceName: string,
      template: coreV1Schemas.podTemplateSpec.schema,
      updateStrategy: statefulSetUpdateStrategy.schema,
      volumeClaimTemplates: { type: "array", items: coreV1Schemas.persistentVolumeClaim.schema, "x-kubernetes-list-type": "atomic" },
    },
    required: ["selector", "template"],
  },
};
