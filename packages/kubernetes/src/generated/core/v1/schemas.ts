// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../../core/v1.ts";
import type { EmbeddedSchema, EmbeddedType } from "../../../embedded-type.ts";
import * as metaV1Schemas from "../../meta/v1/schemas.ts";

const string: EmbeddedSchema = { type: "string" };
const boolean: EmbeddedSchema = { type: "boolean" };
const int32: EmbeddedSchema = { type: "integer", format: "int32" };
const int64: EmbeddedSchema = { type: "integer", format: "int64" };
const strings: EmbeddedSchema = { type: "array", items: string, "x-kubernetes-list-type": "atomic" };
const stringMap: EmbeddedSchema = { type: "object", additionalProperties: string };

/** The schema of a `NodeSelectorRequirement`. */
export const nodeSelectorRequirement: EmbeddedType<coreV1.NodeSelectorRequirement> = {
  name: "io.k8s.api.core.v1.NodeSelectorRequirement",
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

/** The schema of a `NodeSelectorTerm`. */
export const nodeSelectorTerm: EmbeddedType<coreV1.NodeSelectorTerm> = {
  name: "io.k8s.api.core.v1.NodeSelectorTerm",
  schema: {
    type: "object",
    properties: {
      matchExpressions: { type: "array", items: nodeSelectorRequirement.schema, "x-kubernetes-list-type": "atomic" },
      matchFields: { type: "array", items: nodeSelectorRequirement.schema, "x-kubernetes-list-type": "atomic" },
    },
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `PreferredSchedulingTerm`. */
export const preferredSchedulingTerm: EmbeddedType<coreV1.PreferredSchedulingTerm> = {
  name: "io.k8s.api.core.v1.PreferredSchedulingTerm",
  schema: {
    type: "object",
    properties: {
      preference: nodeSelectorTerm.schema,
      weight: int32,
    },
    required: ["preference", "weight"],
  },
};

/** The schema of a `NodeSelector`. */
export const nodeSelector: EmbeddedType<coreV1.NodeSelector> = {
  name: "io.k8s.api.core.v1.NodeSelector",
  schema: {
    type: "object",
    properties: {
      nodeSelectorTerms: { type: "array", items: nodeSelectorTerm.schema, "x-kubernetes-list-type": "atomic" },
    },
    required: ["nodeSelectorTerms"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `NodeAffinity`. */
export const nodeAffinity: EmbeddedType<coreV1.NodeAffinity> = {
  name: "io.k8s.api.core.v1.NodeAffinity",
  schema: {
    type: "object",
    properties: {
      preferredDuringSchedulingIgnoredDuringExecution: { type: "array", items: preferredSchedulingTerm.schema, "x-kubernetes-list-type": "atomic" },
      requiredDuringSchedulingIgnoredDuringExecution: nodeSelector.schema,
    },
  },
};

/** The schema of a `PodAffinityTerm`. */
export const podAffinityTerm: EmbeddedType<coreV1.PodAffinityTerm> = {
  name: "io.k8s.api.core.v1.PodAffinityTerm",
  schema: {
    type: "object",
    properties: {
      labelSelector: metaV1Schemas.labelSelector.schema,
      matchLabelKeys: strings,
      mismatchLabelKeys: strings,
      namespaceSelector: metaV1Schemas.labelSelector.schema,
      namespaces: strings,
      topologyKey: string,
    },
    required: ["topologyKey"],
  },
};

/** The schema of a `WeightedPodAffinityTerm`. */
export const weightedPodAffinityTerm: EmbeddedType<coreV1.WeightedPodAffinityTerm> = {
  name: "io.k8s.api.core.v1.WeightedPodAffinityTerm",
  schema: {
    type: "object",
    properties: {
      podAffinityTerm: podAffinityTerm.schema,
      weight: int32,
    },
    required: ["podAffinityTerm", "weight"],
  },
};

/** The schema of a `PodAffinity`. */
export const podAffinity: EmbeddedType<coreV1.PodAffinity> = {
  name: "io.k8s.api.core.v1.PodAffinity",
  schema: {
    type: "object",
    properties: {
      preferredDuringSchedulingIgnoredDuringExecution: { type: "array", items: weightedPodAffinityTerm.schema, "x-kubernetes-list-type": "atomic" },
      requiredDuringSchedulingIgnoredDuringExecution: { type: "array", items: podAffinityTerm.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of a `PodAntiAffinity`. */
export const podAntiAffinity: EmbeddedType<coreV1.PodAntiAffinity> = {
  name: "io.k8s.api.core.v1.PodAntiAffinity",
  schema: {
    type: "object",
    properties: {
      preferredDuringSchedulingIgnoredDuringExecution: { type: "array", items: weightedPodAffinityTerm.schema, "x-kubernetes-list-type": "atomic" },
      requiredDuringSchedulingIgnoredDuringExecution: { type: "array", items: podAffinityTerm.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of an `Affinity`. */
export const affinity: EmbeddedType<coreV1.Affinity> = {
  name: "io.k8s.api.core.v1.Affinity",
  schema: {
    type: "object",
    properties: {
      nodeAffinity: nodeAffinity.schema,
      podAffinity: podAffinity.schema,
      podAntiAffinity: podAntiAffinity.schema,
    },
  },
};

/** The schema of a `ConfigMapKeySelector`. */
export const configMapKeySelector: EmbeddedType<coreV1.ConfigMapKeySelector> = {
  name: "io.k8s.api.core.v1.ConfigMapKeySelector",
  schema: {
    type: "object",
    properties: {
      key: string,
      name: { type: "string", default: "" },
      optional: boolean,
    },
    required: ["key"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of an `ObjectFieldSelector`. */
export const objectFieldSelector: EmbeddedType<coreV1.ObjectFieldSelector> = {
  name: "io.k8s.api.core.v1.ObjectFieldSelector",
  schema: {
    type: "object",
    properties: {
      apiVersion: string,
      fieldPath: string,
    },
    required: ["fieldPath"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `FileKeySelector`. */
export const fileKeySelector: EmbeddedType<coreV1.FileKeySelector> = {
  name: "io.k8s.api.core.v1.FileKeySelector",
  schema: {
    type: "object",
    properties: {
      key: string,
      optional: { type: "boolean", default: false },
      path: string,
      volumeName: string,
    },
    required: ["key", "path", "volumeName"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `ResourceFieldSelector`. */
export const resourceFieldSelector: EmbeddedType<coreV1.ResourceFieldSelector> = {
  name: "io.k8s.api.core.v1.ResourceFieldSelector",
  schema: {
    type: "object",
    properties: {
      containerName: string,
      divisor: metaV1Schemas.quantity.schema,
      resource: string,
    },
    required: ["resource"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `SecretKeySelector`. */
export const secretKeySelector: EmbeddedType<coreV1.SecretKeySelector> = {
  name: "io.k8s.api.core.v1.SecretKeySelector",
  schema: {
    type: "object",
    properties: {
      key: string,
      name: { type: "string", default: "" },
      optional: boolean,
    },
    required: ["key"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of an `EnvVarSource`. */
export const envVarSource: EmbeddedType<coreV1.EnvVarSource> = {
  name: "io.k8s.api.core.v1.EnvVarSource",
  schema: {
    type: "object",
    properties: {
      configMapKeyRef: configMapKeySelector.schema,
      fieldRef: objectFieldSelector.schema,
      fileKeyRef: fileKeySelector.schema,
      resourceFieldRef: resourceFieldSelector.schema,
      secretKeyRef: secretKeySelector.schema,
    },
  },
};

/** The schema of an `EnvVar`. */
export const envVar: EmbeddedType<coreV1.EnvVar> = {
  name: "io.k8s.api.core.v1.EnvVar",
  schema: {
    type: "object",
    properties: {
      name: string,
      value: string,
      valueFrom: envVarSource.schema,
    },
    required: ["name"],
  },
};

/** The schema of a `ConfigMapEnvSource`. */
export const configMapEnvSource: EmbeddedType<coreV1.ConfigMapEnvSource> = {
  name: "io.k8s.api.core.v1.ConfigMapEnvSource",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", default: "" },
      optional: boolean,
    },
  },
};

/** The schema of a `SecretEnvSource`. */
export const secretEnvSource: EmbeddedType<coreV1.SecretEnvSource> = {
  name: "io.k8s.api.core.v1.SecretEnvSource",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", default: "" },
      optional: boolean,
    },
  },
};

/** The schema of an `EnvFromSource`. */
export const envFromSource: EmbeddedType<coreV1.EnvFromSource> = {
  name: "io.k8s.api.core.v1.EnvFromSource",
  schema: {
    type: "object",
    properties: {
      configMapRef: configMapEnvSource.schema,
      prefix: string,
      secretRef: secretEnvSource.schema,
    },
  },
};

/** The schema of an `ExecAction`. */
export const execAction: EmbeddedType<coreV1.ExecAction> = {
  name: "io.k8s.api.core.v1.ExecAction",
  schema: {
    type: "object",
    properties: {
      command: strings,
    },
  },
};

/** The schema of a `HTTPHeader`. */
export const httpHeader: EmbeddedType<coreV1.HTTPHeader> = {
  name: "io.k8s.api.core.v1.HTTPHeader",
  schema: {
    type: "object",
    properties: {
      name: string,
      value: string,
    },
    required: ["name", "value"],
  },
};

/** The schema of a `HTTPGetAction`. */
export const httpGetAction: EmbeddedType<coreV1.HTTPGetAction> = {
  name: "io.k8s.api.core.v1.HTTPGetAction",
  schema: {
    type: "object",
    properties: {
      host: string,
      httpHeaders: { type: "array", items: httpHeader.schema, "x-kubernetes-list-type": "atomic" },
      path: string,
      port: metaV1Schemas.intOrString.schema,
      scheme: string,
    },
    required: ["port"],
  },
};

/** The schema of a `SleepAction`. */
export const sleepAction: EmbeddedType<coreV1.SleepAction> = {
  name: "io.k8s.api.core.v1.SleepAction",
  schema: {
    type: "object",
    properties: {
      seconds: int64,
    },
    required: ["seconds"],
  },
};

/** The schema of a `TCPSocketAction`. */
export const tcpSocketAction: EmbeddedType<coreV1.TCPSocketAction> = {
  name: "io.k8s.api.core.v1.TCPSocketAction",
  schema: {
    type: "object",
    properties: {
      host: string,
      port: metaV1Schemas.intOrString.schema,
    },
    required: ["port"],
  },
};

/** The schema of a `LifecycleHandler`. */
export const lifecycleHandler: EmbeddedType<coreV1.LifecycleHandler> = {
  name: "io.k8s.api.core.v1.LifecycleHandler",
  schema: {
    type: "object",
    properties: {
      exec: execAction.schema,
      httpGet: httpGetAction.schema,
      sleep: sleepAction.schema,
      tcpSocket: tcpSocketAction.schema,
    },
  },
};

/** The schema of a `Lifecycle`. */
export const lifecycle: EmbeddedType<coreV1.Lifecycle> = {
  name: "io.k8s.api.core.v1.Lifecycle",
  schema: {
    type: "object",
    properties: {
      postStart: lifecycleHandler.schema,
      preStop: lifecycleHandler.schema,
      stopSignal: string,
    },
  },
};

/** The schema of a `GRPCAction`. */
export const grpcAction: EmbeddedType<coreV1.GRPCAction> = {
  name: "io.k8s.api.core.v1.GRPCAction",
  schema: {
    type: "object",
    properties: {
      port: int32,
      service: { type: "string", default: "" },
    },
    required: ["port"],
  },
};

/** The schema of a `Probe`. */
export const probe: EmbeddedType<coreV1.Probe> = {
  name: "io.k8s.api.core.v1.Probe",
  schema: {
    type: "object",
    properties: {
      exec: execAction.schema,
      failureThreshold: int32,
      grpc: grpcAction.schema,
      httpGet: httpGetAction.schema,
      initialDelaySeconds: int32,
      periodSeconds: int32,
      successThreshold: int32,
      tcpSocket: tcpSocketAction.schema,
      terminationGracePeriodSeconds: int64,
      timeoutSeconds: int32,
    },
  },
};

/** The schema of a `ContainerPort`. */
export const containerPort: EmbeddedType<coreV1.ContainerPort> = {
  name: "io.k8s.api.core.v1.ContainerPort",
  schema: {
    type: "object",
    properties: {
      containerPort: int32,
      hostIP: string,
      hostPort: int32,
      name: string,
      protocol: { type: "string", default: "TCP" },
    },
    required: ["containerPort"],
  },
};

/** The schema of a `ContainerResizePolicy`. */
export const containerResizePolicy: EmbeddedType<coreV1.ContainerResizePolicy> = {
  name: "io.k8s.api.core.v1.ContainerResizePolicy",
  schema: {
    type: "object",
    properties: {
      resourceName: string,
      restartPolicy: string,
    },
    required: ["resourceName", "restartPolicy"],
  },
};

/** The schema of a `ResourceClaim`. */
export const resourceClaim: EmbeddedType<coreV1.ResourceClaim> = {
  name: "io.k8s.api.core.v1.ResourceClaim",
  schema: {
    type: "object",
    properties: {
      name: string,
      request: string,
    },
    required: ["name"],
  },
};

/** The schema of a `ResourceRequirements`. */
export const resourceRequirements: EmbeddedType<coreV1.ResourceRequirements> = {
  name: "io.k8s.api.core.v1.ResourceRequirements",
  schema: {
    type: "object",
    properties: {
      claims: { type: "array", items: resourceClaim.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      limits: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      requests: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
    },
  },
};

/** The schema of a `ContainerRestartRuleOnExitCodes`. */
export const containerRestartRuleOnExitCodes: EmbeddedType<coreV1.ContainerRestartRuleOnExitCodes> = {
  name: "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes",
  schema: {
    type: "object",
    properties: {
      operator: string,
      values: { type: "array", items: int32, "x-kubernetes-list-type": "set" },
    },
    required: ["operator"],
  },
};

/** The schema of a `ContainerRestartRule`. */
export const containerRestartRule: EmbeddedType<coreV1.ContainerRestartRule> = {
  name: "io.k8s.api.core.v1.ContainerRestartRule",
  schema: {
    type: "object",
    properties: {
      action: string,
      exitCodes: containerRestartRuleOnExitCodes.schema,
    },
    required: ["action"],
  },
};

/** The schema of an `AppArmorProfile`. */
export const appArmorProfile: EmbeddedType<coreV1.AppArmorProfile> = {
  name: "io.k8s.api.core.v1.AppArmorProfile",
  schema: {
    type: "object",
    properties: {
      localhostProfile: string,
      type: string,
    },
    required: ["type"],
  },
};

/** The schema of a `Capabilities`. */
export const capabilities: EmbeddedType<coreV1.Capabilities> = {
  name: "io.k8s.api.core.v1.Capabilities",
  schema: {
    type: "object",
    properties: {
      add: strings,
      drop: strings,
    },
  },
};

/** The schema of a `SELinuxOptions`. */
export const seLinuxOptions: EmbeddedType<coreV1.SELinuxOptions> = {
  name: "io.k8s.api.core.v1.SELinuxOptions",
  schema: {
    type: "object",
    properties: {
      level: string,
      role: string,
      type: string,
      user: string,
    },
  },
};

/** The schema of a `SeccompProfile`. */
export const seccompProfile: EmbeddedType<coreV1.SeccompProfile> = {
  name: "io.k8s.api.core.v1.SeccompProfile",
  schema: {
    type: "object",
    properties: {
      localhostProfile: string,
      type: string,
    },
    required: ["type"],
  },
};

/** The schema of a `WindowsSecurityContextOptions`. */
export const windowsSecurityContextOptions: EmbeddedType<coreV1.WindowsSecurityContextOptions> = {
  name: "io.k8s.api.core.v1.WindowsSecurityContextOptions",
  schema: {
    type: "object",
    properties: {
      gmsaCredentialSpec: string,
      gmsaCredentialSpecName: string,
      hostProcess: boolean,
      runAsUserName: string,
    },
  },
};

/** The schema of a `SecurityContext`. */
export const securityContext: EmbeddedType<coreV1.SecurityContext> = {
  name: "io.k8s.api.core.v1.SecurityContext",
  schema: {
    type: "object",
    properties: {
      allowPrivilegeEscalation: boolean,
      appArmorProfile: appArmorProfile.schema,
      capabilities: capabilities.schema,
      privileged: boolean,
      procMount: string,
      readOnlyRootFilesystem: boolean,
      runAsGroup: int64,
      runAsNonRoot: boolean,
      runAsUser: int64,
      seLinuxOptions: seLinuxOptions.schema,
      seccompProfile: seccompProfile.schema,
      windowsOptions: windowsSecurityContextOptions.schema,
    },
  },
};

/** The schema of a `VolumeDevice`. */
export const volumeDevice: EmbeddedType<coreV1.VolumeDevice> = {
  name: "io.k8s.api.core.v1.VolumeDevice",
  schema: {
    type: "object",
    properties: {
      devicePath: string,
      name: string,
    },
    required: ["devicePath", "name"],
  },
};

/** The schema of a `VolumeMount`. */
export const volumeMount: EmbeddedType<coreV1.VolumeMount> = {
  name: "io.k8s.api.core.v1.VolumeMount",
  schema: {
    type: "object",
    properties: {
      mountPath: string,
      mountPropagation: string,
      name: string,
      readOnly: boolean,
      recursiveReadOnly: string,
      subPath: string,
      subPathExpr: string,
    },
    required: ["mountPath", "name"],
  },
};

/** The schema of a `Container`. */
export const container: EmbeddedType<coreV1.Container> = {
  name: "io.k8s.api.core.v1.Container",
  schema: {
    type: "object",
    properties: {
      args: strings,
      command: strings,
      env: { type: "array", items: envVar.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      envFrom: { type: "array", items: envFromSource.schema, "x-kubernetes-list-type": "atomic" },
      image: string,
      imagePullPolicy: string,
      lifecycle: lifecycle.schema,
      livenessProbe: probe.schema,
      name: string,
      ports: { type: "array", items: containerPort.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["containerPort", "protocol"] },
      readinessProbe: probe.schema,
      resizePolicy: { type: "array", items: containerResizePolicy.schema, "x-kubernetes-list-type": "atomic" },
      resources: resourceRequirements.schema,
      restartPolicy: string,
      restartPolicyRules: { type: "array", items: containerRestartRule.schema, "x-kubernetes-list-type": "atomic" },
      securityContext: securityContext.schema,
      startupProbe: probe.schema,
      stdin: boolean,
      stdinOnce: boolean,
      terminationMessagePath: string,
      terminationMessagePolicy: string,
      tty: boolean,
      volumeDevices: { type: "array", items: volumeDevice.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["devicePath"] },
      volumeMounts: { type: "array", items: volumeMount.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["mountPath"] },
      workingDir: string,
    },
    required: ["name"],
  },
};

/** The schema of a `PodDNSConfigOption`. */
export const podDNSConfigOption: EmbeddedType<coreV1.PodDNSConfigOption> = {
  name: "io.k8s.api.core.v1.PodDNSConfigOption",
  schema: {
    type: "object",
    properties: {
      name: string,
      value: string,
    },
  },
};

/** The schema of a `PodDNSConfig`. */
export const podDNSConfig: EmbeddedType<coreV1.PodDNSConfig> = {
  name: "io.k8s.api.core.v1.PodDNSConfig",
  schema: {
    type: "object",
    properties: {
      nameservers: strings,
      options: { type: "array", items: podDNSConfigOption.schema, "x-kubernetes-list-type": "atomic" },
      searches: strings,
    },
  },
};

/** The schema of an `EphemeralContainer`. */
export const ephemeralContainer: EmbeddedType<coreV1.EphemeralContainer> = {
  name: "io.k8s.api.core.v1.EphemeralContainer",
  schema: {
    type: "object",
    properties: {
      args: strings,
      command: strings,
      env: { type: "array", items: envVar.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      envFrom: { type: "array", items: envFromSource.schema, "x-kubernetes-list-type": "atomic" },
      image: string,
      imagePullPolicy: string,
      lifecycle: lifecycle.schema,
      livenessProbe: probe.schema,
      name: string,
      ports: { type: "array", items: containerPort.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["containerPort", "protocol"] },
      readinessProbe: probe.schema,
      resizePolicy: { type: "array", items: containerResizePolicy.schema, "x-kubernetes-list-type": "atomic" },
      resources: resourceRequirements.schema,
      restartPolicy: string,
      restartPolicyRules: { type: "array", items: containerRestartRule.schema, "x-kubernetes-list-type": "atomic" },
      securityContext: securityContext.schema,
      startupProbe: probe.schema,
      stdin: boolean,
      stdinOnce: boolean,
      targetContainerName: string,
      terminationMessagePath: string,
      terminationMessagePolicy: string,
      tty: boolean,
      volumeDevices: { type: "array", items: volumeDevice.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["devicePath"] },
      volumeMounts: { type: "array", items: volumeMount.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["mountPath"] },
      workingDir: string,
    },
    required: ["name"],
  },
};

/** The schema of a `HostAlias`. */
export const hostAlias: EmbeddedType<coreV1.HostAlias> = {
  name: "io.k8s.api.core.v1.HostAlias",
  schema: {
    type: "object",
    properties: {
      hostnames: strings,
      ip: string,
    },
    required: ["ip"],
  },
};

/** The schema of a `LocalObjectReference`. */
export const localObjectReference: EmbeddedType<coreV1.LocalObjectReference> = {
  name: "io.k8s.api.core.v1.LocalObjectReference",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", default: "" },
    },
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `PodOS`. */
export const podOS: EmbeddedType<coreV1.PodOS> = {
  name: "io.k8s.api.core.v1.PodOS",
  schema: {
    type: "object",
    properties: {
      name: string,
    },
    required: ["name"],
  },
};

/** The schema of a `PodReadinessGate`. */
export const podReadinessGate: EmbeddedType<coreV1.PodReadinessGate> = {
  name: "io.k8s.api.core.v1.PodReadinessGate",
  schema: {
    type: "object",
    properties: {
      conditionType: string,
    },
    required: ["conditionType"],
  },
};

/** The schema of a `PodResourceClaim`. */
export const podResourceClaim: EmbeddedType<coreV1.PodResourceClaim> = {
  name: "io.k8s.api.core.v1.PodResourceClaim",
  schema: {
    type: "object",
    properties: {
      name: string,
      resourceClaimName: string,
      resourceClaimTemplateName: string,
    },
    required: ["name"],
  },
};

/** The schema of a `PodSchedulingGate`. */
export const podSchedulingGate: EmbeddedType<coreV1.PodSchedulingGate> = {
  name: "io.k8s.api.core.v1.PodSchedulingGate",
  schema: {
    type: "object",
    properties: {
      name: string,
    },
    required: ["name"],
  },
};

/** The schema of a `PodSchedulingGroup`. */
export const podSchedulingGroup: EmbeddedType<coreV1.PodSchedulingGroup> = {
  name: "io.k8s.api.core.v1.PodSchedulingGroup",
  schema: {
    type: "object",
    properties: {
      podGroupName: string,
    },
  },
};

/** The schema of a `Sysctl`. */
export const sysctl: EmbeddedType<coreV1.Sysctl> = {
  name: "io.k8s.api.core.v1.Sysctl",
  schema: {
    type: "object",
    properties: {
      name: string,
      value: string,
    },
    required: ["name", "value"],
  },
};

/** The schema of a `PodSecurityContext`. */
export const podSecurityContext: EmbeddedType<coreV1.PodSecurityContext> = {
  name: "io.k8s.api.core.v1.PodSecurityContext",
  schema: {
    type: "object",
    properties: {
      appArmorProfile: appArmorProfile.schema,
      fsGroup: int64,
      fsGroupChangePolicy: string,
      runAsGroup: int64,
      runAsNonRoot: boolean,
      runAsUser: int64,
      seLinuxChangePolicy: string,
      seLinuxOptions: seLinuxOptions.schema,
      seccompProfile: seccompProfile.schema,
      supplementalGroups: { type: "array", items: int64, "x-kubernetes-list-type": "atomic" },
      supplementalGroupsPolicy: string,
      sysctls: { type: "array", items: sysctl.schema, "x-kubernetes-list-type": "atomic" },
      windowsOptions: windowsSecurityContextOptions.schema,
    },
  },
};

/** The schema of a `Toleration`. */
export const toleration: EmbeddedType<coreV1.Toleration> = {
  name: "io.k8s.api.core.v1.Toleration",
  schema: {
    type: "object",
    properties: {
      effect: string,
      key: string,
      operator: string,
      tolerationSeconds: int64,
      value: string,
    },
  },
};

/** The schema of a `TopologySpreadConstraint`. */
export const topologySpreadConstraint: EmbeddedType<coreV1.TopologySpreadConstraint> = {
  name: "io.k8s.api.core.v1.TopologySpreadConstraint",
  schema: {
    type: "object",
    properties: {
      labelSelector: metaV1Schemas.labelSelector.schema,
      matchLabelKeys: strings,
      maxSkew: int32,
      minDomains: int32,
      nodeAffinityPolicy: string,
      nodeTaintsPolicy: string,
      topologyKey: string,
      whenUnsatisfiable: string,
    },
    required: ["maxSkew", "topologyKey", "whenUnsatisfiable"],
  },
};

/** The schema of an `AWSElasticBlockStoreVolumeSource`. */
export const awsElasticBlockStoreVolumeSource: EmbeddedType<coreV1.AWSElasticBlockStoreVolumeSource> = {
  name: "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      partition: int32,
      readOnly: boolean,
      volumeID: string,
    },
    required: ["volumeID"],
  },
};

/** The schema of an `AzureDiskVolumeSource`. */
export const azureDiskVolumeSource: EmbeddedType<coreV1.AzureDiskVolumeSource> = {
  name: "io.k8s.api.core.v1.AzureDiskVolumeSource",
  schema: {
    type: "object",
    properties: {
      cachingMode: { type: "string", default: "ReadWrite" },
      diskName: string,
      diskURI: string,
      fsType: { type: "string", default: "ext4" },
      kind: { type: "string", default: "Shared" },
      readOnly: { type: "boolean", default: false },
    },
    required: ["diskName", "diskURI"],
  },
};

/** The schema of an `AzureFileVolumeSource`. */
export const azureFileVolumeSource: EmbeddedType<coreV1.AzureFileVolumeSource> = {
  name: "io.k8s.api.core.v1.AzureFileVolumeSource",
  schema: {
    type: "object",
    properties: {
      readOnly: boolean,
      secretName: string,
      shareName: string,
    },
    required: ["secretName", "shareName"],
  },
};

/** The schema of a `CephFSVolumeSource`. */
export const cephFSVolumeSource: EmbeddedType<coreV1.CephFSVolumeSource> = {
  name: "io.k8s.api.core.v1.CephFSVolumeSource",
  schema: {
    type: "object",
    properties: {
      monitors: strings,
      path: string,
      readOnly: boolean,
      secretFile: string,
      secretRef: localObjectReference.schema,
      user: string,
    },
    required: ["monitors"],
  },
};

/** The schema of a `CinderVolumeSource`. */
export const cinderVolumeSource: EmbeddedType<coreV1.CinderVolumeSource> = {
  name: "io.k8s.api.core.v1.CinderVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      readOnly: boolean,
      secretRef: localObjectReference.schema,
      volumeID: string,
    },
    required: ["volumeID"],
  },
};

/** The schema of a `KeyToPath`. */
export const keyToPath: EmbeddedType<coreV1.KeyToPath> = {
  name: "io.k8s.api.core.v1.KeyToPath",
  schema: {
    type: "object",
    properties: {
      key: string,
      mode: int32,
      path: string,
    },
    required: ["key", "path"],
  },
};

/** The schema of a `ConfigMapVolumeSource`. */
export const configMapVolumeSource: EmbeddedType<coreV1.ConfigMapVolumeSource> = {
  name: "io.k8s.api.core.v1.ConfigMapVolumeSource",
  schema: {
    type: "object",
    properties: {
      defaultMode: int32,
      items: { type: "array", items: keyToPath.schema, "x-kubernetes-list-type": "atomic" },
      name: { type: "string", default: "" },
      optional: boolean,
    },
  },
};

/** The schema of a `CSIVolumeSource`. */
export const csiVolumeSource: EmbeddedType<coreV1.CSIVolumeSource> = {
  name: "io.k8s.api.core.v1.CSIVolumeSource",
  schema: {
    type: "object",
    properties: {
      driver: string,
      fsType: string,
      nodePublishSecretRef: localObjectReference.schema,
      readOnly: boolean,
      volumeAttributes: stringMap,
    },
    required: ["driver"],
  },
};

/** The schema of a `DownwardAPIVolumeFile`. */
export const downwardAPIVolumeFile: EmbeddedType<coreV1.DownwardAPIVolumeFile> = {
  name: "io.k8s.api.core.v1.DownwardAPIVolumeFile",
  schema: {
    type: "object",
    properties: {
      fieldRef: objectFieldSelector.schema,
      mode: int32,
      path: string,
      resourceFieldRef: resourceFieldSelector.schema,
    },
    required: ["path"],
  },
};

/** The schema of a `DownwardAPIVolumeSource`. */
export const downwardAPIVolumeSource: EmbeddedType<coreV1.DownwardAPIVolumeSource> = {
  name: "io.k8s.api.core.v1.DownwardAPIVolumeSource",
  schema: {
    type: "object",
    properties: {
      defaultMode: int32,
      items: { type: "array", items: downwardAPIVolumeFile.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of an `EmptyDirVolumeSource`. */
export const emptyDirVolumeSource: EmbeddedType<coreV1.EmptyDirVolumeSource> = {
  name: "io.k8s.api.core.v1.EmptyDirVolumeSource",
  schema: {
    type: "object",
    properties: {
      medium: string,
      sizeLimit: metaV1Schemas.quantity.schema,
    },
  },
};

/** The schema of a `TypedLocalObjectReference`. */
export const typedLocalObjectReference: EmbeddedType<coreV1.TypedLocalObjectReference> = {
  name: "io.k8s.api.core.v1.TypedLocalObjectReference",
  schema: {
    type: "object",
    properties: {
      apiGroup: string,
      kind: string,
      name: string,
    },
    required: ["kind", "name"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `TypedObjectReference`. */
export const typedObjectReference: EmbeddedType<coreV1.TypedObjectReference> = {
  name: "io.k8s.api.core.v1.TypedObjectReference",
  schema: {
    type: "object",
    properties: {
      apiGroup: string,
      kind: string,
      name: string,
      namespace: string,
    },
    required: ["kind", "name"],
  },
};

/** The schema of a `VolumeResourceRequirements`. */
export const volumeResourceRequirements: EmbeddedType<coreV1.VolumeResourceRequirements> = {
  name: "io.k8s.api.core.v1.VolumeResourceRequirements",
  schema: {
    type: "object",
    properties: {
      limits: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      requests: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
    },
  },
};

/** The schema of a `PersistentVolumeClaimSpec`. */
export const persistentVolumeClaimSpec: EmbeddedType<coreV1.PersistentVolumeClaimSpec> = {
  name: "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
  schema: {
    type: "object",
    properties: {
      accessModes: strings,
      dataSource: typedLocalObjectReference.schema,
      dataSourceRef: typedObjectReference.schema,
      resources: volumeResourceRequirements.schema,
      selector: metaV1Schemas.labelSelector.schema,
      storageClassName: string,
      volumeAttributesClassName: string,
      volumeMode: string,
      volumeName: string,
    },
  },
};

/** The schema of a `PersistentVolumeClaimTemplate`. */
export const persistentVolumeClaimTemplate: EmbeddedType<coreV1.PersistentVolumeClaimTemplate> = {
  name: "io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
  schema: {
    type: "object",
    properties: {
      metadata: metaV1Schemas.objectMeta.schema,
      spec: persistentVolumeClaimSpec.schema,
    },
    required: ["spec"],
  },
};

/** The schema of an `EphemeralVolumeSource`. */
export const ephemeralVolumeSource: EmbeddedType<coreV1.EphemeralVolumeSource> = {
  name: "io.k8s.api.core.v1.EphemeralVolumeSource",
  schema: {
    type: "object",
    properties: {
      volumeClaimTemplate: persistentVolumeClaimTemplate.schema,
    },
  },
};

/** The schema of a `FCVolumeSource`. */
export const fcVolumeSource: EmbeddedType<coreV1.FCVolumeSource> = {
  name: "io.k8s.api.core.v1.FCVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      lun: int32,
      readOnly: boolean,
      targetWWNs: strings,
      wwids: strings,
    },
  },
};

/** The schema of a `FlexVolumeSource`. */
export const flexVolumeSource: EmbeddedType<coreV1.FlexVolumeSource> = {
  name: "io.k8s.api.core.v1.FlexVolumeSource",
  schema: {
    type: "object",
    properties: {
      driver: string,
      fsType: string,
      options: stringMap,
      readOnly: boolean,
      secretRef: localObjectReference.schema,
    },
    required: ["driver"],
  },
};

/** The schema of a `FlockerVolumeSource`. */
export const flockerVolumeSource: EmbeddedType<coreV1.FlockerVolumeSource> = {
  name: "io.k8s.api.core.v1.FlockerVolumeSource",
  schema: {
    type: "object",
    properties: {
      datasetName: string,
      datasetUUID: string,
    },
  },
};

/** The schema of a `GCEPersistentDiskVolumeSource`. */
export const gcePersistentDiskVolumeSource: EmbeddedType<coreV1.GCEPersistentDiskVolumeSource> = {
  name: "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      partition: int32,
      pdName: string,
      readOnly: boolean,
    },
    required: ["pdName"],
  },
};

/** The schema of a `GitRepoVolumeSource`. */
export const gitRepoVolumeSource: EmbeddedType<coreV1.GitRepoVolumeSource> = {
  name: "io.k8s.api.core.v1.GitRepoVolumeSource",
  schema: {
    type: "object",
    properties: {
      directory: string,
      repository: string,
      revision: string,
    },
    required: ["repository"],
  },
};

/** The schema of a `GlusterfsVolumeSource`. */
export const glusterfsVolumeSource: EmbeddedType<coreV1.GlusterfsVolumeSource> = {
  name: "io.k8s.api.core.v1.GlusterfsVolumeSource",
  schema: {
    type: "object",
    properties: {
      endpoints: string,
      path: string,
      readOnly: boolean,
    },
    required: ["endpoints", "path"],
  },
};

/** The schema of a `HostPathVolumeSource`. */
export const hostPathVolumeSource: EmbeddedType<coreV1.HostPathVolumeSource> = {
  name: "io.k8s.api.core.v1.HostPathVolumeSource",
  schema: {
    type: "object",
    properties: {
      path: string,
      type: string,
    },
    required: ["path"],
  },
};

/** The schema of an `ImageVolumeSource`. */
export const imageVolumeSource: EmbeddedType<coreV1.ImageVolumeSource> = {
  name: "io.k8s.api.core.v1.ImageVolumeSource",
  schema: {
    type: "object",
    properties: {
      pullPolicy: string,
      reference: string,
    },
  },
};

/** The schema of an `ISCSIVolumeSource`. */
export const iscsiVolumeSource: EmbeddedType<coreV1.ISCSIVolumeSource> = {
  name: "io.k8s.api.core.v1.ISCSIVolumeSource",
  schema: {
    type: "object",
    properties: {
      chapAuthDiscovery: boolean,
      chapAuthSession: boolean,
      fsType: string,
      initiatorName: string,
      iqn: string,
      iscsiInterface: { type: "string", default: "default" },
      lun: int32,
      portals: strings,
      readOnly: boolean,
      secretRef: localObjectReference.schema,
      targetPortal: string,
    },
    required: ["iqn", "lun", "targetPortal"],
  },
};

/** The schema of a `NFSVolumeSource`. */
export const nfsVolumeSource: EmbeddedType<coreV1.NFSVolumeSource> = {
  name: "io.k8s.api.core.v1.NFSVolumeSource",
  schema: {
    type: "object",
    properties: {
      path: string,
      readOnly: boolean,
      server: string,
    },
    required: ["path", "server"],
  },
};

/** The schema of a `PersistentVolumeClaimVolumeSource`. */
export const persistentVolumeClaimVolumeSource: EmbeddedType<coreV1.PersistentVolumeClaimVolumeSource> = {
  name: "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
  schema: {
    type: "object",
    properties: {
      claimName: string,
      readOnly: boolean,
    },
    required: ["claimName"],
  },
};

/** The schema of a `PhotonPersistentDiskVolumeSource`. */
export const photonPersistentDiskVolumeSource: EmbeddedType<coreV1.PhotonPersistentDiskVolumeSource> = {
  name: "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      pdID: string,
    },
    required: ["pdID"],
  },
};

/** The schema of a `PortworxVolumeSource`. */
export const portworxVolumeSource: EmbeddedType<coreV1.PortworxVolumeSource> = {
  name: "io.k8s.api.core.v1.PortworxVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      readOnly: boolean,
      volumeID: string,
    },
    required: ["volumeID"],
  },
};

/** The schema of a `ClusterTrustBundleProjection`. */
export const clusterTrustBundleProjection: EmbeddedType<coreV1.ClusterTrustBundleProjection> = {
  name: "io.k8s.api.core.v1.ClusterTrustBundleProjection",
  schema: {
    type: "object",
    properties: {
      labelSelector: metaV1Schemas.labelSelector.schema,
      name: string,
      optional: boolean,
      path: string,
      signerName: string,
    },
    required: ["path"],
  },
};

/** The schema of a `ConfigMapProjection`. */
export const configMapProjection: EmbeddedType<coreV1.ConfigMapProjection> = {
  name: "io.k8s.api.core.v1.ConfigMapProjection",
  schema: {
    type: "object",
    properties: {
      items: { type: "array", items: keyToPath.schema, "x-kubernetes-list-type": "atomic" },
      name: { type: "string", default: "" },
      optional: boolean,
    },
  },
};

/** The schema of a `DownwardAPIProjection`. */
export const downwardAPIProjection: EmbeddedType<coreV1.DownwardAPIProjection> = {
  name: "io.k8s.api.core.v1.DownwardAPIProjection",
  schema: {
    type: "object",
    properties: {
      items: { type: "array", items: downwardAPIVolumeFile.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of a `PodCertificateProjection`. */
export const podCertificateProjection: EmbeddedType<coreV1.PodCertificateProjection> = {
  name: "io.k8s.api.core.v1.PodCertificateProjection",
  schema: {
    type: "object",
    properties: {
      certificateChainPath: string,
      credentialBundlePath: string,
      keyPath: string,
      keyType: string,
      maxExpirationSeconds: int32,
      signerName: string,
      userAnnotations: stringMap,
    },
    required: ["keyType", "signerName"],
  },
};

/** The schema of a `SecretProjection`. */
export const secretProjection: EmbeddedType<coreV1.SecretProjection> = {
  name: "io.k8s.api.core.v1.SecretProjection",
  schema: {
    type: "object",
    properties: {
      items: { type: "array", items: keyToPath.schema, "x-kubernetes-list-type": "atomic" },
      name: { type: "string", default: "" },
      optional: boolean,
    },
  },
};

/** The schema of a `ServiceAccountTokenProjection`. */
export const serviceAccountTokenProjection: EmbeddedType<coreV1.ServiceAccountTokenProjection> = {
  name: "io.k8s.api.core.v1.ServiceAccountTokenProjection",
  schema: {
    type: "object",
    properties: {
      audience: string,
      expirationSeconds: int64,
      path: string,
    },
    required: ["path"],
  },
};

/** The schema of a `VolumeProjection`. */
export const volumeProjection: EmbeddedType<coreV1.VolumeProjection> = {
  name: "io.k8s.api.core.v1.VolumeProjection",
  schema: {
    type: "object",
    properties: {
      clusterTrustBundle: clusterTrustBundleProjection.schema,
      configMap: configMapProjection.schema,
      downwardAPI: downwardAPIProjection.schema,
      podCertificate: podCertificateProjection.schema,
      secret: secretProjection.schema,
      serviceAccountToken: serviceAccountTokenProjection.schema,
    },
  },
};

/** The schema of a `ProjectedVolumeSource`. */
export const projectedVolumeSource: EmbeddedType<coreV1.ProjectedVolumeSource> = {
  name: "io.k8s.api.core.v1.ProjectedVolumeSource",
  schema: {
    type: "object",
    properties: {
      defaultMode: int32,
      sources: { type: "array", items: volumeProjection.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of a `QuobyteVolumeSource`. */
export const quobyteVolumeSource: EmbeddedType<coreV1.QuobyteVolumeSource> = {
  name: "io.k8s.api.core.v1.QuobyteVolumeSource",
  schema: {
    type: "object",
    properties: {
      group: string,
      readOnly: boolean,
      registry: string,
      tenant: string,
      user: string,
      volume: string,
    },
    required: ["registry", "volume"],
  },
};

/** The schema of a `RBDVolumeSource`. */
export const rbdVolumeSource: EmbeddedType<coreV1.RBDVolumeSource> = {
  name: "io.k8s.api.core.v1.RBDVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      image: string,
      keyring: { type: "string", default: "/etc/ceph/keyring" },
      monitors: strings,
      pool: { type: "string", default: "rbd" },
      readOnly: boolean,
      secretRef: localObjectReference.schema,
      user: { type: "string", default: "admin" },
    },
    required: ["image", "monitors"],
  },
};

/** The schema of a `ScaleIOVolumeSource`. */
export const scaleIOVolumeSource: EmbeddedType<coreV1.ScaleIOVolumeSource> = {
  name: "io.k8s.api.core.v1.ScaleIOVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: { type: "string", default: "xfs" },
      gateway: string,
      protectionDomain: string,
      readOnly: boolean,
      secretRef: localObjectReference.schema,
      sslEnabled: boolean,
      storageMode: { type: "string", default: "ThinProvisioned" },
      storagePool: string,
      system: string,
      volumeName: string,
    },
    required: ["gateway", "secretRef", "system"],
  },
};

/** The schema of a `SecretVolumeSource`. */
export const secretVolumeSource: EmbeddedType<coreV1.SecretVolumeSource> = {
  name: "io.k8s.api.core.v1.SecretVolumeSource",
  schema: {
    type: "object",
    properties: {
      defaultMode: int32,
      items: { type: "array", items: keyToPath.schema, "x-kubernetes-list-type": "atomic" },
      optional: boolean,
      secretName: string,
    },
  },
};

/** The schema of a `StorageOSVolumeSource`. */
export const storageOSVolumeSource: EmbeddedType<coreV1.StorageOSVolumeSource> = {
  name: "io.k8s.api.core.v1.StorageOSVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      readOnly: boolean,
      secretRef: localObjectReference.schema,
      volumeName: string,
      volumeNamespace: string,
    },
  },
};

/** The schema of a `VsphereVirtualDiskVolumeSource`. */
export const vsphereVirtualDiskVolumeSource: EmbeddedType<coreV1.VsphereVirtualDiskVolumeSource> = {
  name: "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      storagePolicyID: string,
      storagePolicyName: string,
      volumePath: string,
    },
    required: ["volumePath"],
  },
};

/** The schema of a `Volume`. */
export const volume: EmbeddedType<coreV1.Volume> = {
  name: "io.k8s.api.core.v1.Volume",
  schema: {
    type: "object",
    properties: {
      awsElasticBlockStore: awsElasticBlockStoreVolumeSource.schema,
      azureDisk: azureDiskVolumeSource.schema,
      azureFile: azureFileVolumeSource.schema,
      cephfs: cephFSVolumeSource.schema,
      cinder: cinderVolumeSource.schema,
      configMap: configMapVolumeSource.schema,
      csi: csiVolumeSource.schema,
      downwardAPI: downwardAPIVolumeSource.schema,
      emptyDir: emptyDirVolumeSource.schema,
      ephemeral: ephemeralVolumeSource.schema,
      fc: fcVolumeSource.schema,
      flexVolume: flexVolumeSource.schema,
      flocker: flockerVolumeSource.schema,
      gcePersistentDisk: gcePersistentDiskVolumeSource.schema,
      gitRepo: gitRepoVolumeSource.schema,
      glusterfs: glusterfsVolumeSource.schema,
      hostPath: hostPathVolumeSource.schema,
      image: imageVolumeSource.schema,
      iscsi: iscsiVolumeSource.schema,
      name: string,
      nfs: nfsVolumeSource.schema,
      persistentVolumeClaim: persistentVolumeClaimVolumeSource.schema,
      photonPersistentDisk: photonPersistentDiskVolumeSource.schema,
      portworxVolume: portworxVolumeSource.schema,
      projected: projectedVolumeSource.schema,
      quobyte: quobyteVolumeSource.schema,
      rbd: rbdVolumeSource.schema,
      scaleIO: scaleIOVolumeSource.schema,
      secret: secretVolumeSource.schema,
      storageos: storageOSVolumeSource.schema,
      vsphereVolume: vsphereVirtualDiskVolumeSource.schema,
    },
    required: ["name"],
  },
};

/** The schema of a `PodSpec`. */
export const podSpec: EmbeddedType<coreV1.PodSpec> = {
  name: "io.k8s.api.core.v1.PodSpec",
  schema: {
    type: "object",
    properties: {
      activeDeadlineSeconds: int64,
      affinity: affinity.schema,
      automountServiceAccountToken: boolean,
      containers: { type: "array", items: container.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      dnsConfig: podDNSConfig.schema,
      dnsPolicy: string,
      enableServiceLinks: boolean,
      ephemeralContainers: { type: "array", items: ephemeralContainer.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      hostAliases: { type: "array", items: hostAlias.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["ip"] },
      hostIPC: boolean,
      hostNetwork: boolean,
      hostPID: boolean,
      hostUsers: boolean,
      hostname: string,
      hostnameOverride: string,
      imagePullSecrets: { type: "array", items: localObjectReference.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      initContainers: { type: "array", items: container.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      nodeName: string,
      nodeSelector: { type: "object", additionalProperties: string, "x-kubernetes-map-type": "atomic" },
      os: podOS.schema,
      overhead: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      preemptionPolicy: string,
      priority: int32,
      priorityClassName: string,
      readinessGates: { type: "array", items: podReadinessGate.schema, "x-kubernetes-list-type": "atomic" },
      resourceClaims: { type: "array", items: podResourceClaim.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      resources: resourceRequirements.schema,
      restartPolicy: string,
      runtimeClassName: string,
      schedulerName: string,
      schedulingGates: { type: "array", items: podSchedulingGate.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      schedulingGroup: podSchedulingGroup.schema,
      securityContext: podSecurityContext.schema,
      serviceAccount: string,
      serviceAccountName: string,
      setHostnameAsFQDN: boolean,
      shareProcessNamespace: boolean,
      subdomain: string,
      terminationGracePeriodSeconds: int64,
      tolerations: { type: "array", items: toleration.schema, "x-kubernetes-list-type": "atomic" },
      topologySpreadConstraints: { type: "array", items: topologySpreadConstraint.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["topologyKey", "whenUnsatisfiable"] },
      volumes: { type: "array", items: volume.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    },
    required: ["containers"],
  },
};

/** The schema of a `PodTemplateSpec`. */
export const podTemplateSpec: EmbeddedType<coreV1.PodTemplateSpec> = {
  name: "io.k8s.api.core.v1.PodTemplateSpec",
  schema: {
    type: "object",
    properties: {
      metadata: metaV1Schemas.objectMeta.schema,
      spec: podSpec.schema,
    },
  },
};

/** The schema of a `PersistentVolumeClaimCondition`. */
export const persistentVolumeClaimCondition: EmbeddedType<coreV1.PersistentVolumeClaimCondition> = {
  name: "io.k8s.api.core.v1.PersistentVolumeClaimCondition",
  schema: {
    type: "object",
    properties: {
      lastProbeTime: metaV1Schemas.time.schema,
      lastTransitionTime: metaV1Schemas.time.schema,
      message: string,
      reason: string,
      status: string,
      type: string,
    },
    required: ["status", "type"],
  },
};

/** The schema of a `ModifyVolumeStatus`. */
export const modifyVolumeStatus: EmbeddedType<coreV1.ModifyVolumeStatus> = {
  name: "io.k8s.api.core.v1.ModifyVolumeStatus",
  schema: {
    type: "object",
    properties: {
      status: string,
      targetVolumeAttributesClassName: string,
    },
    required: ["status"],
  },
};

/** The schema of a `PersistentVolumeClaimStatus`. */
export const persistentVolumeClaimStatus: EmbeddedType<coreV1.PersistentVolumeClaimStatus> = {
  name: "io.k8s.api.core.v1.PersistentVolumeClaimStatus",
  schema: {
    type: "object",
    properties: {
      accessModes: strings,
      allocatedResourceStatuses: { type: "object", additionalProperties: string, "x-kubernetes-map-type": "granular" },
      allocatedResources: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      capacity: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      conditions: { type: "array", items: persistentVolumeClaimCondition.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
      currentVolumeAttributesClassName: string,
      modifyVolumeStatus: modifyVolumeStatus.schema,
      phase: string,
    },
  },
};

/** The schema of a `PersistentVolumeClaim`. */
export const persistentVolumeClaim: EmbeddedType<coreV1.PersistentVolumeClaim> = {
  name: "io.k8s.api.core.v1.PersistentVolumeClaim",
  schema: {
    type: "object",
    properties: {
      apiVersion: string,
      kind: string,
      metadata: metaV1Schemas.objectMeta.schema,
      spec: persistentVolumeClaimSpec.schema,
      status: persistentVolumeClaimStatus.schema,
    },
  },
};

/** The schema of a `ComponentCondition`. */
export const componentCondition: EmbeddedType<coreV1.ComponentCondition> = {
  name: "io.k8s.api.core.v1.ComponentCondition",
  schema: {
    type: "object",
    properties: {
      error: string,
      message: string,
      status: string,
      type: string,
    },
    required: ["status", "type"],
  },
};

/** The schema of an `ObjectReference`. */
export const objectReference: EmbeddedType<coreV1.ObjectReference> = {
  name: "io.k8s.api.core.v1.ObjectReference",
  schema: {
    type: "object",
    properties: {
      apiVersion: string,
      fieldPath: string,
      kind: string,
      name: string,
      namespace: string,
      resourceVersion: string,
      uid: string,
    },
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of an `EndpointAddress`. */
export const endpointAddress: EmbeddedType<coreV1.EndpointAddress> = {
  name: "io.k8s.api.core.v1.EndpointAddress",
  schema: {
    type: "object",
    properties: {
      hostname: string,
      ip: string,
      nodeName: string,
      targetRef: objectReference.schema,
    },
    required: ["ip"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of an `EndpointPort`. */
export const endpointPort: EmbeddedType<coreV1.EndpointPort> = {
  name: "io.k8s.api.core.v1.EndpointPort",
  schema: {
    type: "object",
    properties: {
      appProtocol: string,
      name: string,
      port: int32,
      protocol: string,
    },
    required: ["port"],
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of an `EndpointSubset`. */
export const endpointSubset: EmbeddedType<coreV1.EndpointSubset> = {
  name: "io.k8s.api.core.v1.EndpointSubset",
  schema: {
    type: "object",
    properties: {
      addresses: { type: "array", items: endpointAddress.schema, "x-kubernetes-list-type": "atomic" },
      notReadyAddresses: { type: "array", items: endpointAddress.schema, "x-kubernetes-list-type": "atomic" },
      ports: { type: "array", items: endpointPort.schema, "x-kubernetes-list-type": "atomic" },
    },
  },
};

/** The schema of an `EventSeries`. */
export const eventSeries: EmbeddedType<coreV1.EventSeries> = {
  name: "io.k8s.api.core.v1.EventSeries",
  schema: {
    type: "object",
    properties: {
      count: int32,
      lastObservedTime: metaV1Schemas.microTime.schema,
    },
  },
};

/** The schema of an `EventSource`. */
export const eventSource: EmbeddedType<coreV1.EventSource> = {
  name: "io.k8s.api.core.v1.EventSource",
  schema: {
    type: "object",
    properties: {
      component: string,
      host: string,
    },
  },
};

/** The schema of a `LimitRangeItem`. */
export const limitRangeItem: EmbeddedType<coreV1.LimitRangeItem> = {
  name: "io.k8s.api.core.v1.LimitRangeItem",
  schema: {
    type: "object",
    properties: {
      default: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      defaultRequest: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      max: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      maxLimitRequestRatio: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      min: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      type: string,
    },
    required: ["type"],
  },
};

/** The schema of a `LimitRangeSpec`. */
export const limitRangeSpec: EmbeddedType<coreV1.LimitRangeSpec> = {
  name: "io.k8s.api.core.v1.LimitRangeSpec",
  schema: {
    type: "object",
    properties: {
      limits: { type: "array", items: limitRangeItem.schema, "x-kubernetes-list-type": "atomic" },
    },
    required: ["limits"],
  },
};

/** The schema of a `NamespaceSpec`. */
export const namespaceSpec: EmbeddedType<coreV1.NamespaceSpec> = {
  name: "io.k8s.api.core.v1.NamespaceSpec",
  schema: {
    type: "object",
    properties: {
      finalizers: strings,
    },
  },
};

/** The schema of a `ConfigMapNodeConfigSource`. */
export const configMapNodeConfigSource: EmbeddedType<coreV1.ConfigMapNodeConfigSource> = {
  name: "io.k8s.api.core.v1.ConfigMapNodeConfigSource",
  schema: {
    type: "object",
    properties: {
      kubeletConfigKey: string,
      name: string,
      namespace: string,
      resourceVersion: string,
      uid: string,
    },
    required: ["kubeletConfigKey", "name", "namespace"],
  },
};

/** The schema of a `NodeConfigSource`. */
export const nodeConfigSource: EmbeddedType<coreV1.NodeConfigSource> = {
  name: "io.k8s.api.core.v1.NodeConfigSource",
  schema: {
    type: "object",
    properties: {
      configMap: configMapNodeConfigSource.schema,
    },
  },
};

/** The schema of a `Taint`. */
export const taint: EmbeddedType<coreV1.Taint> = {
  name: "io.k8s.api.core.v1.Taint",
  schema: {
    type: "object",
    properties: {
      effect: string,
      key: string,
      timeAdded: metaV1Schemas.time.schema,
      value: string,
    },
    required: ["effect", "key"],
  },
};

/** The schema of a `NodeSpec`. */
export const nodeSpec: EmbeddedType<coreV1.NodeSpec> = {
  name: "io.k8s.api.core.v1.NodeSpec",
  schema: {
    type: "object",
    properties: {
      configSource: nodeConfigSource.schema,
      externalID: string,
      podCIDR: string,
      podCIDRs: { type: "array", items: string, "x-kubernetes-list-type": "set" },
      providerID: string,
      taints: { type: "array", items: taint.schema, "x-kubernetes-list-type": "atomic" },
      unschedulable: boolean,
    },
  },
};

/** The schema of an `AzureFilePersistentVolumeSource`. */
export const azureFilePersistentVolumeSource: EmbeddedType<coreV1.AzureFilePersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.AzureFilePersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      readOnly: boolean,
      secretName: string,
      secretNamespace: string,
      shareName: string,
    },
    required: ["secretName", "shareName"],
  },
};

/** The schema of a `SecretReference`. */
export const secretReference: EmbeddedType<coreV1.SecretReference> = {
  name: "io.k8s.api.core.v1.SecretReference",
  schema: {
    type: "object",
    properties: {
      name: string,
      namespace: string,
    },
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `CephFSPersistentVolumeSource`. */
export const cephFSPersistentVolumeSource: EmbeddedType<coreV1.CephFSPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.CephFSPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      monitors: strings,
      path: string,
      readOnly: boolean,
      secretFile: string,
      secretRef: secretReference.schema,
      user: string,
    },
    required: ["monitors"],
  },
};

/** The schema of a `CinderPersistentVolumeSource`. */
export const cinderPersistentVolumeSource: EmbeddedType<coreV1.CinderPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.CinderPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      readOnly: boolean,
      secretRef: secretReference.schema,
      volumeID: string,
    },
    required: ["volumeID"],
  },
};

/** The schema of a `CSIPersistentVolumeSource`. */
export const csiPersistentVolumeSource: EmbeddedType<coreV1.CSIPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.CSIPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      controllerExpandSecretRef: secretReference.schema,
      controllerPublishSecretRef: secretReference.schema,
      driver: string,
      fsType: string,
      nodeExpandSecretRef: secretReference.schema,
      nodePublishSecretRef: secretReference.schema,
      nodeStageSecretRef: secretReference.schema,
      readOnly: boolean,
      volumeAttributes: stringMap,
      volumeHandle: string,
    },
    required: ["driver", "volumeHandle"],
  },
};

/** The schema of a `FlexPersistentVolumeSource`. */
export const flexPersistentVolumeSource: EmbeddedType<coreV1.FlexPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.FlexPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      driver: string,
      fsType: string,
      options: stringMap,
      readOnly: boolean,
      secretRef: secretReference.schema,
    },
    required: ["driver"],
  },
};

/** The schema of a `GlusterfsPersistentVolumeSource`. */
export const glusterfsPersistentVolumeSource: EmbeddedType<coreV1.GlusterfsPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.GlusterfsPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      endpoints: string,
      endpointsNamespace: string,
      path: string,
      readOnly: boolean,
    },
    required: ["endpoints", "path"],
  },
};

/** The schema of an `ISCSIPersistentVolumeSource`. */
export const iscsiPersistentVolumeSource: EmbeddedType<coreV1.ISCSIPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.ISCSIPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      chapAuthDiscovery: boolean,
      chapAuthSession: boolean,
      fsType: string,
      initiatorName: string,
      iqn: string,
      iscsiInterface: { type: "string", default: "default" },
      lun: int32,
      portals: strings,
      readOnly: boolean,
      secretRef: secretReference.schema,
      targetPortal: string,
    },
    required: ["iqn", "lun", "targetPortal"],
  },
};

/** The schema of a `LocalVolumeSource`. */
export const localVolumeSource: EmbeddedType<coreV1.LocalVolumeSource> = {
  name: "io.k8s.api.core.v1.LocalVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      path: string,
    },
    required: ["path"],
  },
};

/** The schema of a `VolumeNodeAffinity`. */
export const volumeNodeAffinity: EmbeddedType<coreV1.VolumeNodeAffinity> = {
  name: "io.k8s.api.core.v1.VolumeNodeAffinity",
  schema: {
    type: "object",
    properties: {
      required: nodeSelector.schema,
    },
  },
};

/** The schema of a `RBDPersistentVolumeSource`. */
export const rbdPersistentVolumeSource: EmbeddedType<coreV1.RBDPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.RBDPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      image: string,
      keyring: { type: "string", default: "/etc/ceph/keyring" },
      monitors: strings,
      pool: { type: "string", default: "rbd" },
      readOnly: boolean,
      secretRef: secretReference.schema,
      user: { type: "string", default: "admin" },
    },
    required: ["image", "monitors"],
  },
};

/** The schema of a `ScaleIOPersistentVolumeSource`. */
export const scaleIOPersistentVolumeSource: EmbeddedType<coreV1.ScaleIOPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.ScaleIOPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: { type: "string", default: "xfs" },
      gateway: string,
      protectionDomain: string,
      readOnly: boolean,
      secretRef: secretReference.schema,
      sslEnabled: boolean,
      storageMode: { type: "string", default: "ThinProvisioned" },
      storagePool: string,
      system: string,
      volumeName: string,
    },
    required: ["gateway", "secretRef", "system"],
  },
};

/** The schema of a `StorageOSPersistentVolumeSource`. */
export const storageOSPersistentVolumeSource: EmbeddedType<coreV1.StorageOSPersistentVolumeSource> = {
  name: "io.k8s.api.core.v1.StorageOSPersistentVolumeSource",
  schema: {
    type: "object",
    properties: {
      fsType: string,
      readOnly: boolean,
      secretRef: objectReference.schema,
      volumeName: string,
      volumeNamespace: string,
    },
  },
};

/** The schema of a `PersistentVolumeSpec`. */
export const persistentVolumeSpec: EmbeddedType<coreV1.PersistentVolumeSpec> = {
  name: "io.k8s.api.core.v1.PersistentVolumeSpec",
  schema: {
    type: "object",
    properties: {
      accessModes: strings,
      awsElasticBlockStore: awsElasticBlockStoreVolumeSource.schema,
      azureDisk: azureDiskVolumeSource.schema,
      azureFile: azureFilePersistentVolumeSource.schema,
      capacity: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      cephfs: cephFSPersistentVolumeSource.schema,
      cinder: cinderPersistentVolumeSource.schema,
      claimRef: { ...objectReference.schema, "x-kubernetes-map-type": "granular" },
      csi: csiPersistentVolumeSource.schema,
      fc: fcVolumeSource.schema,
      flexVolume: flexPersistentVolumeSource.schema,
      flocker: flockerVolumeSource.schema,
      gcePersistentDisk: gcePersistentDiskVolumeSource.schema,
      glusterfs: glusterfsPersistentVolumeSource.schema,
      hostPath: hostPathVolumeSource.schema,
      iscsi: iscsiPersistentVolumeSource.schema,
      local: localVolumeSource.schema,
      mountOptions: strings,
      nfs: nfsVolumeSource.schema,
      nodeAffinity: volumeNodeAffinity.schema,
      persistentVolumeReclaimPolicy: string,
      photonPersistentDisk: photonPersistentDiskVolumeSource.schema,
      portworxVolume: portworxVolumeSource.schema,
      quobyte: quobyteVolumeSource.schema,
      rbd: rbdPersistentVolumeSource.schema,
      scaleIO: scaleIOPersistentVolumeSource.schema,
      storageClassName: string,
      storageos: storageOSPersistentVolumeSource.schema,
      volumeAttributesClassName: string,
      volumeMode: string,
      vsphereVolume: vsphereVirtualDiskVolumeSource.schema,
    },
  },
};

/** The schema of a `ReplicationControllerSpec`. */
export const replicationControllerSpec: EmbeddedType<coreV1.ReplicationControllerSpec> = {
  name: "io.k8s.api.core.v1.ReplicationControllerSpec",
  schema: {
    type: "object",
    properties: {
      minReadySeconds: { type: "integer", format: "int32", default: 0 },
      replicas: { type: "integer", format: "int32", default: 1 },
      selector: { type: "object", additionalProperties: string, "x-kubernetes-map-type": "atomic" },
      template: podTemplateSpec.schema,
    },
  },
};

/** The schema of a `ScopedResourceSelectorRequirement`. */
export const scopedResourceSelectorRequirement: EmbeddedType<coreV1.ScopedResourceSelectorRequirement> = {
  name: "io.k8s.api.core.v1.ScopedResourceSelectorRequirement",
  schema: {
    type: "object",
    properties: {
      operator: string,
      scopeName: string,
      values: strings,
    },
    required: ["operator", "scopeName"],
  },
};

/** The schema of a `ScopeSelector`. */
export const scopeSelector: EmbeddedType<coreV1.ScopeSelector> = {
  name: "io.k8s.api.core.v1.ScopeSelector",
  schema: {
    type: "object",
    properties: {
      matchExpressions: { type: "array", items: scopedResourceSelectorRequirement.schema, "x-kubernetes-list-type": "atomic" },
    },
    "x-kubernetes-map-type": "atomic",
  },
};

/** The schema of a `ResourceQuotaSpec`. */
export const resourceQuotaSpec: EmbeddedType<coreV1.ResourceQuotaSpec> = {
  name: "io.k8s.api.core.v1.ResourceQuotaSpec",
  schema: {
    type: "object",
    properties: {
      hard: { type: "object", additionalProperties: metaV1Schemas.quantity.schema },
      scopeSelector: scopeSelector.schema,
      scopes: strings,
    },
  },
};

/** The schema of a `ServicePort`. */
export const servicePort: EmbeddedType<coreV1.ServicePort> = {
  name: "io.k8s.api.core.v1.ServicePort",
  schema: {
    type: "object",
    properties: {
      appProtocol: string,
      name: string,
      nodePort: int32,
      port: int32,
      protocol: { type: "string", default: "TCP" },
      targetPort: metaV1Schemas.intOrString.schema,
    },
    required: ["port"],
  },
};

/** The schema of a `ClientIPConfig`. */
export const clientIPConfig: EmbeddedType<coreV1.ClientIPConfig> = {
  name: "io.k8s.api.core.v1.ClientIPConfig",
  schema: {
    type: "object",
    properties: {
      timeoutSeconds: int32,
    },
  },
};

/** The schema of a `SessionAffinityConfig`. */
export const sessionAffinityConfig: EmbeddedType<coreV1.SessionAffinityConfig> = {
  name: "io.k8s.api.core.v1.SessionAffinityConfig",
  schema: {
    type: "object",
    properties: {
      clientIP: clientIPConfig.schema,
    },
  },
};

/** The schema of a `ServiceSpec`. */
export const serviceSpec: EmbeddedType<coreV1.ServiceSpec> = {
  name: "io.k8s.api.core.v1.ServiceSpec",
  schema: {
    type: "object",
    properties: {
      allocateLoadBalancerNodePorts: boolean,
      clusterIP: string,
      clusterIPs: strings,
      externalIPs: strings,
      externalName: string,
      externalTrafficPolicy: string,
      healthCheckNodePort: int32,
      internalTrafficPolicy: string,
      ipFamilies: strings,
      ipFamilyPolicy: string,
      loadBalancerClass: string,
      loadBalancerIP: string,
      loadBalancerSourceRanges: strings,
      ports: { type: "array", items: servicePort.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"] },
      publishNotReadyAddresses: boolean,
      selector: { type: "object", additionalProperties: string, "x-kubernetes-map-type": "atomic" },
      sessionAffinity: string,
      sessionAffinityConfig: sessionAffinityConfig.schema,
      trafficDistribution: string,
      type: string,
    },
  },
};
