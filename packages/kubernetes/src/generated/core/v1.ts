// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Represents a Persistent Disk resource in AWS. */
export interface AWSElasticBlockStoreVolumeSource {
  /**
   * fsType is the filesystem type of the volume that you want to mount. Tip: Ensure that the filesystem type is
   * supported by the host operating system.
   */
  fsType?: string;
  /**
   * partition is the partition in the volume that you want to mount. If omitted, the default is to mount by volume
   * name.
   */
  partition?: number;
  /** readOnly value true will force the readOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** volumeID is unique ID of the persistent disk resource in AWS (Amazon EBS volume). */
  volumeID: string;
}

/** Affinity is a group of affinity scheduling rules. */
export interface Affinity {
  /** Describes node affinity scheduling rules for the pod. */
  nodeAffinity?: NodeAffinity;
  /**
   * Describes pod affinity scheduling rules (e.g. co-locate this pod in the same node, zone, etc. as some other
   * pod(s)).
   */
  podAffinity?: PodAffinity;
  /**
   * Describes pod anti-affinity scheduling rules (e.g. avoid putting this pod in the same node, zone, etc. as some
   * other pod(s)).
   */
  podAntiAffinity?: PodAntiAffinity;
}

/** AppArmorProfile defines a pod or container's AppArmor settings. */
export interface AppArmorProfile {
  /** localhostProfile indicates a profile loaded on the node that should be used. */
  localhostProfile?: string;
  /**
   * type indicates which kind of AppArmor profile will be applied. Valid options are: Localhost - a profile pre-loaded
   * on the node.
   */
  type: AppArmorProfileType;
}

/** AttachedVolume describes a volume attached to a node */
export interface AttachedVolume {
  /** DevicePath represents the device path where the volume should be available */
  devicePath: string;
  /** Name of the attached volume */
  name: string;
}

/** AzureDisk represents an Azure Data Disk mount on the host and bind mount to the pod. */
export interface AzureDiskVolumeSource {
  /** cachingMode is the Host Caching mode: None, Read Only, Read Write. */
  cachingMode?: AzureDataDiskCachingMode;
  /** diskName is the Name of the data disk in the blob storage */
  diskName: string;
  /** diskURI is the URI of data disk in the blob storage */
  diskURI: string;
  /** fsType is Filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /**
   * kind expected values are Shared: multiple blob disks per storage account Dedicated: single blob disk per storage
   * account Managed: azure managed data disk (only in managed availability set). defaults to shared
   */
  kind?: AzureDataDiskKind;
  /** readOnly Defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
}

/** AzureFile represents an Azure File Service mount on the host and bind mount to the pod. */
export interface AzureFilePersistentVolumeSource {
  /** readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** secretName is the name of secret that contains Azure Storage Account Name and Key */
  secretName: string;
  /**
   * secretNamespace is the namespace of the secret that contains Azure Storage Account Name and Key default is the same
   * as the Pod
   */
  secretNamespace?: string;
  /** shareName is the azure Share Name */
  shareName: string;
}

/** AzureFile represents an Azure File Service mount on the host and bind mount to the pod. */
export interface AzureFileVolumeSource {
  /** readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** secretName is the name of secret that contains Azure Storage Account Name and Key */
  secretName: string;
  /** shareName is the azure share Name */
  shareName: string;
}

/** Binding ties one object to another; for example, a pod is bound to a node by a scheduler. */
export interface Binding {
  apiVersion: "v1";
  kind: "Binding";
  metadata: metaV1.ObjectMeta;
  /** The target object that you want to bind to the standard object. */
  target: ObjectReference;
}

/** The resource `bindings` of `v1`. */
export const Binding: BuiltInResource<Binding, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  singular: "binding",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: ["create"],
};

/** Represents storage that is managed by an external CSI volume driver */
export interface CSIPersistentVolumeSource {
  /**
   * controllerExpandSecretRef is a reference to the secret object containing sensitive information to pass to the CSI
   * driver to complete the CSI ControllerExpandVolume call.
   */
  controllerExpandSecretRef?: SecretReference;
  /**
   * controllerPublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI
   * driver to complete the CSI ControllerPublishVolume and ControllerUnpublishVolume calls.
   */
  controllerPublishSecretRef?: SecretReference;
  /** driver is the name of the driver to use for this volume. Required. */
  driver: string;
  /** fsType to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /**
   * nodeExpandSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver
   * to complete the CSI NodeExpandVolume call.
   */
  nodeExpandSecretRef?: SecretReference;
  /**
   * nodePublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver
   * to complete the CSI NodePublishVolume and NodeUnpublishVolume calls.
   */
  nodePublishSecretRef?: SecretReference;
  /**
   * nodeStageSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver
   * to complete the CSI NodeStageVolume and NodeStageVolume and NodeUnstageVolume calls.
   */
  nodeStageSecretRef?: SecretReference;
  /** readOnly value to pass to ControllerPublishVolumeRequest. Defaults to false (read/write). */
  readOnly?: boolean;
  /** volumeAttributes of the volume to publish. */
  volumeAttributes?: Record<string, string>;
  /**
   * volumeHandle is the unique volume name returned by the CSI volume plugin’s CreateVolume to refer to the volume on
   * all subsequent calls.
   */
  volumeHandle: string;
}

/** Represents a source location of a volume to mount, managed by an external CSI driver */
export interface CSIVolumeSource {
  /**
   * driver is the name of the CSI driver that handles this volume. Consult with your admin for the correct name as
   * registered in the cluster.
   */
  driver: string;
  /** fsType to mount. Ex. */
  fsType?: string;
  /**
   * nodePublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver
   * to complete the CSI NodePublishVolume and NodeUnpublishVolume calls.
   */
  nodePublishSecretRef?: LocalObjectReference;
  /** readOnly specifies a read-only configuration for the volume. Defaults to false (read/write). */
  readOnly?: boolean;
  /** volumeAttributes stores driver-specific properties that are passed to the CSI driver. */
  volumeAttributes?: Record<string, string>;
}

/** Adds and removes POSIX capabilities from running containers. */
export interface Capabilities {
  /** Added capabilities */
  add?: string[];
  /** Removed capabilities */
  drop?: string[];
}

/**
 * Represents a Ceph Filesystem mount that lasts the lifetime of a pod Cephfs volumes do not support ownership
 * management or SELinux relabeling.
 */
export interface CephFSPersistentVolumeSource {
  /**
   * monitors is Required: Monitors is a collection of Ceph monitors More info:
   * https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
   */
  monitors: string[];
  /** path is Optional: Used as the mounted root, rather than the full Ceph tree, default is / */
  path?: string;
  /**
   * readOnly is Optional: Defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
   * VolumeMounts.
   */
  readOnly?: boolean;
  /**
   * secretFile is Optional: SecretFile is the path to key ring for User, default is /etc/ceph/user.secret More info:
   * https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
   */
  secretFile?: string;
  /** secretRef is Optional: SecretRef is reference to the authentication secret for User, default is empty. */
  secretRef?: SecretReference;
  /**
   * user is Optional: User is the rados user name, default is admin More info:
   * https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
   */
  user?: string;
}

/**
 * Represents a Ceph Filesystem mount that lasts the lifetime of a pod Cephfs volumes do not support ownership
 * management or SELinux relabeling.
 */
export interface CephFSVolumeSource {
  /**
   * monitors is Required: Monitors is a collection of Ceph monitors More info:
   * https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
   */
  monitors: string[];
  /** path is Optional: Used as the mounted root, rather than the full Ceph tree, default is / */
  path?: string;
  /**
   * readOnly is Optional: Defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
   * VolumeMounts.
   */
  readOnly?: boolean;
  /**
   * secretFile is Optional: SecretFile is the path to key ring for User, default is /etc/ceph/user.secret More info:
   * https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
   */
  secretFile?: string;
  /** secretRef is Optional: SecretRef is reference to the authentication secret for User, default is empty. */
  secretRef?: LocalObjectReference;
  /**
   * user is optional: User is the rados user name, default is admin More info:
   * https://examples.k8s.io/volumes/cephfs/README.md#how-to-use-it
   */
  user?: string;
}

/** Represents a cinder volume resource in Openstack. A Cinder volume must exist before mounting to a container. */
export interface CinderPersistentVolumeSource {
  /** fsType Filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /**
   * readOnly is Optional: Defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
   * VolumeMounts.
   */
  readOnly?: boolean;
  /** secretRef is Optional: points to a secret object containing parameters used to connect to OpenStack. */
  secretRef?: SecretReference;
  /** volumeID used to identify the volume in cinder. */
  volumeID: string;
}

/** Represents a cinder volume resource in Openstack. A Cinder volume must exist before mounting to a container. */
export interface CinderVolumeSource {
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** secretRef is optional: points to a secret object containing parameters used to connect to OpenStack. */
  secretRef?: LocalObjectReference;
  /** volumeID used to identify the volume in cinder. */
  volumeID: string;
}

/** ClientIPConfig represents the configurations of Client IP based session affinity. */
export interface ClientIPConfig {
  /** timeoutSeconds specifies the seconds of ClientIP type session sticky time. */
  timeoutSeconds?: number;
}

/**
 * ClusterTrustBundleProjection describes how to select a set of ClusterTrustBundle objects and project their contents
 * into the pod filesystem.
 */
export interface ClusterTrustBundleProjection {
  /** Select all ClusterTrustBundles that match this label selector. Only has effect if signerName is set. */
  labelSelector?: metaV1.LabelSelector;
  /** Select a single ClusterTrustBundle by object name. Mutually-exclusive with signerName and labelSelector. */
  name?: string;
  /** If true, don't block pod startup if the referenced ClusterTrustBundle(s) aren't available. */
  optional?: boolean;
  /** Relative path from the volume root to write the bundle. */
  path: string;
  /** Select all ClusterTrustBundles that match this signer name. Mutually-exclusive with name. */
  signerName?: string;
}

/** Information about the condition of a component. */
export interface ComponentCondition {
  /** Condition error code for a component. For example, a health check error code. */
  error?: string;
  /** Message about the condition for a component. For example, information about a health check. */
  message?: string;
  /** Status of the condition for a component. Valid values for "Healthy": "True", "False", or "Unknown". */
  status: string;
  /** Type of condition for a component. Valid value: "Healthy" */
  type: string;
}

/**
 * ComponentStatus (and ComponentStatusList) holds the cluster validation info.
 *
 * @deprecated This API is deprecated in v1.19+
 */
export interface ComponentStatus {
  apiVersion: "v1";
  kind: "ComponentStatus";
  metadata: metaV1.ObjectMeta;
  /** List of component conditions observed */
  conditions?: ComponentCondition[];
}

/** The resource `componentstatuses` of `v1`. */
export const ComponentStatus: BuiltInResource<ComponentStatus, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  plural: "componentstatuses",
  singular: "componentstatus",
  scope: "Cluster",
  shortNames: ["cs"],
  categories: [],
  subresources: [],
  verbs: ["get", "list"],
};

/**
 * Status of all the conditions for the component as a list of ComponentStatus objects.
 *
 * @deprecated This API is deprecated in v1.19+
 */
export interface ComponentStatusList {
  apiVersion: "v1";
  kind: "ComponentStatusList";
  metadata: metaV1.ListMeta;
  /** List of ComponentStatus objects. */
  items: ComponentStatus[];
}

/** ConfigMap holds configuration data for pods to consume. */
export interface ConfigMap {
  apiVersion: "v1";
  kind: "ConfigMap";
  metadata: metaV1.ObjectMeta;
  /** BinaryData contains the binary data. Each key must consist of alphanumeric characters, '-', '_' or '.'. */
  binaryData?: Record<string, string>;
  /** Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. */
  data?: Record<string, string>;
  /**
   * Immutable, if set to true, ensures that data stored in the ConfigMap cannot be updated (only object metadata can be
   * modified).
   */
  immutable?: boolean;
}

/** The resource `configmaps` of `v1`. */
export const ConfigMap: BuiltInResource<ConfigMap, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  singular: "configmap",
  scope: "Namespaced",
  shortNames: ["cm"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** ConfigMapEnvSource selects a ConfigMap to populate the environment variables with. */
export interface ConfigMapEnvSource {
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
  /** Specify whether the ConfigMap must be defined */
  optional?: boolean;
}

/** Selects a key from a ConfigMap. */
export interface ConfigMapKeySelector {
  /** The key to select. */
  key: string;
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
  /** Specify whether the ConfigMap or its key must be defined */
  optional?: boolean;
}

/** ConfigMapList is a resource containing a list of ConfigMap objects. */
export interface ConfigMapList {
  apiVersion: "v1";
  kind: "ConfigMapList";
  metadata: metaV1.ListMeta;
  /** Items is the list of ConfigMaps. */
  items: ConfigMap[];
}

/**
 * ConfigMapNodeConfigSource contains the information to reference a ConfigMap as a config source for the Node.
 *
 * @deprecated This API is deprecated since 1.22:
 * https://git.k8s.io/enhancements/keps/sig-node/281-dynamic-kubelet-configuration
 */
export interface ConfigMapNodeConfigSource {
  /**
   * KubeletConfigKey declares which key of the referenced ConfigMap corresponds to the KubeletConfiguration structure
   * This field is required in all cases.
   */
  kubeletConfigKey: string;
  /** Name is the metadata.name of the referenced ConfigMap. This field is required in all cases. */
  name: string;
  /** Namespace is the metadata.namespace of the referenced ConfigMap. This field is required in all cases. */
  namespace: string;
  /** ResourceVersion is the metadata.ResourceVersion of the referenced ConfigMap. */
  resourceVersion?: string;
  /**
   * UID is the metadata.UID of the referenced ConfigMap. This field is forbidden in Node.Spec, and required in
   * Node.Status.
   */
  uid?: string;
}

/** Adapts a ConfigMap into a projected volume. */
export interface ConfigMapProjection {
  /**
   * items if unspecified, each key-value pair in the Data field of the referenced ConfigMap will be projected into the
   * volume as a file whose name is the key and content is the value.
   */
  items?: KeyToPath[];
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
  /** optional specify whether the ConfigMap or its keys must be defined */
  optional?: boolean;
}

/** Adapts a ConfigMap into a volume. */
export interface ConfigMapVolumeSource {
  /** defaultMode is optional: mode bits used to set permissions on created files by default. */
  defaultMode?: number;
  /**
   * items if unspecified, each key-value pair in the Data field of the referenced ConfigMap will be projected into the
   * volume as a file whose name is the key and content is the value.
   */
  items?: KeyToPath[];
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
  /** optional specify whether the ConfigMap or its keys must be defined */
  optional?: boolean;
}

/** A single application container that you want to run within a pod. */
export interface Container {
  /** Arguments to the entrypoint. The container image's CMD is used if this is not provided. */
  args?: string[];
  /** Entrypoint array. Not executed within a shell. */
  command?: string[];
  /** List of environment variables to set in the container. Cannot be updated. */
  env?: EnvVar[];
  /**
   * List of sources to populate environment variables in the container. The keys defined within a source may consist of
   * any printable ASCII characters except '='.
   */
  envFrom?: EnvFromSource[];
  /** Container image name. */
  image?: string;
  /** Image pull policy. One of Always, Never, IfNotPresent. */
  imagePullPolicy?: PullPolicy;
  /** Actions that the management system should take in response to container lifecycle events. */
  lifecycle?: Lifecycle;
  /** Periodic probe of container liveness. Container will be restarted if the probe fails. */
  livenessProbe?: Probe;
  /** Name of the container specified as a DNS_LABEL. Each container in a pod must have a unique name (DNS_LABEL). */
  name: string;
  /**
   * List of ports to expose from the container. Not specifying a port here DOES NOT prevent that port from being
   * exposed.
   */
  ports?: ContainerPort[];
  /**
   * Periodic probe of container service readiness. Container will be removed from service endpoints if the probe fails.
   */
  readinessProbe?: Probe;
  /** Resources resize policy for the container. This field cannot be set on ephemeral containers. */
  resizePolicy?: ContainerResizePolicy[];
  /** Compute Resources required by this container. Cannot be updated. */
  resources?: ResourceRequirements;
  /** RestartPolicy defines the restart behavior of individual containers in a pod. */
  restartPolicy?: string;
  /** Represents a list of rules to be checked to determine if the container should be restarted on exit. */
  restartPolicyRules?: ContainerRestartRule[];
  /** SecurityContext defines the security options the container should be run with. */
  securityContext?: SecurityContext;
  /**
   * StartupProbe indicates that the Pod has successfully initialized. If specified, no other probes are executed until
   * this completes successfully.
   */
  startupProbe?: Probe;
  /** Whether this container should allocate a buffer for stdin in the container runtime. */
  stdin?: boolean;
  /** Whether the container runtime should close the stdin channel after it has been opened by a single attach. */
  stdinOnce?: boolean;
  /**
   * Optional: Path at which the file to which the container's termination message will be written is mounted into the
   * container's filesystem.
   */
  terminationMessagePath?: string;
  /**
   * Indicate how the termination message should be populated. File will use the contents of terminationMessagePath to
   * populate the container status message on both success and failure.
   */
  terminationMessagePolicy?: TerminationMessagePolicy;
  /** Whether this container should allocate a TTY for itself, also requires 'stdin' to be true. */
  tty?: boolean;
  /** volumeDevices is the list of block devices to be used by the container. */
  volumeDevices?: VolumeDevice[];
  /** Pod volumes to mount into the container's filesystem. Cannot be updated. */
  volumeMounts?: VolumeMount[];
  /**
   * Container's working directory. If not specified, the container runtime's default will be used, which might be
   * configured in the container image.
   */
  workingDir?: string;
}

/**
 * ContainerExtendedResourceRequest has the mapping of container name, extended resource name to the device request
 * name.
 */
export interface ContainerExtendedResourceRequest {
  /** The name of the container requesting resources. */
  containerName: string;
  /** The name of the request in the special ResourceClaim which corresponds to the extended resource. */
  requestName: string;
  /** The name of the extended resource in that container which gets backed by DRA. */
  resourceName: string;
}

/** Describe a container image */
export interface ContainerImage {
  /**
   * Names by which this image is known. e.g. ["kubernetes.example/hyperkube:v1.0.7",
   * "cloud-vendor.registry.example/cloud-vendor/hyperkube:v1.0.7"]
   */
  names?: string[];
  /** The size of the image in bytes. */
  sizeBytes?: number;
}

/** ContainerPort represents a network port in a single container. */
export interface ContainerPort {
  /** Number of port to expose on the pod's IP address. This must be a valid port number, 0 < x < 65536. */
  containerPort: number;
  /** What host IP to bind the external port to. */
  hostIP?: string;
  /** Number of port to expose on the host. If specified, this must be a valid port number, 0 < x < 65536. */
  hostPort?: number;
  /** If specified, this must be an IANA_SVC_NAME and unique within the pod. */
  name?: string;
  /** Protocol for port. Must be UDP, TCP, or SCTP. */
  protocol?: Protocol;
}

/** ContainerResizePolicy represents resource resize policy for the container. */
export interface ContainerResizePolicy {
  /** Name of the resource to which this resource resize policy applies. Supported values: cpu, memory. */
  resourceName: string;
  /** Restart policy to apply when specified resource is resized. If not specified, it defaults to NotRequired. */
  restartPolicy: string;
}

/** ContainerRestartRule describes how a container exit is handled. */
export interface ContainerRestartRule {
  /** Specifies the action taken on a container exit if the requirements are satisfied. */
  action: string;
  /** Represents the exit codes to check on container exits. */
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** ContainerRestartRuleOnExitCodes describes the condition for handling an exited container based on its exit codes. */
export interface ContainerRestartRuleOnExitCodes {
  /** Represents the relationship between the container exit code(s) and the specified values. */
  operator: string;
  /** Specifies the set of values to check for container exit codes. At most 255 elements are allowed. */
  values?: number[];
}

/** ContainerState holds a possible state of container. Only one of its members may be specified. */
export interface ContainerState {
  /** Details about a running container */
  running?: ContainerStateRunning;
  /** Details about a terminated container */
  terminated?: ContainerStateTerminated;
  /** Details about a waiting container */
  waiting?: ContainerStateWaiting;
}

/** ContainerStateRunning is a running state of a container. */
export interface ContainerStateRunning {
  /** Time at which the container was last (re-)started */
  startedAt?: metaV1.Time;
}

/** ContainerStateTerminated is a terminated state of a container. */
export interface ContainerStateTerminated {
  /** Container's ID in the format '<type>://<container_id>' */
  containerID?: string;
  /** Exit status from the last termination of the container */
  exitCode: number;
  /** Time at which the container last terminated */
  finishedAt?: metaV1.Time;
  /** Message regarding the last termination of the container */
  message?: string;
  /** (brief) reason from the last termination of the container */
  reason?: string;
  /** Signal from the last termination of the container */
  signal?: number;
  /** Time at which previous execution of the container started */
  startedAt?: metaV1.Time;
}

/** ContainerStateWaiting is a waiting state of a container. */
export interface ContainerStateWaiting {
  /** Message regarding why the container is not yet running. */
  message?: string;
  /** (brief) reason the container is not yet running. */
  reason?: string;
}

/** ContainerStatus contains details for the current status of this container. */
export interface ContainerStatus {
  /** AllocatedResources represents the compute resources allocated for this container by the node. */
  allocatedResources?: Record<string, metaV1.Quantity>;
  /** AllocatedResourcesStatus represents the status of various resources allocated for this Pod. */
  allocatedResourcesStatus?: ResourceStatus[];
  /** ContainerID is the ID of the container in the format '<type>://<container_id>'. */
  containerID?: string;
  /**
   * Image is the name of container image that the container is running. The container image may not match the image
   * used in the PodSpec, as it may have been resolved by the runtime.
   */
  image: string;
  /**
   * ImageID is the image ID of the container's image. The image ID may not match the image ID of the image used in the
   * PodSpec, as it may have been resolved by the runtime.
   */
  imageID: string;
  /**
   * LastTerminationState holds the last termination state of the container to help debug container crashes and
   * restarts.
   */
  lastState?: ContainerState;
  /**
   * Name is a DNS_LABEL representing the unique name of the container. Each container in a pod must have a unique name
   * across all container types.
   */
  name: string;
  /** Ready specifies whether the container is currently passing its readiness check. */
  ready: boolean;
  /**
   * Resources represents the compute resource requests and limits that have been successfully enacted on the running
   * container after it has been started or has been successfully resized.
   */
  resources?: ResourceRequirements;
  /** RestartCount holds the number of times the container has been restarted. */
  restartCount: number;
  /** Started indicates whether the container has finished its postStart lifecycle hook and passed its startup probe. */
  started?: boolean;
  /** State holds details about the container's current condition. */
  state?: ContainerState;
  /** StopSignal reports the effective stop signal for this container */
  stopSignal?: Signal;
  /** User represents user identity information initially attached to the first process of the container */
  user?: ContainerUser;
  /** Status of volume mounts. */
  volumeMounts?: VolumeMountStatus[];
}

/** ContainerUser represents user identity information */
export interface ContainerUser {
  /** Linux holds user identity information initially attached to the first process of the containers in Linux. */
  linux?: LinuxContainerUser;
}

/** DaemonEndpoint contains information about a single Daemon endpoint. */
export interface DaemonEndpoint {
  /** Port number of the given endpoint. */
  Port: number;
}

/**
 * Represents downward API info for projecting into a projected volume. Note that this is identical to a downwardAPI
 * volume source without the default mode.
 */
export interface DownwardAPIProjection {
  /** Items is a list of DownwardAPIVolume file */
  items?: DownwardAPIVolumeFile[];
}

/** DownwardAPIVolumeFile represents information to create the file containing the pod field */
export interface DownwardAPIVolumeFile {
  /** Required: Selects a field of the pod: only annotations, labels, name, namespace and uid are supported. */
  fieldRef?: ObjectFieldSelector;
  /**
   * Optional: mode bits used to set permissions on this file, must be an octal value between 0000 and 0777 or a decimal
   * value between 0 and 511.
   */
  mode?: number;
  /**
   * Required: Path is the relative path name of the file to be created. Must not be absolute or contain the '..' path.
   */
  path: string;
  /**
   * Selects a resource of the container: only resources limits and requests (limits.cpu, limits.memory, requests.cpu
   * and requests.memory) are currently supported.
   */
  resourceFieldRef?: ResourceFieldSelector;
}

/** DownwardAPIVolumeSource represents a volume containing downward API info. */
export interface DownwardAPIVolumeSource {
  /**
   * Optional: mode bits to use on created files by default. Must be a Optional: mode bits used to set permissions on
   * created files by default.
   */
  defaultMode?: number;
  /** Items is a list of downward API volume file */
  items?: DownwardAPIVolumeFile[];
}

/**
 * Represents an empty directory for a pod. Empty directory volumes support ownership management and SELinux relabeling.
 */
export interface EmptyDirVolumeSource {
  /** medium represents what type of storage medium should back this directory. */
  medium?: string;
  /** sizeLimit is the total amount of local storage required for this EmptyDir volume. */
  sizeLimit?: metaV1.Quantity;
}

/**
 * EndpointAddress is a tuple that describes single IP address.
 *
 * @deprecated This API is deprecated in v1.33+.
 */
export interface EndpointAddress {
  /** The Hostname of this endpoint */
  hostname?: string;
  /**
   * The IP of this endpoint. May not be loopback (127.0.0.0/8 or ::1), link-local (169.254.0.0/16 or fe80::/10), or
   * link-local multicast (224.0.0.0/24 or ff02::/16).
   */
  ip: string;
  /** Optional: Node hosting this endpoint. This can be used to determine endpoints local to a node. */
  nodeName?: string;
  /** Reference to object providing the endpoint. */
  targetRef?: ObjectReference;
}

/**
 * EndpointPort is a tuple that describes a single port.
 *
 * @deprecated This API is deprecated in v1.33+.
 */
export interface EndpointPort {
  /**
   * The application protocol for this port. This is used as a hint for implementations to offer richer behavior for
   * protocols that they understand.
   */
  appProtocol?: string;
  /** The name of this port. This must match the 'name' field in the corresponding ServicePort. */
  name?: string;
  /** The port number of the endpoint. */
  port: number;
  /** The IP protocol for this port. Must be UDP, TCP, or SCTP. */
  protocol?: Protocol;
}

/**
 * EndpointSubset is a group of addresses with a common set of ports. The expanded set of endpoints is the Cartesian
 * product of Addresses x Ports.
 *
 * @deprecated This API is deprecated in v1.33+.
 */
export interface EndpointSubset {
  /**
   * IP addresses which offer the related ports that are marked as ready. These endpoints should be considered safe for
   * load balancers and clients to utilize.
   */
  addresses?: EndpointAddress[];
  /**
   * IP addresses which offer the related ports but are not currently marked as ready because they have not yet finished
   * starting, have recently failed a readiness check, or have recently failed a liveness check.
   */
  notReadyAddresses?: EndpointAddress[];
  /** Port numbers available on the related IP addresses. */
  ports?: EndpointPort[];
}

/**
 * Endpoints is a collection of endpoints that implement the actual service.
 *
 * @deprecated This API is deprecated in v1.33+.
 */
export interface Endpoints {
  apiVersion: "v1";
  kind: "Endpoints";
  metadata: metaV1.ObjectMeta;
  /**
   * The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they
   * share.
   */
  subsets?: EndpointSubset[];
}

/** The resource `endpoints` of `v1`. */
export const Endpoints: BuiltInResource<Endpoints, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  singular: "endpoints",
  scope: "Namespaced",
  shortNames: ["ep"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/**
 * EndpointsList is a list of endpoints.
 *
 * @deprecated This API is deprecated in v1.33+.
 */
export interface EndpointsList {
  apiVersion: "v1";
  kind: "EndpointsList";
  metadata: metaV1.ListMeta;
  /** List of endpoints. */
  items: Endpoints[];
}

/** EnvFromSource represents the source of a set of ConfigMaps or Secrets */
export interface EnvFromSource {
  /** The ConfigMap to select from */
  configMapRef?: ConfigMapEnvSource;
  /**
   * Optional text to prepend to the name of each environment variable. May consist of any printable ASCII characters
   * except '='.
   */
  prefix?: string;
  /** The Secret to select from */
  secretRef?: SecretEnvSource;
}

/** EnvVar represents an environment variable present in a Container. */
export interface EnvVar {
  /** Name of the environment variable. May consist of any printable ASCII characters except '='. */
  name: string;
  /**
   * Variable references $(VAR_NAME) are expanded using the previously defined environment variables in the container
   * and any service environment variables.
   */
  value?: string;
  /** Source for the environment variable's value. Cannot be used if value is not empty. */
  valueFrom?: EnvVarSource;
}

/** EnvVarSource represents a source for the value of an EnvVar. */
export interface EnvVarSource {
  /** Selects a key of a ConfigMap. */
  configMapKeyRef?: ConfigMapKeySelector;
  /**
   * Selects a field of the pod: supports metadata.name, metadata.namespace, `metadata.labels['<KEY>']`,
   * `metadata.annotations['<KEY>']`, spec.nodeName, spec.serviceAccountName, status.hostIP, status.podIP,
   * status.podIPs.
   */
  fieldRef?: ObjectFieldSelector;
  /** FileKeyRef selects a key of the env file. Requires the EnvFiles feature gate to be enabled. */
  fileKeyRef?: FileKeySelector;
  /**
   * Selects a resource of the container: only resources limits and requests (limits.cpu, limits.memory,
   * limits.ephemeral-storage, requests.cpu, requests.memory and requests.ephemeral-storage) are currently supported.
   */
  resourceFieldRef?: ResourceFieldSelector;
  /** Selects a key of a secret in the pod's namespace */
  secretKeyRef?: SecretKeySelector;
}

/**
 * An EphemeralContainer is a temporary container that you may add to an existing Pod for user-initiated activities such
 * as debugging.
 */
export interface EphemeralContainer {
  /** Arguments to the entrypoint. The image's CMD is used if this is not provided. */
  args?: string[];
  /** Entrypoint array. Not executed within a shell. */
  command?: string[];
  /** List of environment variables to set in the container. Cannot be updated. */
  env?: EnvVar[];
  /**
   * List of sources to populate environment variables in the container. The keys defined within a source may consist of
   * any printable ASCII characters except '='.
   */
  envFrom?: EnvFromSource[];
  /** Container image name. */
  image?: string;
  /** Image pull policy. One of Always, Never, IfNotPresent. */
  imagePullPolicy?: PullPolicy;
  /** Lifecycle is not allowed for ephemeral containers. */
  lifecycle?: Lifecycle;
  /** Probes are not allowed for ephemeral containers. */
  livenessProbe?: Probe;
  /**
   * Name of the ephemeral container specified as a DNS_LABEL. This name must be unique among all containers, init
   * containers and ephemeral containers.
   */
  name: string;
  /** Ports are not allowed for ephemeral containers. */
  ports?: ContainerPort[];
  /** Probes are not allowed for ephemeral containers. */
  readinessProbe?: Probe;
  /** Resources resize policy for the container. */
  resizePolicy?: ContainerResizePolicy[];
  /**
   * Resources are not allowed for ephemeral containers. Ephemeral containers use spare resources already allocated to
   * the pod.
   */
  resources?: ResourceRequirements;
  /** Restart policy for the container to manage the restart behavior of each container within a pod. */
  restartPolicy?: string;
  /** Represents a list of rules to be checked to determine if the container should be restarted on exit. */
  restartPolicyRules?: ContainerRestartRule[];
  /** Optional: SecurityContext defines the security options the ephemeral container should be run with. */
  securityContext?: SecurityContext;
  /** Probes are not allowed for ephemeral containers. */
  startupProbe?: Probe;
  /** Whether this container should allocate a buffer for stdin in the container runtime. */
  stdin?: boolean;
  /** Whether the container runtime should close the stdin channel after it has been opened by a single attach. */
  stdinOnce?: boolean;
  /** If set, the name of the container from PodSpec that this ephemeral container targets. */
  targetContainerName?: string;
  /**
   * Optional: Path at which the file to which the container's termination message will be written is mounted into the
   * container's filesystem.
   */
  terminationMessagePath?: string;
  /**
   * Indicate how the termination message should be populated. File will use the contents of terminationMessagePath to
   * populate the container status message on both success and failure.
   */
  terminationMessagePolicy?: TerminationMessagePolicy;
  /** Whether this container should allocate a TTY for itself, also requires 'stdin' to be true. */
  tty?: boolean;
  /** volumeDevices is the list of block devices to be used by the container. */
  volumeDevices?: VolumeDevice[];
  /** Pod volumes to mount into the container's filesystem. Subpath mounts are not allowed for ephemeral containers. */
  volumeMounts?: VolumeMount[];
  /**
   * Container's working directory. If not specified, the container runtime's default will be used, which might be
   * configured in the container image.
   */
  workingDir?: string;
}

/** Represents an ephemeral volume that is handled by a normal storage driver. */
export interface EphemeralVolumeSource {
  /**
   * Will be used to create a stand-alone PVC to provision the volume. The pod in which this EphemeralVolumeSource is
   * embedded will be the owner of the PVC, i.e. the PVC will be deleted together with the pod.
   */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/**
 * Event is a report of an event somewhere in the cluster. Events have a limited retention time and triggers and
 * messages may evolve with time.
 */
export interface Event {
  apiVersion: "v1";
  kind: "Event";
  metadata: metaV1.ObjectMeta;
  /** What action was taken/failed regarding to the Regarding object. */
  action?: string;
  /** The number of times this event has occurred. */
  count?: number;
  /** Time when this Event was first observed. */
  eventTime?: metaV1.MicroTime;
  /** The time at which the event was first recorded. (Time of server receipt is in TypeMeta.) */
  firstTimestamp?: metaV1.Time;
  /** The object that this event is about. */
  involvedObject: ObjectReference;
  /** The time at which the most recent occurrence of this event was recorded. */
  lastTimestamp?: metaV1.Time;
  /** A human-readable description of the status of this operation. */
  message?: string;
  /**
   * This should be a short, machine understandable string that gives the reason for the transition into the object's
   * current status.
   */
  reason?: string;
  /** Optional secondary object for more complex actions. */
  related?: ObjectReference;
  /** Name of the controller that emitted this Event, e.g. `kubernetes.io/kubelet`. */
  reportingComponent?: string;
  /** ID of the controller instance, e.g. `kubelet-xyzf`. */
  reportingInstance?: string;
  /** Data about the Event series this event represents or nil if it's a singleton Event. */
  series?: EventSeries;
  /** The component reporting this event. Should be a short machine understandable string. */
  source?: EventSource;
  /** Type of this event (Normal, Warning), new types could be added in the future */
  type?: string;
}

/** The resource `events` of `v1`. */
export const Event: BuiltInResource<Event, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  singular: "event",
  scope: "Namespaced",
  shortNames: ["ev"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** EventList is a list of events. */
export interface EventList {
  apiVersion: "v1";
  kind: "EventList";
  metadata: metaV1.ListMeta;
  /** List of events */
  items: Event[];
}

/** EventSeries contain information on series of events, i.e. thing that was/is happening continuously for some time. */
export interface EventSeries {
  /** Number of occurrences in this series up to the last heartbeat time */
  count?: number;
  /** Time of the last occurrence observed */
  lastObservedTime?: metaV1.MicroTime;
}

/** EventSource contains information for an event. */
export interface EventSource {
  /** Component from which the event is generated. */
  component?: string;
  /** Node name on which the event is generated. */
  host?: string;
}

/** ExecAction describes a "run in container" action. */
export interface ExecAction {
  /**
   * Command is the command line to execute inside the container, the working directory for the command is root ('/') in
   * the container's filesystem.
   */
  command?: string[];
}

/** Represents a Fibre Channel volume. Fibre Channel volumes can only be mounted as read/write once. */
export interface FCVolumeSource {
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** lun is Optional: FC target lun number */
  lun?: number;
  /**
   * readOnly is Optional: Defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
   * VolumeMounts.
   */
  readOnly?: boolean;
  /** targetWWNs is Optional: FC target worldwide names (WWNs) */
  targetWWNs?: string[];
  /**
   * wwids Optional: FC volume world wide identifiers (wwids) Either wwids or combination of targetWWNs and lun must be
   * set, but not both simultaneously.
   */
  wwids?: string[];
}

/** FileKeySelector selects a key of the env file. */
export interface FileKeySelector {
  /** The key within the env file. An invalid key will prevent the pod from starting. */
  key: string;
  /**
   * Specify whether the file or its key must be defined. If the file or key does not exist, then the env var is not
   * published.
   */
  optional?: boolean;
  /**
   * The path within the volume from which to select the file. Must be relative and may not contain the '..' path or
   * start with '..'.
   */
  path: string;
  /** The name of the volume mount containing the env file. */
  volumeName: string;
}

/**
 * FlexPersistentVolumeSource represents a generic persistent volume resource that is provisioned/attached using an exec
 * based plugin.
 */
export interface FlexPersistentVolumeSource {
  /** driver is the name of the driver to use for this volume. */
  driver: string;
  /** fsType is the Filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** options is Optional: this field holds extra command options if any. */
  options?: Record<string, string>;
  /**
   * readOnly is Optional: defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
   * VolumeMounts.
   */
  readOnly?: boolean;
  /**
   * secretRef is Optional: SecretRef is reference to the secret object containing sensitive information to pass to the
   * plugin scripts.
   */
  secretRef?: SecretReference;
}

/** FlexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin. */
export interface FlexVolumeSource {
  /** driver is the name of the driver to use for this volume. */
  driver: string;
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** options is Optional: this field holds extra command options if any. */
  options?: Record<string, string>;
  /**
   * readOnly is Optional: defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
   * VolumeMounts.
   */
  readOnly?: boolean;
  /**
   * secretRef is Optional: secretRef is reference to the secret object containing sensitive information to pass to the
   * plugin scripts.
   */
  secretRef?: LocalObjectReference;
}

/**
 * Represents a Flocker volume mounted by the Flocker agent. One and only one of datasetName and datasetUUID should be
 * set.
 */
export interface FlockerVolumeSource {
  /**
   * datasetName is Name of the dataset stored as metadata -> name on the dataset for Flocker should be considered as
   * deprecated
   */
  datasetName?: string;
  /** datasetUUID is the UUID of the dataset. This is unique identifier of a Flocker dataset */
  datasetUUID?: string;
}

/** Represents a Persistent Disk resource in Google Compute Engine. */
export interface GCEPersistentDiskVolumeSource {
  /**
   * fsType is filesystem type of the volume that you want to mount. Tip: Ensure that the filesystem type is supported
   * by the host operating system.
   */
  fsType?: string;
  /**
   * partition is the partition in the volume that you want to mount. If omitted, the default is to mount by volume
   * name.
   */
  partition?: number;
  /** pdName is unique name of the PD resource in GCE. Used to identify the disk in GCE. */
  pdName: string;
  /** readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false. */
  readOnly?: boolean;
}

/** GRPCAction specifies an action involving a GRPC service. */
export interface GRPCAction {
  /** Port number of the gRPC service. Number must be in the range 1 to 65535. */
  port: number;
  /**
   * Service is the name of the service to place in the gRPC HealthCheckRequest (see
   * https://github.com/grpc/grpc/blob/master/doc/health-checking.md).
   */
  service?: string;
}

/**
 * Represents a volume that is populated with the contents of a git repository.
 *
 * @deprecated GitRepo is deprecated.
 */
export interface GitRepoVolumeSource {
  /** directory is the target directory name. Must not contain or start with '..'. */
  directory?: string;
  /** repository is the URL */
  repository: string;
  /** revision is the commit hash for the specified revision. */
  revision?: string;
}

/**
 * Represents a Glusterfs mount that lasts the lifetime of a pod. Glusterfs volumes do not support ownership management
 * or SELinux relabeling.
 */
export interface GlusterfsPersistentVolumeSource {
  /** endpoints is the endpoint name that details Glusterfs topology. */
  endpoints: string;
  /**
   * endpointsNamespace is the namespace that contains Glusterfs endpoint. If this field is empty, the EndpointNamespace
   * defaults to the same namespace as the bound PVC.
   */
  endpointsNamespace?: string;
  /** path is the Glusterfs volume path. */
  path: string;
  /** readOnly here will force the Glusterfs volume to be mounted with read-only permissions. */
  readOnly?: boolean;
}

/**
 * Represents a Glusterfs mount that lasts the lifetime of a pod. Glusterfs volumes do not support ownership management
 * or SELinux relabeling.
 */
export interface GlusterfsVolumeSource {
  /** endpoints is the endpoint name that details Glusterfs topology. */
  endpoints: string;
  /** path is the Glusterfs volume path. */
  path: string;
  /** readOnly here will force the Glusterfs volume to be mounted with read-only permissions. */
  readOnly?: boolean;
}

/** HTTPGetAction describes an action based on HTTP Get requests. */
export interface HTTPGetAction {
  /** Host name to connect to, defaults to the pod IP. You probably want to set "Host" in httpHeaders instead. */
  host?: string;
  /** Custom headers to set in the request. HTTP allows repeated headers. */
  httpHeaders?: HTTPHeader[];
  /** Path to access on the HTTP server. */
  path?: string;
  /** Name or number of the port to access on the container. Number must be in the range 1 to 65535. */
  port: metaV1.IntOrString;
  /** Scheme to use for connecting to the host. Defaults to HTTP. */
  scheme?: URIScheme;
}

/** HTTPHeader describes a custom header to be used in HTTP probes */
export interface HTTPHeader {
  /**
   * The header field name. This will be canonicalized upon output, so case-variant names will be understood as the same
   * header.
   */
  name: string;
  /** The header field value */
  value: string;
}

/** HostAlias holds the mapping between IP and hostnames that will be injected as an entry in the pod's hosts file. */
export interface HostAlias {
  /** Hostnames for the above IP address. */
  hostnames?: string[];
  /** IP address of the host file entry. */
  ip: string;
}

/** HostIP represents a single IP address allocated to the host. */
export interface HostIP {
  /** IP is the IP address assigned to the host */
  ip: string;
}

/**
 * Represents a host path mapped into a pod. Host path volumes do not support ownership management or SELinux
 * relabeling.
 */
export interface HostPathVolumeSource {
  /** path of the directory on the host. If the path is a symlink, it will follow the link to the real path. */
  path: string;
  /** type for HostPath Volume Defaults to "" More info: https://kubernetes.io/docs/concepts/storage/volumes#hostpath */
  type?: HostPathType;
}

/** ISCSIPersistentVolumeSource represents an ISCSI disk. ISCSI volumes can only be mounted as read/write once. */
export interface ISCSIPersistentVolumeSource {
  /** chapAuthDiscovery defines whether support iSCSI Discovery CHAP authentication */
  chapAuthDiscovery?: boolean;
  /** chapAuthSession defines whether support iSCSI Session CHAP authentication */
  chapAuthSession?: boolean;
  /**
   * fsType is the filesystem type of the volume that you want to mount. Tip: Ensure that the filesystem type is
   * supported by the host operating system.
   */
  fsType?: string;
  /**
   * initiatorName is the custom iSCSI Initiator Name. If initiatorName is specified with iscsiInterface simultaneously,
   * new iSCSI interface <target portal>:<volume name> will be created for the connection.
   */
  initiatorName?: string;
  /** iqn is Target iSCSI Qualified Name. */
  iqn: string;
  /** iscsiInterface is the interface Name that uses an iSCSI transport. Defaults to 'default' (tcp). */
  iscsiInterface?: string;
  /** lun is iSCSI Target Lun number. */
  lun: number;
  /**
   * portals is the iSCSI Target Portal List. The Portal is either an IP or ip_addr:port if the port is other than
   * default (typically TCP ports 860 and 3260).
   */
  portals?: string[];
  /** readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false. */
  readOnly?: boolean;
  /** secretRef is the CHAP Secret for iSCSI target and initiator authentication */
  secretRef?: SecretReference;
  /**
   * targetPortal is iSCSI Target Portal. The Portal is either an IP or ip_addr:port if the port is other than default
   * (typically TCP ports 860 and 3260).
   */
  targetPortal: string;
}

/** Represents an ISCSI disk. ISCSI volumes can only be mounted as read/write once. */
export interface ISCSIVolumeSource {
  /** chapAuthDiscovery defines whether support iSCSI Discovery CHAP authentication */
  chapAuthDiscovery?: boolean;
  /** chapAuthSession defines whether support iSCSI Session CHAP authentication */
  chapAuthSession?: boolean;
  /**
   * fsType is the filesystem type of the volume that you want to mount. Tip: Ensure that the filesystem type is
   * supported by the host operating system.
   */
  fsType?: string;
  /**
   * initiatorName is the custom iSCSI Initiator Name. If initiatorName is specified with iscsiInterface simultaneously,
   * new iSCSI interface <target portal>:<volume name> will be created for the connection.
   */
  initiatorName?: string;
  /** iqn is the target iSCSI Qualified Name. */
  iqn: string;
  /** iscsiInterface is the interface Name that uses an iSCSI transport. Defaults to 'default' (tcp). */
  iscsiInterface?: string;
  /** lun represents iSCSI Target Lun number. */
  lun: number;
  /**
   * portals is the iSCSI Target Portal List. The portal is either an IP or ip_addr:port if the port is other than
   * default (typically TCP ports 860 and 3260).
   */
  portals?: string[];
  /** readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false. */
  readOnly?: boolean;
  /** secretRef is the CHAP Secret for iSCSI target and initiator authentication */
  secretRef?: LocalObjectReference;
  /**
   * targetPortal is iSCSI Target Portal. The Portal is either an IP or ip_addr:port if the port is other than default
   * (typically TCP ports 860 and 3260).
   */
  targetPortal: string;
}

/** ImageVolumeSource represents a image volume resource. */
export interface ImageVolumeSource {
  /** Policy for pulling OCI objects. Possible values are: Always: the kubelet always attempts to pull the reference. */
  pullPolicy?: PullPolicy;
  /** Required: Image or artifact reference to be used. Behaves in the same way as pod.spec.containers[*].image. */
  reference?: string;
}

/** ImageVolumeStatus represents the image-based volume status. */
export interface ImageVolumeStatus {
  /**
   * ImageRef is the digest of the image used for this volume. It should have a value that's similar to the pod's
   * status.containerStatuses[i].imageID.
   */
  imageRef: string;
}

/** Maps a string key to a path within a volume. */
export interface KeyToPath {
  /** key is the key to project. */
  key: string;
  /**
   * mode is Optional: mode bits used to set permissions on this file. Must be an octal value between 0000 and 0777 or a
   * decimal value between 0 and 511.
   */
  mode?: number;
  /** path is the relative path of the file to map the key to. May not be an absolute path. */
  path: string;
}

/** Lifecycle describes actions that the management system should take in response to container lifecycle events. */
export interface Lifecycle {
  /**
   * PostStart is called immediately after a container is created. If the handler fails, the container is terminated and
   * restarted according to its restart policy.
   */
  postStart?: LifecycleHandler;
  /**
   * PreStop is called immediately before a container is terminated due to an API request or management event such as
   * liveness/startup probe failure, preemption, resource contention, etc. The handler is not called if the container
   * crashes or exits.
   */
  preStop?: LifecycleHandler;
  /** StopSignal defines which signal will be sent to a container when it is being stopped. */
  stopSignal?: Signal;
}

/** LifecycleHandler defines a specific action that should be taken in a lifecycle hook. */
export interface LifecycleHandler {
  /** Exec specifies a command to execute in the container. */
  exec?: ExecAction;
  /** HTTPGet specifies an HTTP GET request to perform. */
  httpGet?: HTTPGetAction;
  /** Sleep represents a duration that the container should sleep. */
  sleep?: SleepAction;
  /**
   * TCPSocket is NOT supported as a LifecycleHandler and kept for backward compatibility.
   *
   * @deprecated Deprecated.
   */
  tcpSocket?: TCPSocketAction;
}

/** LimitRange sets resource usage limits for each kind of resource in a Namespace. */
export interface LimitRange {
  apiVersion: "v1";
  kind: "LimitRange";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the limits enforced. */
  spec: LimitRangeSpec;
}

/** The resource `limitranges` of `v1`. */
export const LimitRange: BuiltInResource<LimitRange, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  singular: "limitrange",
  scope: "Namespaced",
  shortNames: ["limits"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** LimitRangeItem defines a min/max usage limit for any resource that matches on kind. */
export interface LimitRangeItem {
  /** Default resource requirement limit value by resource name if resource limit is omitted. */
  default?: Record<string, metaV1.Quantity>;
  /**
   * DefaultRequest is the default resource requirement request value by resource name if resource request is omitted.
   */
  defaultRequest?: Record<string, metaV1.Quantity>;
  /** Max usage constraints on this kind by resource name. */
  max?: Record<string, metaV1.Quantity>;
  /**
   * MaxLimitRequestRatio if specified, the named resource must have a request and limit that are both non-zero where
   * limit divided by request is less than or equal to the enumerated value; this represents the max burst for the named
   * resource.
   */
  maxLimitRequestRatio?: Record<string, metaV1.Quantity>;
  /** Min usage constraints on this kind by resource name. */
  min?: Record<string, metaV1.Quantity>;
  /** Type of resource that this limit applies to. */
  type: string;
}

/** LimitRangeList is a list of LimitRange items. */
export interface LimitRangeList {
  apiVersion: "v1";
  kind: "LimitRangeList";
  metadata: metaV1.ListMeta;
  /** Items is a list of LimitRange objects. */
  items: LimitRange[];
}

/** LimitRangeSpec defines a min/max usage limit for resources that match on kind. */
export interface LimitRangeSpec {
  /** Limits is the list of LimitRangeItem objects that are enforced. */
  limits: LimitRangeItem[];
}

/** LinuxContainerUser represents user identity information in Linux containers */
export interface LinuxContainerUser {
  /** GID is the primary gid initially attached to the first process in the container */
  gid: number;
  /** SupplementalGroups are the supplemental groups initially attached to the first process in the container */
  supplementalGroups?: number[];
  /** UID is the primary uid initially attached to the first process in the container */
  uid: number;
}

/**
 * LoadBalancerIngress represents the status of a load-balancer ingress point: traffic intended for the service should
 * be sent to an ingress point.
 */
export interface LoadBalancerIngress {
  /** Hostname is set for load-balancer ingress points that are DNS based (typically AWS load-balancers) */
  hostname?: string;
  /** IP is set for load-balancer ingress points that are IP based (typically GCE or OpenStack load-balancers) */
  ip?: string;
  /** IPMode specifies how the load-balancer IP behaves, and may only be specified when the ip field is specified. */
  ipMode?: string;
  /**
   * Ports is a list of records of service ports If used, every port defined in the service should have an entry in it
   */
  ports?: PortStatus[];
}

/** LoadBalancerStatus represents the status of a load-balancer. */
export interface LoadBalancerStatus {
  /**
   * Ingress is a list containing ingress points for the load-balancer. Traffic intended for the service should be sent
   * to these ingress points.
   */
  ingress?: LoadBalancerIngress[];
}

/**
 * LocalObjectReference contains enough information to let you locate the referenced object inside the same namespace.
 */
export interface LocalObjectReference {
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
}

/** Local represents directly-attached storage with node affinity */
export interface LocalVolumeSource {
  /** fsType is the filesystem type to mount. It applies only when the Path is a block device. */
  fsType?: string;
  /**
   * path of the full path to the volume on the node. It can be either a directory or block device (disk, partition,
   * ...).
   */
  path: string;
}

/** ModifyVolumeStatus represents the status object of ControllerModifyVolume operation */
export interface ModifyVolumeStatus {
  /** status is the status of the ControllerModifyVolume operation. */
  status: PersistentVolumeClaimModifyVolumeStatus;
  /** targetVolumeAttributesClassName is the name of the VolumeAttributesClass the PVC currently being reconciled */
  targetVolumeAttributesClassName?: string;
}

/**
 * Represents an NFS mount that lasts the lifetime of a pod. NFS volumes do not support ownership management or SELinux
 * relabeling.
 */
export interface NFSVolumeSource {
  /** path that is exported by the NFS server. */
  path: string;
  /** readOnly here will force the NFS export to be mounted with read-only permissions. */
  readOnly?: boolean;
  /** server is the hostname or IP address of the NFS server. */
  server: string;
}

/** Namespace provides a scope for Names. Use of multiple namespaces is optional. */
export interface Namespace {
  apiVersion: "v1";
  kind: "Namespace";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the behavior of the Namespace. */
  spec?: NamespaceSpec;
  /** Status describes the current status of a Namespace. */
  status?: NamespaceStatus;
}

/** The resource `namespaces` of `v1`. */
export const Namespace: BuiltInResource<Namespace, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  singular: "namespace",
  scope: "Cluster",
  shortNames: ["ns"],
  categories: [],
  subresources: ["finalize", "status"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
};

/** NamespaceCondition contains details about state of namespace. */
export interface NamespaceCondition {
  /** Last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** Human-readable message indicating details about last transition. */
  message?: string;
  /** Unique, one-word, CamelCase reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of namespace controller condition. */
  type: string;
}

/** NamespaceList is a list of Namespaces. */
export interface NamespaceList {
  apiVersion: "v1";
  kind: "NamespaceList";
  metadata: metaV1.ListMeta;
  /** Items is the list of Namespace objects in the list. */
  items: Namespace[];
}

/** NamespaceSpec describes the attributes on a Namespace. */
export interface NamespaceSpec {
  /** Finalizers is an opaque list of values that must be empty to permanently remove object from storage. */
  finalizers?: string[];
}

/** NamespaceStatus is information about the current status of a Namespace. */
export interface NamespaceStatus {
  /** Represents the latest available observations of a namespace's current state. */
  conditions?: NamespaceCondition[];
  /** Phase is the current lifecycle phase of the namespace. */
  phase?: NamespacePhase;
}

/** Node is a worker node in Kubernetes. Each node will have a unique identifier in the cache (i.e. in etcd). */
export interface Node {
  apiVersion: "v1";
  kind: "Node";
  metadata: metaV1.ObjectMeta;
  /**
   * Spec defines the behavior of a node.
   * https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
   */
  spec?: NodeSpec;
  /** Most recently observed status of the node. Populated by the system. */
  status?: NodeStatus;
}

/** The resource `nodes` of `v1`. */
export const Node: BuiltInResource<Node, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  singular: "node",
  scope: "Cluster",
  shortNames: ["no"],
  categories: [],
  subresources: ["proxy", "status"],
  verbs: everyVerb,
};

/** NodeAddress contains information for the node's address. */
export interface NodeAddress {
  /** The node address. */
  address: string;
  /** Node address type, one of Hostname, ExternalIP or InternalIP. */
  type: string;
}

/** Node affinity is a group of node affinity scheduling rules. */
export interface NodeAffinity {
  /**
   * The scheduler will prefer to schedule pods to nodes that satisfy the affinity expressions specified by this field,
   * but it may choose a node that violates one or more of the expressions.
   */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  /**
   * If the affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled
   * onto the node.
   */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
}

/** NodeAllocatableResourceClaimStatus describes the status of node allocatable resources allocated via DRA. */
export interface NodeAllocatableResourceClaimStatus {
  /** Containers lists the names of all containers in this pod that reference the claim. */
  containers?: string[];
  /**
   * ResourceClaimName is the resource claim referenced by the pod that resulted in this node allocatable resource
   * allocation.
   */
  resourceClaimName: string;
  /** Resources is a map of the node-allocatable resource name to the aggregate quantity allocated to the claim. */
  resources: Record<string, metaV1.Quantity>;
}

/** NodeCondition contains condition information for a node. */
export interface NodeCondition {
  /** Last time we got an update on a given condition. */
  lastHeartbeatTime?: metaV1.Time;
  /** Last time the condition transit from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** Human readable message indicating details about last transition. */
  message?: string;
  /** (brief) reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of node condition. */
  type: string;
}

/**
 * NodeConfigSource specifies a source of node configuration. Exactly one subfield (excluding metadata) must be non-nil.
 *
 * @deprecated This API is deprecated since 1.22
 */
export interface NodeConfigSource {
  /** ConfigMap is a reference to a Node's ConfigMap */
  configMap?: ConfigMapNodeConfigSource;
}

/** NodeConfigStatus describes the status of the config assigned by Node.Spec.ConfigSource. */
export interface NodeConfigStatus {
  /**
   * Active reports the checkpointed config the node is actively using. Active will represent either the current version
   * of the Assigned config, or the current LastKnownGood config, depending on whether attempting to use the Assigned
   * config results in an error.
   */
  active?: NodeConfigSource;
  /**
   * Assigned reports the checkpointed config the node will try to use. When Node.Spec.ConfigSource is updated, the node
   * checkpoints the associated config payload to local disk, along with a record indicating intended config.
   */
  assigned?: NodeConfigSource;
  /** Error describes any problems reconciling the Spec.ConfigSource to the Active config. */
  error?: string;
  /**
   * LastKnownGood reports the checkpointed config the node will fall back to when it encounters an error attempting to
   * use the Assigned config.
   */
  lastKnownGood?: NodeConfigSource;
}

/** NodeDaemonEndpoints lists ports opened by daemons running on the Node. */
export interface NodeDaemonEndpoints {
  /** Endpoint on which Kubelet is listening. */
  kubeletEndpoint?: DaemonEndpoint;
}

/** NodeFeatures describes the set of features implemented by the CRI implementation. */
export interface NodeFeatures {
  /** SupplementalGroupsPolicy is set to true if the runtime supports SupplementalGroupsPolicy and ContainerUser. */
  supplementalGroupsPolicy?: boolean;
}

/** NodeList is the whole list of all Nodes which have been registered with master. */
export interface NodeList {
  apiVersion: "v1";
  kind: "NodeList";
  metadata: metaV1.ListMeta;
  /** List of nodes */
  items: Node[];
}

/** NodeProxyOptions is the query options to a Node's proxy call. */
export interface NodeProxyOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /** Path is the URL path to use for the current proxy request to node. */
  path?: string;
}

/** NodeRuntimeHandler is a set of runtime handler information. */
export interface NodeRuntimeHandler {
  /** Supported features. */
  features?: NodeRuntimeHandlerFeatures;
  /** Runtime handler name. Empty for the default runtime handler. */
  name?: string;
}

/** NodeRuntimeHandlerFeatures is a set of features implemented by the runtime handler. */
export interface NodeRuntimeHandlerFeatures {
  /** RecursiveReadOnlyMounts is set to true if the runtime handler supports RecursiveReadOnlyMounts. */
  recursiveReadOnlyMounts?: boolean;
  /** UserNamespaces is set to true if the runtime handler supports UserNamespaces, including for volumes. */
  userNamespaces?: boolean;
}

/**
 * A node selector represents the union of the results of one or more label queries over a set of nodes; that is, it
 * represents the OR of the selectors represented by the node selector terms.
 */
export interface NodeSelector {
  /** Required. A list of node selector terms. */
  nodeSelectorTerms: NodeSelectorTerm[];
}

/**
 * A node selector requirement is a selector that contains values, a key, and an operator that relates the key and
 * values.
 */
export interface NodeSelectorRequirement {
  /** The label key that the selector applies to. */
  key: string;
  /** Represents a key's relationship to a set of values. Valid operators are In, NotIn, Exists, DoesNotExist. */
  operator: NodeSelectorOperator;
  /** An array of string values. If the operator is In or NotIn, the values array must be non-empty. */
  values?: string[];
}

/** A null or empty node selector term matches no objects. The requirements of them are ANDed. */
export interface NodeSelectorTerm {
  /** A list of node selector requirements by node's labels. */
  matchExpressions?: NodeSelectorRequirement[];
  /** A list of node selector requirements by node's fields. */
  matchFields?: NodeSelectorRequirement[];
}

/** NodeSpec describes the attributes that a node is created with. */
export interface NodeSpec {
  /**
   * This feature is removed.
   *
   * @deprecated Previously used to specify the source of the node's configuration for the DynamicKubeletConfig feature.
   */
  configSource?: NodeConfigSource;
  /**
   * Not all kubelets will set this field. Remove field after 1.13. see: https://issues.k8s.io/61966
   *
   * @deprecated Deprecated.
   */
  externalID?: string;
  /** PodCIDR represents the pod IP range assigned to the node. */
  podCIDR?: string;
  /** podCIDRs represents the IP ranges assigned to the node for usage by Pods on that node. */
  podCIDRs?: string[];
  /** ID of the node assigned by the cloud provider in the format: <ProviderName>://<ProviderSpecificNodeID> */
  providerID?: string;
  /** If specified, the node's taints. */
  taints?: Taint[];
  /** Unschedulable controls node schedulability of new pods. By default, node is schedulable. */
  unschedulable?: boolean;
}

/** NodeStatus is information about the current status of a node. */
export interface NodeStatus {
  /** List of addresses reachable to the node. Queried from cloud provider, if available. */
  addresses?: NodeAddress[];
  /** Allocatable represents the resources of a node that are available for scheduling. */
  allocatable?: Record<string, metaV1.Quantity>;
  /** Capacity represents the total resources of a node. */
  capacity?: Record<string, metaV1.Quantity>;
  /** Conditions is an array of current observed node conditions. */
  conditions?: NodeCondition[];
  /** Status of the config assigned to the node via the dynamic Kubelet config feature. */
  config?: NodeConfigStatus;
  /** Endpoints of daemons running on the Node. */
  daemonEndpoints?: NodeDaemonEndpoints;
  /** DeclaredFeatures represents the features related to feature gates that are declared by the node. */
  declaredFeatures?: string[];
  /** Features describes the set of features implemented by the CRI implementation. */
  features?: NodeFeatures;
  /** List of container images on this node */
  images?: ContainerImage[];
  /** Set of ids/uuids to uniquely identify the node. */
  nodeInfo?: NodeSystemInfo;
  /** NodePhase is the recently observed lifecycle phase of the node. */
  phase?: NodePhase;
  /** The available runtime handlers. */
  runtimeHandlers?: NodeRuntimeHandler[];
  /** List of volumes that are attached to the node. */
  volumesAttached?: AttachedVolume[];
  /** List of attachable volumes in use (mounted) by the node. */
  volumesInUse?: string[];
}

/** NodeSwapStatus represents swap memory information. */
export interface NodeSwapStatus {
  /** Total amount of swap memory in bytes. */
  capacity?: number;
}

/** NodeSystemInfo is a set of ids/uuids to uniquely identify the node. */
export interface NodeSystemInfo {
  /** The Architecture reported by the node */
  architecture: string;
  /** Boot ID reported by the node. */
  bootID: string;
  /** ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2). */
  containerRuntimeVersion: string;
  /** Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64). */
  kernelVersion: string;
  /** @deprecated KubeProxy Version reported by the node. */
  kubeProxyVersion: string;
  /** Kubelet Version reported by the node. */
  kubeletVersion: string;
  /** MachineID reported by the node. For unique machine identification in the cluster this field is preferred. */
  machineID: string;
  /** The Operating System reported by the node */
  operatingSystem: string;
  /** OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)). */
  osImage: string;
  /** Swap Info reported by the node. */
  swap?: NodeSwapStatus;
  /** SystemUUID reported by the node. For unique machine identification MachineID is preferred. */
  systemUUID: string;
}

/** ObjectFieldSelector selects an APIVersioned field of an object. */
export interface ObjectFieldSelector {
  /** Version of the schema the FieldPath is written in terms of, defaults to "v1". */
  apiVersion?: string;
  /** Path of the field to select in the specified API version. */
  fieldPath: string;
}

/** ObjectReference contains enough information to let you inspect or modify the referred object. */
export interface ObjectReference {
  /** API version of the referent. */
  apiVersion?: string;
  /**
   * If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field
   * access statement, such as desiredState.manifest.containers[2].
   */
  fieldPath?: string;
  /** Kind of the referent. */
  kind?: string;
  /** Name of the referent. */
  name?: string;
  /** Namespace of the referent. */
  namespace?: string;
  /** Specific resourceVersion to which this reference is made, if any. */
  resourceVersion?: string;
  /** UID of the referent. */
  uid?: string;
}

/** PersistentVolume (PV) is a storage resource provisioned by an administrator. */
export interface PersistentVolume {
  apiVersion: "v1";
  kind: "PersistentVolume";
  metadata: metaV1.ObjectMeta;
  /** spec defines a specification of a persistent volume owned by the cluster. */
  spec?: PersistentVolumeSpec;
  /** status represents the current information/status for the persistent volume. */
  status?: PersistentVolumeStatus;
}

/** The resource `persistentvolumes` of `v1`. */
export const PersistentVolume: BuiltInResource<PersistentVolume, "Cluster"> = {
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  singular: "persistentvolume",
  scope: "Cluster",
  shortNames: ["pv"],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** PersistentVolumeClaim is a user's request for and claim to a persistent volume */
export interface PersistentVolumeClaim {
  apiVersion: "v1";
  kind: "PersistentVolumeClaim";
  metadata: metaV1.ObjectMeta;
  /** spec defines the desired characteristics of a volume requested by a pod author. */
  spec?: PersistentVolumeClaimSpec;
  /** status represents the current information/status of a persistent volume claim. */
  status?: PersistentVolumeClaimStatus;
}

/** The resource `persistentvolumeclaims` of `v1`. */
export const PersistentVolumeClaim: BuiltInResource<PersistentVolumeClaim, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  singular: "persistentvolumeclaim",
  scope: "Namespaced",
  shortNames: ["pvc"],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** PersistentVolumeClaimCondition contains details about state of pvc */
export interface PersistentVolumeClaimCondition {
  /** lastProbeTime is the time we probed the condition. */
  lastProbeTime?: metaV1.Time;
  /** lastTransitionTime is the time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** message is the human-readable message indicating details about last transition. */
  message?: string;
  /**
   * reason is a unique, this should be a short, machine understandable string that gives the reason for condition's
   * last transition.
   */
  reason?: string;
  /** Status is the status of the condition. Can be True, False, Unknown. */
  status: string;
  /** Type is the type of the condition. */
  type: string;
}

/** PersistentVolumeClaimList is a list of PersistentVolumeClaim items. */
export interface PersistentVolumeClaimList {
  apiVersion: "v1";
  kind: "PersistentVolumeClaimList";
  metadata: metaV1.ListMeta;
  /** items is a list of persistent volume claims. */
  items: PersistentVolumeClaim[];
}

/**
 * PersistentVolumeClaimSpec describes the common attributes of storage devices and allows a Source for
 * provider-specific attributes
 */
export interface PersistentVolumeClaimSpec {
  /** accessModes contains the desired access modes the volume should have. */
  accessModes?: PersistentVolumeAccessMode[];
  /**
   * dataSource field can be used to specify either: * An existing VolumeSnapshot object
   * (snapshot.storage.k8s.io/VolumeSnapshot) * An existing PVC (PersistentVolumeClaim) If the provisioner or an
   * external controller can support the specified data source, it will create a new volume based on the contents of the
   * specified …
   */
  dataSource?: TypedLocalObjectReference;
  /**
   * dataSourceRef specifies the object from which to populate the volume with data, if a non-empty volume is desired.
   */
  dataSourceRef?: TypedObjectReference;
  /**
   * resources represents the minimum resources the volume should have. Users are allowed to specify resource
   * requirements that are lower than previous value but must still be higher than capacity recorded in the status field
   * of the claim.
   */
  resources?: VolumeResourceRequirements;
  /** selector is a label query over volumes to consider for binding. */
  selector?: metaV1.LabelSelector;
  /** storageClassName is the name of the StorageClass required by the claim. */
  storageClassName?: string;
  /** volumeAttributesClassName may be used to set the VolumeAttributesClass used by this claim. */
  volumeAttributesClassName?: string;
  /**
   * volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included
   * in claim spec.
   */
  volumeMode?: PersistentVolumeMode;
  /** volumeName is the binding reference to the PersistentVolume backing this claim. */
  volumeName?: string;
}

/** PersistentVolumeClaimStatus is the current status of a persistent volume claim. */
export interface PersistentVolumeClaimStatus {
  /** accessModes contains the actual access modes the volume backing the PVC has. */
  accessModes?: PersistentVolumeAccessMode[];
  /** allocatedResourceStatuses stores status of resource being resized for the given PVC. */
  allocatedResourceStatuses?: Record<string, ClaimResourceStatus>;
  /** allocatedResources tracks the resources allocated to a PVC including its capacity. */
  allocatedResources?: Record<string, metaV1.Quantity>;
  /** capacity represents the actual resources of the underlying volume. */
  capacity?: Record<string, metaV1.Quantity>;
  /**
   * conditions is the current Condition of persistent volume claim. If underlying persistent volume is being resized
   * then the Condition will be set to 'Resizing'.
   */
  conditions?: PersistentVolumeClaimCondition[];
  /** currentVolumeAttributesClassName is the current name of the VolumeAttributesClass the PVC is using. */
  currentVolumeAttributesClassName?: string;
  /** ModifyVolumeStatus represents the status object of ControllerModifyVolume operation. */
  modifyVolumeStatus?: ModifyVolumeStatus;
  /** phase represents the current phase of PersistentVolumeClaim. */
  phase?: PersistentVolumeClaimPhase;
}

/**
 * PersistentVolumeClaimTemplate is used to produce PersistentVolumeClaim objects as part of an EphemeralVolumeSource.
 */
export interface PersistentVolumeClaimTemplate {
  /** May contain labels and annotations that will be copied into the PVC when creating it. */
  metadata?: metaV1.ObjectMeta;
  /**
   * The specification for the PersistentVolumeClaim. The entire content is copied unchanged into the PVC that gets
   * created from this template.
   */
  spec: PersistentVolumeClaimSpec;
}

/** PersistentVolumeClaimVolumeSource references the user's PVC in the same namespace. */
export interface PersistentVolumeClaimVolumeSource {
  /** claimName is the name of a PersistentVolumeClaim in the same namespace as the pod using this volume. */
  claimName: string;
  /** readOnly Will force the ReadOnly setting in VolumeMounts. Default false. */
  readOnly?: boolean;
}

/** PersistentVolumeList is a list of PersistentVolume items. */
export interface PersistentVolumeList {
  apiVersion: "v1";
  kind: "PersistentVolumeList";
  metadata: metaV1.ListMeta;
  /** items is a list of persistent volumes. */
  items: PersistentVolume[];
}

/** PersistentVolumeSpec is the specification of a persistent volume. */
export interface PersistentVolumeSpec {
  /** accessModes contains all ways the volume can be mounted. */
  accessModes?: PersistentVolumeAccessMode[];
  /**
   * awsElasticBlockStore represents an AWS Disk resource that is attached to a kubelet's host machine and then exposed
   * to the pod.
   *
   * @deprecated AWSElasticBlockStore is deprecated.
   */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**
   * azureDisk represents an Azure Data Disk mount on the host and bind mount to the pod.
   *
   * @deprecated AzureDisk is deprecated.
   */
  azureDisk?: AzureDiskVolumeSource;
  /**
   * azureFile represents an Azure File Service mount on the host and bind mount to the pod.
   *
   * @deprecated AzureFile is deprecated.
   */
  azureFile?: AzureFilePersistentVolumeSource;
  /** capacity is the description of the persistent volume's resources and capacity. */
  capacity?: Record<string, metaV1.Quantity>;
  /**
   * cephFS represents a Ceph FS mount on the host that shares a pod's lifetime.
   *
   * @deprecated CephFS is deprecated and the in-tree cephfs type is no longer supported.
   */
  cephfs?: CephFSPersistentVolumeSource;
  /**
   * cinder represents a cinder volume attached and mounted on kubelets host machine.
   *
   * @deprecated Cinder is deprecated.
   */
  cinder?: CinderPersistentVolumeSource;
  /** claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. */
  claimRef?: ObjectReference;
  /** csi represents storage that is handled by an external CSI driver. */
  csi?: CSIPersistentVolumeSource;
  /**
   * fc represents a Fibre Channel resource that is attached to a kubelet's host machine and then exposed to the pod.
   */
  fc?: FCVolumeSource;
  /**
   * flexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin.
   *
   * @deprecated FlexVolume is deprecated.
   */
  flexVolume?: FlexPersistentVolumeSource;
  /**
   * flocker represents a Flocker volume attached to a kubelet's host machine and exposed to the pod for its usage.
   *
   * @deprecated Flocker is deprecated and the in-tree flocker type is no longer supported.
   */
  flocker?: FlockerVolumeSource;
  /**
   * gcePersistentDisk represents a GCE Disk resource that is attached to a kubelet's host machine and then exposed to
   * the pod.
   *
   * @deprecated GCEPersistentDisk is deprecated.
   */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**
   * glusterfs represents a Glusterfs volume that is attached to a host and exposed to the pod.
   *
   * @deprecated Glusterfs is deprecated and the in-tree glusterfs type is no longer supported.
   */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /** hostPath represents a directory on the host. Provisioned by a developer or tester. */
  hostPath?: HostPathVolumeSource;
  /**
   * iscsi represents an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod.
   */
  iscsi?: ISCSIPersistentVolumeSource;
  /** local represents directly-attached storage with node affinity */
  local?: LocalVolumeSource;
  /**
   * mountOptions is the list of mount options, e.g. ["ro", "soft"]. Not validated - mount will simply fail if one is
   * invalid.
   */
  mountOptions?: string[];
  /** nfs represents an NFS mount on the host. Provisioned by an admin. */
  nfs?: NFSVolumeSource;
  /** nodeAffinity defines constraints that limit what nodes this volume can be accessed from. */
  nodeAffinity?: VolumeNodeAffinity;
  /** persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. */
  persistentVolumeReclaimPolicy?: PersistentVolumeReclaimPolicy;
  /**
   * photonPersistentDisk represents a PhotonController persistent disk attached and mounted on kubelets host machine.
   *
   * @deprecated PhotonPersistentDisk is deprecated and the in-tree photonPersistentDisk type is no longer supported.
   */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**
   * portworxVolume represents a portworx volume attached and mounted on kubelets host machine.
   *
   * @deprecated PortworxVolume is deprecated.
   */
  portworxVolume?: PortworxVolumeSource;
  /**
   * quobyte represents a Quobyte mount on the host that shares a pod's lifetime.
   *
   * @deprecated Quobyte is deprecated and the in-tree quobyte type is no longer supported.
   */
  quobyte?: QuobyteVolumeSource;
  /**
   * rbd represents a Rados Block Device mount on the host that shares a pod's lifetime.
   *
   * @deprecated RBD is deprecated and the in-tree rbd type is no longer supported.
   */
  rbd?: RBDPersistentVolumeSource;
  /**
   * scaleIO represents a ScaleIO persistent volume attached and mounted on Kubernetes nodes.
   *
   * @deprecated ScaleIO is deprecated and the in-tree scaleIO type is no longer supported.
   */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /** storageClassName is the name of StorageClass to which this persistent volume belongs. */
  storageClassName?: string;
  /**
   * storageOS represents a StorageOS volume that is attached to the kubelet's host machine and mounted into the pod.
   *
   * @deprecated StorageOS is deprecated and the in-tree storageos type is no longer supported.
   */
  storageos?: StorageOSPersistentVolumeSource;
  /** Name of VolumeAttributesClass to which this persistent volume belongs. */
  volumeAttributesClassName?: string;
  /**
   * volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state.
   */
  volumeMode?: PersistentVolumeMode;
  /**
   * vsphereVolume represents a vSphere volume attached and mounted on kubelets host machine.
   *
   * @deprecated VsphereVolume is deprecated.
   */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** PersistentVolumeStatus is the current status of a persistent volume. */
export interface PersistentVolumeStatus {
  /**
   * lastPhaseTransitionTime is the time the phase transitioned from one to another and automatically resets to current
   * time everytime a volume phase transitions.
   */
  lastPhaseTransitionTime?: metaV1.Time;
  /** message is a human-readable message indicating details about why the volume is in this state. */
  message?: string;
  /** phase indicates if a volume is available, bound to a claim, or released by a claim. */
  phase?: PersistentVolumePhase;
  /**
   * reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in
   * the CLI.
   */
  reason?: string;
}

/** Represents a Photon Controller persistent disk resource. */
export interface PhotonPersistentDiskVolumeSource {
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** pdID is the ID that identifies Photon Controller persistent disk */
  pdID: string;
}

/**
 * Pod is a collection of containers that can run on a host. This resource is created by clients and scheduled onto
 * hosts.
 */
export interface Pod {
  apiVersion: "v1";
  kind: "Pod";
  metadata: metaV1.ObjectMeta;
  /** Specification of the desired behavior of the pod. */
  spec: PodSpec;
  /** Most recently observed status of the pod. This data may not be up to date. */
  status?: PodStatus;
}

/** The resource `pods` of `v1`. */
export const Pod: BuiltInResource<Pod, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  singular: "pod",
  scope: "Namespaced",
  shortNames: ["po"],
  categories: ["all"],
  subresources: ["attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "proxy", "resize", "status"],
  verbs: everyVerb,
};

/** Pod affinity is a group of inter pod affinity scheduling rules. */
export interface PodAffinity {
  /**
   * The scheduler will prefer to schedule pods to nodes that satisfy the affinity expressions specified by this field,
   * but it may choose a node that violates one or more of the expressions.
   */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  /**
   * If the affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled
   * onto the node.
   */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/**
 * Defines a set of pods (namely those matching the labelSelector relative to the given namespace(s)) that this pod
 * should be co-located (affinity) or not co-located (anti-affinity) with, where co-located is defined as running on a
 * node whose value of the label with key <topologyKey> matches that of any node on which a …
 */
export interface PodAffinityTerm {
  /**
   * A label query over a set of resources, in this case pods. If it's null, this PodAffinityTerm matches with no Pods.
   */
  labelSelector?: metaV1.LabelSelector;
  /** MatchLabelKeys is a set of pod label keys to select which pods will be taken into consideration. */
  matchLabelKeys?: string[];
  /** MismatchLabelKeys is a set of pod label keys to select which pods will be taken into consideration. */
  mismatchLabelKeys?: string[];
  /**
   * A label query over the set of namespaces that the term applies to. The term is applied to the union of the
   * namespaces selected by this field and the ones listed in the namespaces field. null selector and null or empty
   * namespaces list means "this pod's namespace".
   */
  namespaceSelector?: metaV1.LabelSelector;
  /** namespaces specifies a static list of namespace names that the term applies to. */
  namespaces?: string[];
  /**
   * This pod should be co-located (affinity) or not co-located (anti-affinity) with the pods matching the labelSelector
   * in the specified namespaces, where co-located is defined as running on a node whose value of the label with key
   * topologyKey matches that of any node on which any of the selected pods is running.
   */
  topologyKey: string;
}

/** Pod anti affinity is a group of inter pod anti affinity scheduling rules. */
export interface PodAntiAffinity {
  /**
   * The scheduler will prefer to schedule pods to nodes that satisfy the anti-affinity expressions specified by this
   * field, but it may choose a node that violates one or more of the expressions.
   */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  /**
   * If the anti-affinity requirements specified by this field are not met at scheduling time, the pod will not be
   * scheduled onto the node.
   */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** PodAttachOptions is the query options to a Pod's remote attach call. */
export interface PodAttachOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /**
   * The container in which to execute the command. Defaults to only container if there is only one container in the
   * pod.
   */
  container?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /** Stderr if true indicates that stderr is to be redirected for the attach call. */
  stderr?: boolean;
  /** Stdin if true, redirects the standard input stream of the pod for this call. */
  stdin?: boolean;
  /** Stdout if true indicates that stdout is to be redirected for the attach call. */
  stdout?: boolean;
  /** TTY if true indicates that a tty will be allocated for the attach call. */
  tty?: boolean;
}

/** PodCertificateProjection provides a private key and X.509 certificate in the pod filesystem. */
export interface PodCertificateProjection {
  /** Write the certificate chain at this path in the projected volume. */
  certificateChainPath?: string;
  /** Write the credential bundle at this path in the projected volume. */
  credentialBundlePath?: string;
  /** Write the key at this path in the projected volume. */
  keyPath?: string;
  /** The type of keypair Kubelet will generate for the pod. */
  keyType: string;
  /** maxExpirationSeconds is the maximum lifetime permitted for the certificate. */
  maxExpirationSeconds?: number;
  /** Kubelet's generated CSRs will be addressed to this signer. */
  signerName: string;
  /** userAnnotations allow pod authors to pass additional information to the signer implementation. */
  userAnnotations?: Record<string, string>;
}

/** PodCondition contains details for the current condition of this pod. */
export interface PodCondition {
  /** Last time we probed the condition. */
  lastProbeTime?: metaV1.Time;
  /** Last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** Human-readable message indicating details about last transition. */
  message?: string;
  /** If set, this represents the .metadata.generation that the pod condition was set based upon. */
  observedGeneration?: number;
  /** Unique, one-word, CamelCase reason for the condition's last transition. */
  reason?: string;
  /** Status is the status of the condition. Can be True, False, Unknown. */
  status: string;
  /** Type is the type of the condition. */
  type: string;
}

/** PodDNSConfig defines the DNS parameters of a pod in addition to those generated from DNSPolicy. */
export interface PodDNSConfig {
  /** A list of DNS name server IP addresses. This will be appended to the base nameservers generated from DNSPolicy. */
  nameservers?: string[];
  /** A list of DNS resolver options. This will be merged with the base options generated from DNSPolicy. */
  options?: PodDNSConfigOption[];
  /**
   * A list of DNS search domains for host-name lookup. This will be appended to the base search paths generated from
   * DNSPolicy.
   */
  searches?: string[];
}

/** PodDNSConfigOption defines DNS resolver options of a pod. */
export interface PodDNSConfigOption {
  /** Name is this DNS resolver option's name. Required. */
  name?: string;
  /** Value is this DNS resolver option's value. */
  value?: string;
}

/** PodExecOptions is the query options to a Pod's remote exec call. */
export interface PodExecOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** Command is the remote command to execute. argv array. Not executed within a shell. */
  command: string[];
  /**
   * Container in which to execute the command. Defaults to only container if there is only one container in the pod.
   */
  container?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /** Redirect the standard error stream of the pod for this call. */
  stderr?: boolean;
  /** Redirect the standard input stream of the pod for this call. Defaults to false. */
  stdin?: boolean;
  /** Redirect the standard output stream of the pod for this call. */
  stdout?: boolean;
  /** TTY if true indicates that a tty will be allocated for the exec call. Defaults to false. */
  tty?: boolean;
}

/** PodExtendedResourceClaimStatus is stored in the PodStatus for the extended resource requests backed by DRA. */
export interface PodExtendedResourceClaimStatus {
  /**
   * RequestMappings identifies the mapping of <container, extended resource backed by DRA> to device request in the
   * generated ResourceClaim.
   */
  requestMappings: ContainerExtendedResourceRequest[];
  /** ResourceClaimName is the name of the ResourceClaim that was generated for the Pod in the namespace of the Pod. */
  resourceClaimName: string;
}

/** PodIP represents a single IP address allocated to the pod. */
export interface PodIP {
  /** IP is the IP address assigned to the pod */
  ip: string;
}

/** PodList is a list of Pods. */
export interface PodList {
  apiVersion: "v1";
  kind: "PodList";
  metadata: metaV1.ListMeta;
  /** List of pods. */
  items: Pod[];
}

/** PodOS defines the OS parameters of a pod. */
export interface PodOS {
  /** Name is the name of the operating system. The currently supported values are linux and windows. */
  name: string;
}

/** PodPortForwardOptions is the query options to a Pod's port forward call when using WebSockets. */
export interface PodPortForwardOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /** List of ports to forward Required when using WebSockets */
  ports?: number[];
}

/** PodProxyOptions is the query options to a Pod's proxy call. */
export interface PodProxyOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /** Path is the URL path to use for the current proxy request to pod. */
  path?: string;
}

/** PodReadinessGate contains the reference to a pod condition */
export interface PodReadinessGate {
  /** ConditionType refers to a condition in the pod's condition list with matching type. */
  conditionType: string;
}

/**
 * PodResourceClaim references exactly one ResourceClaim, either directly or by naming a ResourceClaimTemplate which is
 * then turned into a ResourceClaim for the pod.
 */
export interface PodResourceClaim {
  /** Name uniquely identifies this resource claim inside the pod. This must be a DNS_LABEL. */
  name: string;
  /** ResourceClaimName is the name of a ResourceClaim object in the same namespace as this pod. */
  resourceClaimName?: string;
  /** ResourceClaimTemplateName is the name of a ResourceClaimTemplate object in the same namespace as this pod. */
  resourceClaimTemplateName?: string;
}

/**
 * PodResourceClaimStatus is stored in the PodStatus for each PodResourceClaim which references a ResourceClaimTemplate.
 */
export interface PodResourceClaimStatus {
  /**
   * Name uniquely identifies this resource claim inside the pod. This must match the name of an entry in
   * pod.spec.resourceClaims, which implies that the string must be a DNS_LABEL.
   */
  name: string;
  /** ResourceClaimName is the name of the ResourceClaim that was generated for the Pod in the namespace of the Pod. */
  resourceClaimName?: string;
}

/** PodSchedulingGate is associated to a Pod to guard its scheduling. */
export interface PodSchedulingGate {
  /** Name of the scheduling gate. Each scheduling gate must have a unique name field. */
  name: string;
}

/** PodSchedulingGroup identifies the runtime scheduling group instance that a Pod belongs to. */
export interface PodSchedulingGroup {
  /**
   * PodGroupName specifies the name of the standalone PodGroup object that represents the runtime instance of this
   * group.
   */
  podGroupName?: string;
}

/** PodSecurityContext holds pod-level security attributes and common container settings. */
export interface PodSecurityContext {
  /** appArmorProfile is the AppArmor options to use by the containers in this pod. */
  appArmorProfile?: AppArmorProfile;
  /** A special supplemental group that applies to all containers in a pod. */
  fsGroup?: number;
  /**
   * fsGroupChangePolicy defines behavior of changing ownership and permission of the volume before being exposed inside
   * Pod.
   */
  fsGroupChangePolicy?: PodFSGroupChangePolicy;
  /** The GID to run the entrypoint of the container process. Uses runtime default if unset. */
  runAsGroup?: number;
  /**
   * Indicates that the container must run as a non-root user. If true, the Kubelet will validate the image at runtime
   * to ensure that it does not run as UID 0 (root) and fail to start the container if it does.
   */
  runAsNonRoot?: boolean;
  /**
   * The UID to run the entrypoint of the container process. Defaults to user specified in image metadata if
   * unspecified.
   */
  runAsUser?: number;
  /** seLinuxChangePolicy defines how the container's SELinux label is applied to all volumes used by the Pod. */
  seLinuxChangePolicy?: string;
  /**
   * The SELinux context to be applied to all containers. If unspecified, the container runtime will allocate a random
   * SELinux context for each container.
   */
  seLinuxOptions?: SELinuxOptions;
  /**
   * The seccomp options to use by the containers in this pod. Note that this field cannot be set when spec.os.name is
   * windows.
   */
  seccompProfile?: SeccompProfile;
  /**
   * A list of groups applied to the first process run in each container, in addition to the container's primary GID and
   * fsGroup (if specified).
   */
  supplementalGroups?: number[];
  /** Defines how supplemental groups of the first container processes are calculated. */
  supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  /**
   * Sysctls hold a list of namespaced sysctls used for the pod. Pods with unsupported sysctls (by the container
   * runtime) might fail to launch.
   */
  sysctls?: Sysctl[];
  /**
   * The Windows specific settings applied to all containers. If unspecified, the options within a container's
   * SecurityContext will be used.
   */
  windowsOptions?: WindowsSecurityContextOptions;
}

/** PodSpec is a description of a pod. */
export interface PodSpec {
  /**
   * Optional duration in seconds the pod may be active on the node relative to StartTime before the system will
   * actively try to mark it failed and kill associated containers.
   */
  activeDeadlineSeconds?: number;
  /** If specified, the pod's scheduling constraints */
  affinity?: Affinity;
  /** AutomountServiceAccountToken indicates whether a service account token should be automatically mounted. */
  automountServiceAccountToken?: boolean;
  /** List of containers belonging to the pod. Containers cannot currently be added or removed. */
  containers: Container[];
  /**
   * Specifies the DNS parameters of a pod. Parameters specified here will be merged to the generated DNS configuration
   * based on DNSPolicy.
   */
  dnsConfig?: PodDNSConfig;
  /** Set DNS policy for the pod. Defaults to "ClusterFirst". */
  dnsPolicy?: DNSPolicy;
  /**
   * EnableServiceLinks indicates whether information about services should be injected into pod's environment
   * variables, matching the syntax of Docker links.
   */
  enableServiceLinks?: boolean;
  /**
   * List of ephemeral containers run in this pod. Ephemeral containers may be run in an existing pod to perform
   * user-initiated actions such as debugging.
   */
  ephemeralContainers?: EphemeralContainer[];
  /** HostAliases is an optional list of hosts and IPs that will be injected into the pod's hosts file if specified. */
  hostAliases?: HostAlias[];
  /** Use the host's ipc namespace. Optional: Default to false. */
  hostIPC?: boolean;
  /** Host networking requested for this pod. Use the host's network namespace. */
  hostNetwork?: boolean;
  /** Use the host's pid namespace. Optional: Default to false. */
  hostPID?: boolean;
  /** Use the host's user namespace. Optional: Default to true. */
  hostUsers?: boolean;
  /** Specifies the hostname of the Pod If not specified, the pod's hostname will be set to a system-defined value. */
  hostname?: string;
  /** HostnameOverride specifies an explicit override for the pod's hostname as perceived by the pod. */
  hostnameOverride?: string;
  /**
   * ImagePullSecrets is an optional list of references to secrets in the same namespace to use for pulling any of the
   * images used by this PodSpec.
   */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * List of initialization containers belonging to the pod. Init containers are executed in order prior to containers
   * being started.
   */
  initContainers?: Container[];
  /**
   * NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the
   * scheduler defined in schedulerName.
   */
  nodeName?: string;
  /** NodeSelector is a selector which must be true for the pod to fit on a node. */
  nodeSelector?: Record<string, string>;
  /** Specifies the OS of the containers in the pod. Some pod and container fields are restricted if this is set. */
  os?: PodOS;
  /** Overhead represents the resource overhead associated with running a pod for a given RuntimeClass. */
  overhead?: Record<string, metaV1.Quantity>;
  /** PreemptionPolicy is the Policy for preempting pods with lower priority. */
  preemptionPolicy?: PreemptionPolicy;
  /** The priority value. Various system components use this field to find the priority of the pod. */
  priority?: number;
  /**
   * If specified, indicates the pod's priority. "system-node-critical" and "system-cluster-critical" are two special
   * keywords which indicate the highest priorities with the former being the highest priority.
   */
  priorityClassName?: string;
  /** If specified, all readiness gates will be evaluated for pod readiness. */
  readinessGates?: PodReadinessGate[];
  /** ResourceClaims defines which ResourceClaims must be allocated and reserved before the Pod is allowed to start. */
  resourceClaims?: PodResourceClaim[];
  /** Resources is the total amount of CPU and Memory resources required by all containers in the pod. */
  resources?: ResourceRequirements;
  /** Restart policy for all containers within the pod. One of Always, OnFailure, Never. */
  restartPolicy?: RestartPolicy;
  /**
   * RuntimeClassName refers to a RuntimeClass object in the node.k8s.io group, which should be used to run this pod.
   */
  runtimeClassName?: string;
  /**
   * If specified, the pod will be dispatched by specified scheduler. If not specified, the pod will be dispatched by
   * default scheduler.
   */
  schedulerName?: string;
  /** SchedulingGates is an opaque list of values that if specified will block scheduling the pod. */
  schedulingGates?: PodSchedulingGate[];
  /**
   * SchedulingGroup provides a reference to the immediate scheduling runtime grouping object that this Pod belongs to.
   */
  schedulingGroup?: PodSchedulingGroup;
  /** SecurityContext holds pod-level security attributes and common container settings. */
  securityContext?: PodSecurityContext;
  /**
   * DeprecatedServiceAccount is a deprecated alias for ServiceAccountName.
   *
   * @deprecated Use serviceAccountName instead.
   */
  serviceAccount?: string;
  /** ServiceAccountName is the name of the ServiceAccount to use to run this pod. */
  serviceAccountName?: string;
  /** If true the pod's hostname will be configured as the pod's FQDN, rather than the leaf name (the default). */
  setHostnameAsFQDN?: boolean;
  /** Share a single process namespace between all of the containers in a pod. */
  shareProcessNamespace?: boolean;
  /**
   * If specified, the fully qualified Pod hostname will be "<hostname>.<subdomain>.<pod namespace>.svc.<cluster
   * domain>".
   */
  subdomain?: string;
  /** Optional duration in seconds the pod needs to terminate gracefully. May be decreased in delete request. */
  terminationGracePeriodSeconds?: number;
  /** If specified, the pod's tolerations. */
  tolerations?: Toleration[];
  /** TopologySpreadConstraints describes how a group of pods ought to spread across topology domains. */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /** List of volumes that can be mounted by containers belonging to the pod. */
  volumes?: Volume[];
}

/**
 * PodStatus represents information about the status of a pod. Status may trail the actual state of a system, especially
 * if the node that hosts the pod cannot contact the control plane.
 */
export interface PodStatus {
  /** AllocatedResources is the total requests allocated for this pod by the node. */
  allocatedResources?: Record<string, metaV1.Quantity>;
  /** Current service state of pod. */
  conditions?: PodCondition[];
  /**
   * Statuses of containers in this pod. Each container in the pod should have at most one status in this list, and all
   * statuses should be for containers in the pod.
   */
  containerStatuses?: ContainerStatus[];
  /**
   * Statuses for any ephemeral containers that have run in this pod. Each ephemeral container in the pod should have at
   * most one status in this list, and all statuses should be for containers in the pod.
   */
  ephemeralContainerStatuses?: ContainerStatus[];
  /** Status of extended resource claim backed by DRA. */
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  /** hostIP holds the IP address of the host to which the pod is assigned. Empty if the pod has not started yet. */
  hostIP?: string;
  /**
   * hostIPs holds the IP addresses allocated to the host. If this field is specified, the first entry must match the
   * hostIP field.
   */
  hostIPs?: HostIP[];
  /**
   * Statuses of init containers in this pod. The most recent successful non-restartable init container will have ready
   * = true, the most recently started container will have startTime set.
   */
  initContainerStatuses?: ContainerStatus[];
  /** A human readable message indicating details about why the pod is in this condition. */
  message?: string;
  /**
   * NodeAllocatableResourceClaimStatuses contains the status of node-allocatable resources that were allocated for this
   * pod through DRA claims.
   */
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
  /**
   * nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away
   * as preemption victims receive their graceful termination periods.
   */
  nominatedNodeName?: string;
  /** If set, this represents the .metadata.generation that the pod status was set based upon. */
  observedGeneration?: number;
  /** The phase of a Pod is a simple, high-level summary of where the Pod is in its lifecycle. */
  phase?: PodPhase;
  /** podIP address allocated to the pod. Routable at least within the cluster. */
  podIP?: string;
  /**
   * podIPs holds the IP addresses allocated to the pod. If this field is specified, the 0th entry must match the podIP
   * field.
   */
  podIPs?: PodIP[];
  /**
   * The Quality of Service (QOS) classification assigned to the pod based on resource requirements See PodQOSClass type
   * for available QOS classes More info:
   * https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/#quality-of-service-classes
   */
  qosClass?: PodQOSClass;
  /** A brief CamelCase message indicating details about why the pod is in this state. e.g. 'Evicted' */
  reason?: string;
  /** Status of resources resize desired for pod's containers. It is empty if no resources resize is pending. */
  resize?: string;
  /** Status of resource claims. */
  resourceClaimStatuses?: PodResourceClaimStatus[];
  /**
   * Resources represents the compute resource requests and limits that have been applied at the pod level if pod-level
   * requests or limits are set in PodSpec.Resources
   */
  resources?: ResourceRequirements;
  /** RFC 3339 date and time at which the object was acknowledged by the Kubelet. */
  startTime?: metaV1.Time;
}

/** PodTemplate describes a template for creating copies of a predefined pod. */
export interface PodTemplate {
  apiVersion: "v1";
  kind: "PodTemplate";
  metadata: metaV1.ObjectMeta;
  /**
   * Template defines the pods that will be created from this pod template.
   * https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
   */
  template?: PodTemplateSpec;
}

/** The resource `podtemplates` of `v1`. */
export const PodTemplate: BuiltInResource<PodTemplate, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  singular: "podtemplate",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** PodTemplateList is a list of PodTemplates. */
export interface PodTemplateList {
  apiVersion: "v1";
  kind: "PodTemplateList";
  metadata: metaV1.ListMeta;
  /** List of pod templates */
  items: PodTemplate[];
}

/** PodTemplateSpec describes the data a pod should have when created from a template */
export interface PodTemplateSpec {
  /** Standard object's metadata. */
  metadata?: metaV1.ObjectMeta;
  /** Specification of the desired behavior of the pod. */
  spec?: PodSpec;
}

/** PortStatus represents the error condition of a service port */
export interface PortStatus {
  /**
   * Error is to record the problem with the service port The format of the error shall comply with the following rules:
   * - built-in error values shall be specified in this file and those shall use CamelCase names - cloud provider
   * specific error values must have names that comply with the format foo.example.com/CamelCase.
   */
  error?: string;
  /** Port is the port number of the service port of which status is recorded here */
  port: number;
  /**
   * Protocol is the protocol of the service port of which status is recorded here The supported values are: "TCP",
   * "UDP", "SCTP"
   */
  protocol: Protocol;
}

/** PortworxVolumeSource represents a Portworx volume resource. */
export interface PortworxVolumeSource {
  /**
   * fSType represents the filesystem type to mount Must be a filesystem type supported by the host operating system.
   */
  fsType?: string;
  /** readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** volumeID uniquely identifies a Portworx volume */
  volumeID: string;
}

/** An empty preferred scheduling term matches all objects with implicit weight 0 (i.e. it's a no-op). */
export interface PreferredSchedulingTerm {
  /** A node selector term, associated with the corresponding weight. */
  preference: NodeSelectorTerm;
  /** Weight associated with matching the corresponding nodeSelectorTerm, in the range 1-100. */
  weight: number;
}

/**
 * Probe describes a health check to be performed against a container to determine whether it is alive or ready to
 * receive traffic.
 */
export interface Probe {
  /** Exec specifies a command to execute in the container. */
  exec?: ExecAction;
  /** Minimum consecutive failures for the probe to be considered failed after having succeeded. */
  failureThreshold?: number;
  /** GRPC specifies a GRPC HealthCheckRequest. */
  grpc?: GRPCAction;
  /** HTTPGet specifies an HTTP GET request to perform. */
  httpGet?: HTTPGetAction;
  /** Number of seconds after the container has started before liveness probes are initiated. */
  initialDelaySeconds?: number;
  /** How often (in seconds) to perform the probe. Default to 10 seconds. */
  periodSeconds?: number;
  /** Minimum consecutive successes for the probe to be considered successful after having failed. */
  successThreshold?: number;
  /** TCPSocket specifies a connection to a TCP port. */
  tcpSocket?: TCPSocketAction;
  /** Optional duration in seconds the pod needs to terminate gracefully upon probe failure. */
  terminationGracePeriodSeconds?: number;
  /** Number of seconds after which the probe times out. Defaults to 1 second. */
  timeoutSeconds?: number;
}

/** Represents a projected volume source */
export interface ProjectedVolumeSource {
  /** defaultMode are the mode bits used to set permissions on created files by default. */
  defaultMode?: number;
  /** sources is the list of volume projections. Each entry in this list handles one source. */
  sources?: VolumeProjection[];
}

/**
 * Represents a Quobyte mount that lasts the lifetime of a pod. Quobyte volumes do not support ownership management or
 * SELinux relabeling.
 */
export interface QuobyteVolumeSource {
  /** group to map volume access to Default is no group */
  group?: string;
  /** readOnly here will force the Quobyte volume to be mounted with read-only permissions. */
  readOnly?: boolean;
  /**
   * registry represents a single or multiple Quobyte Registry services specified as a string as host:port pair
   * (multiple entries are separated with commas) which acts as the central registry for volumes
   */
  registry: string;
  /**
   * tenant owning the given Quobyte volume in the Backend Used with dynamically provisioned Quobyte volumes, value is
   * set by the plugin
   */
  tenant?: string;
  /** user to map volume access to Defaults to serivceaccount user */
  user?: string;
  /** volume is a string that references an already created Quobyte volume by name. */
  volume: string;
}

/** Represents a Rados Block Device mount that lasts the lifetime of a pod. */
export interface RBDPersistentVolumeSource {
  /**
   * fsType is the filesystem type of the volume that you want to mount. Tip: Ensure that the filesystem type is
   * supported by the host operating system.
   */
  fsType?: string;
  /** image is the rados image name. */
  image: string;
  /** keyring is the path to key ring for RBDUser. Default is /etc/ceph/keyring. */
  keyring?: string;
  /** monitors is a collection of Ceph monitors. */
  monitors: string[];
  /** pool is the rados pool name. Default is rbd. */
  pool?: string;
  /** readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false. */
  readOnly?: boolean;
  /** secretRef is name of the authentication secret for RBDUser. If provided overrides keyring. */
  secretRef?: SecretReference;
  /** user is the rados user name. Default is admin. */
  user?: string;
}

/** Represents a Rados Block Device mount that lasts the lifetime of a pod. */
export interface RBDVolumeSource {
  /**
   * fsType is the filesystem type of the volume that you want to mount. Tip: Ensure that the filesystem type is
   * supported by the host operating system.
   */
  fsType?: string;
  /** image is the rados image name. */
  image: string;
  /** keyring is the path to key ring for RBDUser. Default is /etc/ceph/keyring. */
  keyring?: string;
  /** monitors is a collection of Ceph monitors. */
  monitors: string[];
  /** pool is the rados pool name. Default is rbd. */
  pool?: string;
  /** readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false. */
  readOnly?: boolean;
  /** secretRef is name of the authentication secret for RBDUser. If provided overrides keyring. */
  secretRef?: LocalObjectReference;
  /** user is the rados user name. Default is admin. */
  user?: string;
}

/** ReplicationController represents the configuration of a replication controller. */
export interface ReplicationController {
  apiVersion: "v1";
  kind: "ReplicationController";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the specification of the desired behavior of the replication controller. */
  spec?: ReplicationControllerSpec;
  /** Status is the most recently observed status of the replication controller. */
  status?: ReplicationControllerStatus;
}

/** The resource `replicationcontrollers` of `v1`. */
export const ReplicationController: BuiltInResource<ReplicationController, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  singular: "replicationcontroller",
  scope: "Namespaced",
  shortNames: ["rc"],
  categories: ["all"],
  subresources: ["scale", "status"],
  verbs: everyVerb,
};

/** ReplicationControllerCondition describes the state of a replication controller at a certain point. */
export interface ReplicationControllerCondition {
  /** The last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** A human readable message indicating details about the transition. */
  message?: string;
  /** The reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of replication controller condition. */
  type: string;
}

/** ReplicationControllerList is a collection of replication controllers. */
export interface ReplicationControllerList {
  apiVersion: "v1";
  kind: "ReplicationControllerList";
  metadata: metaV1.ListMeta;
  /** List of replication controllers. */
  items: ReplicationController[];
}

/** ReplicationControllerSpec is the specification of a replication controller. */
export interface ReplicationControllerSpec {
  /**
   * Minimum number of seconds for which a newly created pod should be ready without any of its container crashing, for
   * it to be considered available.
   */
  minReadySeconds?: number;
  /**
   * Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified.
   */
  replicas?: number;
  /** Selector is a label query over pods that should match the Replicas count. */
  selector?: Record<string, string>;
  /** Template is the object that describes the pod that will be created if insufficient replicas are detected. */
  template?: PodTemplateSpec;
}

/** ReplicationControllerStatus represents the current status of a replication controller. */
export interface ReplicationControllerStatus {
  /** The number of available replicas (ready for at least minReadySeconds) for this replication controller. */
  availableReplicas?: number;
  /** Represents the latest available observations of a replication controller's current state. */
  conditions?: ReplicationControllerCondition[];
  /** The number of pods that have labels matching the labels of the pod template of the replication controller. */
  fullyLabeledReplicas?: number;
  /** ObservedGeneration reflects the generation of the most recently observed replication controller. */
  observedGeneration?: number;
  /** The number of ready replicas for this replication controller. */
  readyReplicas?: number;
  /** Replicas is the most recently observed number of replicas. */
  replicas: number;
}

/** ResourceClaim references one entry in PodSpec.ResourceClaims. */
export interface ResourceClaim {
  /** Name must match the name of one entry in pod.spec.resourceClaims of the Pod where this field is used. */
  name: string;
  /**
   * Request is the name chosen for a request in the referenced claim. If empty, everything from the claim is made
   * available, otherwise only the result of this request.
   */
  request?: string;
}

/** ResourceFieldSelector represents container resources (cpu, memory) and their output format */
export interface ResourceFieldSelector {
  /** Container name: required for volumes, optional for env vars */
  containerName?: string;
  /** Specifies the output format of the exposed resources, defaults to "1" */
  divisor?: metaV1.Quantity;
  /** Required: resource to select */
  resource: string;
}

/** ResourceHealth represents the health of a resource. It has the latest device health information. */
export interface ResourceHealth {
  /** Health of the resource. can be one of: - Healthy: operates as normal - Unhealthy: reported unhealthy. */
  health?: string;
  /** Message provides human-readable context for Health (e.g. "ECC error count exceeded threshold"). */
  message?: string;
  /** ResourceID is the unique identifier of the resource. See the ResourceID type for more information. */
  resourceID: string;
}

/** ResourceQuota sets aggregate quota restrictions enforced per namespace */
export interface ResourceQuota {
  apiVersion: "v1";
  kind: "ResourceQuota";
  metadata: metaV1.ObjectMeta;
  /**
   * Spec defines the desired quota.
   * https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
   */
  spec?: ResourceQuotaSpec;
  /**
   * Status defines the actual enforced quota and its current usage.
   * https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
   */
  status?: ResourceQuotaStatus;
}

/** The resource `resourcequotas` of `v1`. */
export const ResourceQuota: BuiltInResource<ResourceQuota, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  singular: "resourcequota",
  scope: "Namespaced",
  shortNames: ["quota"],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** ResourceQuotaList is a list of ResourceQuota items. */
export interface ResourceQuotaList {
  apiVersion: "v1";
  kind: "ResourceQuotaList";
  metadata: metaV1.ListMeta;
  /** Items is a list of ResourceQuota objects. */
  items: ResourceQuota[];
}

/** ResourceQuotaSpec defines the desired hard limits to enforce for Quota. */
export interface ResourceQuotaSpec {
  /** hard is the set of desired hard limits for each named resource. */
  hard?: Record<string, metaV1.Quantity>;
  /**
   * scopeSelector is also a collection of filters like scopes that must match each object tracked by a quota but
   * expressed using ScopeSelectorOperator in combination with possible values.
   */
  scopeSelector?: ScopeSelector;
  /** A collection of filters that must match each object tracked by a quota. */
  scopes?: ResourceQuotaScope[];
}

/** ResourceQuotaStatus defines the enforced hard limits and observed use. */
export interface ResourceQuotaStatus {
  /** Hard is the set of enforced hard limits for each named resource. */
  hard?: Record<string, metaV1.Quantity>;
  /** Used is the current observed total usage of the resource in the namespace. */
  used?: Record<string, metaV1.Quantity>;
}

/** ResourceRequirements describes the compute resource requirements. */
export interface ResourceRequirements {
  /** Claims lists the names of resources, defined in spec.resourceClaims, that are used by this container. */
  claims?: ResourceClaim[];
  /** Limits describes the maximum amount of compute resources allowed. */
  limits?: Record<string, metaV1.Quantity>;
  /**
   * Requests describes the minimum amount of compute resources required. If Requests is omitted for a container, it
   * defaults to Limits if that is explicitly specified, otherwise to an implementation-defined value.
   */
  requests?: Record<string, metaV1.Quantity>;
}

/** ResourceStatus represents the status of a single resource allocated to a Pod. */
export interface ResourceStatus {
  /**
   * Name of the resource. Must be unique within the pod and in case of non-DRA resource, match one of the resources
   * from the pod spec.
   */
  name: string;
  /** List of unique resources health. Each element in the list contains an unique resource ID and its health. */
  resources?: ResourceHealth[];
}

/** SELinuxOptions are the labels to be applied to the container */
export interface SELinuxOptions {
  /** Level is SELinux level label that applies to the container. */
  level?: string;
  /** Role is a SELinux role label that applies to the container. */
  role?: string;
  /** Type is a SELinux type label that applies to the container. */
  type?: string;
  /** User is a SELinux user label that applies to the container. */
  user?: string;
}

/** ScaleIOPersistentVolumeSource represents a persistent ScaleIO volume */
export interface ScaleIOPersistentVolumeSource {
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** gateway is the host address of the ScaleIO API Gateway. */
  gateway: string;
  /** protectionDomain is the name of the ScaleIO Protection Domain for the configured storage. */
  protectionDomain?: string;
  /** readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** secretRef references to the secret for ScaleIO user and other sensitive information. */
  secretRef: SecretReference;
  /** sslEnabled is the flag to enable/disable SSL communication with Gateway, default false */
  sslEnabled?: boolean;
  /** storageMode indicates whether the storage for a volume should be ThickProvisioned or ThinProvisioned. */
  storageMode?: string;
  /** storagePool is the ScaleIO Storage Pool associated with the protection domain. */
  storagePool?: string;
  /** system is the name of the storage system as configured in ScaleIO. */
  system: string;
  /**
   * volumeName is the name of a volume already created in the ScaleIO system that is associated with this volume
   * source.
   */
  volumeName?: string;
}

/** ScaleIOVolumeSource represents a persistent ScaleIO volume */
export interface ScaleIOVolumeSource {
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** gateway is the host address of the ScaleIO API Gateway. */
  gateway: string;
  /** protectionDomain is the name of the ScaleIO Protection Domain for the configured storage. */
  protectionDomain?: string;
  /** readOnly Defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** secretRef references to the secret for ScaleIO user and other sensitive information. */
  secretRef: LocalObjectReference;
  /** sslEnabled Flag enable/disable SSL communication with Gateway, default false */
  sslEnabled?: boolean;
  /** storageMode indicates whether the storage for a volume should be ThickProvisioned or ThinProvisioned. */
  storageMode?: string;
  /** storagePool is the ScaleIO Storage Pool associated with the protection domain. */
  storagePool?: string;
  /** system is the name of the storage system as configured in ScaleIO. */
  system: string;
  /**
   * volumeName is the name of a volume already created in the ScaleIO system that is associated with this volume
   * source.
   */
  volumeName?: string;
}

/** A scope selector represents the AND of the selectors represented by the scoped-resource selector requirements. */
export interface ScopeSelector {
  /** A list of scope selector requirements by scope of the resources. */
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/**
 * A scoped-resource selector requirement is a selector that contains values, a scope name, and an operator that relates
 * the scope name and values.
 */
export interface ScopedResourceSelectorRequirement {
  /** Represents a scope's relationship to a set of values. Valid operators are In, NotIn, Exists, DoesNotExist. */
  operator: ScopeSelectorOperator;
  /** The name of the scope that the selector applies to. */
  scopeName: ResourceQuotaScope;
  /** An array of string values. If the operator is In or NotIn, the values array must be non-empty. */
  values?: string[];
}

/** SeccompProfile defines a pod/container's seccomp profile settings. Only one profile source may be set. */
export interface SeccompProfile {
  /** localhostProfile indicates a profile defined in a file on the node should be used. */
  localhostProfile?: string;
  /** type indicates which kind of seccomp profile will be applied. */
  type: SeccompProfileType;
}

/**
 * Secret holds secret data of a certain type. The total bytes of the values in the Data field must be less than
 * MaxSecretSize bytes.
 */
export interface Secret {
  apiVersion: "v1";
  kind: "Secret";
  metadata: metaV1.ObjectMeta;
  /** Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. */
  data?: Record<string, string>;
  /**
   * Immutable, if set to true, ensures that data stored in the Secret cannot be updated (only object metadata can be
   * modified).
   */
  immutable?: boolean;
  /**
   * stringData allows specifying non-binary secret data in string form. It is provided as a write-only input field for
   * convenience.
   */
  stringData?: Record<string, string>;
  /** Used to facilitate programmatic handling of secret data. */
  type?: string;
}

/** The resource `secrets` of `v1`. */
export const Secret: BuiltInResource<Secret, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  singular: "secret",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** SecretEnvSource selects a Secret to populate the environment variables with. */
export interface SecretEnvSource {
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
  /** Specify whether the Secret must be defined */
  optional?: boolean;
}

/** SecretKeySelector selects a key of a Secret. */
export interface SecretKeySelector {
  /** The key of the secret to select from. Must be a valid secret key. */
  key: string;
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
  /** Specify whether the Secret or its key must be defined */
  optional?: boolean;
}

/** SecretList is a list of Secret. */
export interface SecretList {
  apiVersion: "v1";
  kind: "SecretList";
  metadata: metaV1.ListMeta;
  /** Items is a list of secret objects. */
  items: Secret[];
}

/** Adapts a secret into a projected volume. */
export interface SecretProjection {
  /**
   * items if unspecified, each key-value pair in the Data field of the referenced Secret will be projected into the
   * volume as a file whose name is the key and content is the value.
   */
  items?: KeyToPath[];
  /**
   * Name of the referent. This field is effectively required, but due to backwards compatibility is allowed to be
   * empty.
   */
  name?: string;
  /** optional field specify whether the Secret or its key must be defined */
  optional?: boolean;
}

/** SecretReference represents a Secret Reference. It has enough information to retrieve secret in any namespace */
export interface SecretReference {
  /** name is unique within a namespace to reference a secret resource. */
  name?: string;
  /** namespace defines the space within which the secret name must be unique. */
  namespace?: string;
}

/** Adapts a Secret into a volume. */
export interface SecretVolumeSource {
  /** defaultMode is Optional: mode bits used to set permissions on created files by default. */
  defaultMode?: number;
  /**
   * items If unspecified, each key-value pair in the Data field of the referenced Secret will be projected into the
   * volume as a file whose name is the key and content is the value.
   */
  items?: KeyToPath[];
  /** optional field specify whether the Secret or its keys must be defined */
  optional?: boolean;
  /** secretName is the name of the secret in the pod's namespace to use. */
  secretName?: string;
}

/** SecurityContext holds security configuration that will be applied to a container. */
export interface SecurityContext {
  /** AllowPrivilegeEscalation controls whether a process can gain more privileges than its parent process. */
  allowPrivilegeEscalation?: boolean;
  /**
   * appArmorProfile is the AppArmor options to use by this container. If set, this profile overrides the pod's
   * appArmorProfile.
   */
  appArmorProfile?: AppArmorProfile;
  /**
   * The capabilities to add/drop when running containers. Defaults to the default set of capabilities granted by the
   * container runtime.
   */
  capabilities?: Capabilities;
  /**
   * Run container in privileged mode. Processes in privileged containers are essentially equivalent to root on the
   * host.
   */
  privileged?: boolean;
  /**
   * procMount denotes the type of proc mount to use for the containers. The default value is Default which uses the
   * container runtime defaults for readonly paths and masked paths.
   */
  procMount?: ProcMountType;
  /** Whether this container has a read-only root filesystem. Default is false. */
  readOnlyRootFilesystem?: boolean;
  /** The GID to run the entrypoint of the container process. Uses runtime default if unset. */
  runAsGroup?: number;
  /**
   * Indicates that the container must run as a non-root user. If true, the Kubelet will validate the image at runtime
   * to ensure that it does not run as UID 0 (root) and fail to start the container if it does.
   */
  runAsNonRoot?: boolean;
  /**
   * The UID to run the entrypoint of the container process. Defaults to user specified in image metadata if
   * unspecified.
   */
  runAsUser?: number;
  /**
   * The SELinux context to be applied to the container. If unspecified, the container runtime will allocate a random
   * SELinux context for each container.
   */
  seLinuxOptions?: SELinuxOptions;
  /**
   * The seccomp options to use by this container. If seccomp options are provided at both the pod & container level,
   * the container options override the pod options.
   */
  seccompProfile?: SeccompProfile;
  /**
   * The Windows specific settings applied to all containers. If unspecified, the options from the PodSecurityContext
   * will be used.
   */
  windowsOptions?: WindowsSecurityContextOptions;
}

/**
 * Service is a named abstraction of software service (for example, mysql) consisting of local port (for example 3306)
 * that the proxy listens on, and the selector that determines which pods will answer requests sent through the proxy.
 */
export interface Service {
  apiVersion: "v1";
  kind: "Service";
  metadata: metaV1.ObjectMeta;
  /**
   * Spec defines the behavior of a service.
   * https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
   */
  spec?: ServiceSpec;
  /** Most recently observed status of the service. Populated by the system. */
  status?: ServiceStatus;
}

/** The resource `services` of `v1`. */
export const Service: BuiltInResource<Service, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  singular: "service",
  scope: "Namespaced",
  shortNames: ["svc"],
  categories: ["all"],
  subresources: ["proxy", "status"],
  verbs: everyVerb,
};

/**
 * ServiceAccount binds together: * a name, understood by users, and perhaps by peripheral systems, for an identity * a
 * principal that can be authenticated and authorized * a set of secrets
 */
export interface ServiceAccount {
  apiVersion: "v1";
  kind: "ServiceAccount";
  metadata: metaV1.ObjectMeta;
  /**
   * AutomountServiceAccountToken indicates whether pods running as this service account should have an API token
   * automatically mounted.
   */
  automountServiceAccountToken?: boolean;
  /**
   * ImagePullSecrets is a list of references to secrets in the same namespace to use for pulling any images in pods
   * that reference this ServiceAccount.
   */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * Secrets is a list of the secrets in the same namespace that pods running using this ServiceAccount are allowed to
   * use.
   */
  secrets?: ObjectReference[];
}

/** The resource `serviceaccounts` of `v1`. */
export const ServiceAccount: BuiltInResource<ServiceAccount, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  singular: "serviceaccount",
  scope: "Namespaced",
  shortNames: ["sa"],
  categories: [],
  subresources: ["token"],
  verbs: everyVerb,
};

/** ServiceAccountList is a list of ServiceAccount objects */
export interface ServiceAccountList {
  apiVersion: "v1";
  kind: "ServiceAccountList";
  metadata: metaV1.ListMeta;
  /** List of ServiceAccounts. */
  items: ServiceAccount[];
}

/** ServiceAccountTokenProjection represents a projected service account token volume. */
export interface ServiceAccountTokenProjection {
  /**
   * audience is the intended audience of the token. A recipient of a token must identify itself with an identifier
   * specified in the audience of the token, and otherwise should reject the token.
   */
  audience?: string;
  /** expirationSeconds is the requested duration of validity of the service account token. */
  expirationSeconds?: number;
  /** path is the path relative to the mount point of the file to project the token into. */
  path: string;
}

/** ServiceList holds a list of services. */
export interface ServiceList {
  apiVersion: "v1";
  kind: "ServiceList";
  metadata: metaV1.ListMeta;
  /** List of services */
  items: Service[];
}

/** ServicePort contains information on service's port. */
export interface ServicePort {
  /**
   * The application protocol for this port. This is used as a hint for implementations to offer richer behavior for
   * protocols that they understand.
   */
  appProtocol?: string;
  /** The name of this port within the service. This must be a DNS_LABEL. */
  name?: string;
  /** The port on each node on which this service is exposed when type is NodePort or LoadBalancer. */
  nodePort?: number;
  /** The port that will be exposed by this service. */
  port: number;
  /** The IP protocol for this port. Supports "TCP", "UDP", and "SCTP". */
  protocol?: Protocol;
  /** Number or name of the port to access on the pods targeted by the service. */
  targetPort?: metaV1.IntOrString;
}

/** ServiceProxyOptions is the query options to a Service's proxy call. */
export interface ServiceProxyOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /**
   * Path is the part of URLs that include service endpoints, suffixes, and parameters to use for the current proxy
   * request to service.
   */
  path?: string;
}

/** ServiceSpec describes the attributes that a user creates on a service. */
export interface ServiceSpec {
  /**
   * allocateLoadBalancerNodePorts defines if NodePorts will be automatically allocated for services with type
   * LoadBalancer.
   */
  allocateLoadBalancerNodePorts?: boolean;
  /** clusterIP is the IP address of the service and is usually assigned randomly. */
  clusterIP?: string;
  /** ClusterIPs is a list of IP addresses assigned to this service, and are usually assigned randomly. */
  clusterIPs?: string[];
  /** externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service. */
  externalIPs?: string[];
  /**
   * externalName is the external reference that discovery mechanisms will return as an alias for this service (e.g. a
   * DNS CNAME record).
   */
  externalName?: string;
  /**
   * externalTrafficPolicy describes how nodes distribute service traffic they receive on one of the Service's
   * "externally-facing" addresses (NodePorts, ExternalIPs, and LoadBalancer IPs).
   */
  externalTrafficPolicy?: ServiceExternalTrafficPolicy;
  /** healthCheckNodePort specifies the healthcheck nodePort for the service. */
  healthCheckNodePort?: number;
  /** InternalTrafficPolicy describes how nodes distribute service traffic they receive on the ClusterIP. */
  internalTrafficPolicy?: ServiceInternalTrafficPolicy;
  /** IPFamilies is a list of IP families (e.g. IPv4, IPv6) assigned to this service. */
  ipFamilies?: IPFamily[];
  /** IPFamilyPolicy represents the dual-stack-ness requested or required by this Service. */
  ipFamilyPolicy?: IPFamilyPolicy;
  /** loadBalancerClass is the class of the load balancer implementation this Service belongs to. */
  loadBalancerClass?: string;
  /**
   * Only applies to Service Type: LoadBalancer. This feature depends on whether the underlying cloud-provider supports
   * specifying the loadBalancerIP when a load balancer is created.
   *
   * @deprecated This field was under-specified and its meaning varies across implementations.
   */
  loadBalancerIP?: string;
  /**
   * If specified and supported by the platform, this will restrict traffic through the cloud-provider load-balancer
   * will be restricted to the specified client IPs.
   */
  loadBalancerSourceRanges?: string[];
  /** The list of ports that are exposed by this service. */
  ports?: ServicePort[];
  /**
   * publishNotReadyAddresses indicates that any agent which deals with endpoints for this Service should disregard any
   * indications of ready/not-ready.
   */
  publishNotReadyAddresses?: boolean;
  /** Route service traffic to pods with label keys and values matching this selector. */
  selector?: Record<string, string>;
  /** Supports "ClientIP" and "None". Used to maintain session affinity. */
  sessionAffinity?: ServiceAffinity;
  /** sessionAffinityConfig contains the configurations of session affinity. */
  sessionAffinityConfig?: SessionAffinityConfig;
  /** TrafficDistribution offers a way to express preferences for how traffic is distributed to Service endpoints. */
  trafficDistribution?: string;
  /** type determines how the Service is exposed. Defaults to ClusterIP. */
  type?: ServiceType;
}

/** ServiceStatus represents the current status of a service. */
export interface ServiceStatus {
  /** Current service state */
  conditions?: metaV1.Condition[];
  /** LoadBalancer contains the current status of the load-balancer, if one is present. */
  loadBalancer?: LoadBalancerStatus;
}

/** SessionAffinityConfig represents the configurations of session affinity. */
export interface SessionAffinityConfig {
  /** clientIP contains the configurations of Client IP based session affinity. */
  clientIP?: ClientIPConfig;
}

/** SleepAction describes a "sleep" action. */
export interface SleepAction {
  /** Seconds is the number of seconds to sleep. */
  seconds: number;
}

/** Represents a StorageOS persistent volume resource. */
export interface StorageOSPersistentVolumeSource {
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** secretRef specifies the secret to use for obtaining the StorageOS API credentials. */
  secretRef?: ObjectReference;
  /** volumeName is the human-readable name of the StorageOS volume. Volume names are only unique within a namespace. */
  volumeName?: string;
  /**
   * volumeNamespace specifies the scope of the volume within StorageOS. If no namespace is specified then the Pod's
   * namespace will be used.
   */
  volumeNamespace?: string;
}

/** Represents a StorageOS persistent volume resource. */
export interface StorageOSVolumeSource {
  /** fsType is the filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in VolumeMounts. */
  readOnly?: boolean;
  /** secretRef specifies the secret to use for obtaining the StorageOS API credentials. */
  secretRef?: LocalObjectReference;
  /** volumeName is the human-readable name of the StorageOS volume. Volume names are only unique within a namespace. */
  volumeName?: string;
  /**
   * volumeNamespace specifies the scope of the volume within StorageOS. If no namespace is specified then the Pod's
   * namespace will be used.
   */
  volumeNamespace?: string;
}

/** Sysctl defines a kernel parameter to be set */
export interface Sysctl {
  /** Name of a property to set */
  name: string;
  /** Value of a property to set */
  value: string;
}

/** TCPSocketAction describes an action based on opening a socket */
export interface TCPSocketAction {
  /** Optional: Host name to connect to, defaults to the pod IP. */
  host?: string;
  /** Number or name of the port to access on the container. Number must be in the range 1 to 65535. */
  port: metaV1.IntOrString;
}

/** The node this Taint is attached to has the "effect" on any pod that does not tolerate the Taint. */
export interface Taint {
  /** Required. The effect of the taint on pods that do not tolerate the taint. */
  effect: TaintEffect;
  /** Required. The taint key to be applied to a node. */
  key: string;
  /** TimeAdded represents the time at which the taint was added. */
  timeAdded?: metaV1.Time;
  /** The taint value corresponding to the taint key. */
  value?: string;
}

/**
 * The pod this Toleration is attached to tolerates any taint that matches the triple <key,value,effect> using the
 * matching operator <operator>.
 */
export interface Toleration {
  /** Effect indicates the taint effect to match. Empty means match all taint effects. */
  effect?: TaintEffect;
  /** Key is the taint key that the toleration applies to. Empty means match all taint keys. */
  key?: string;
  /** Operator represents a key's relationship to the value. Valid operators are Exists, Equal, Lt, and Gt. */
  operator?: TolerationOperator;
  /**
   * TolerationSeconds represents the period of time the toleration (which must be of effect NoExecute, otherwise this
   * field is ignored) tolerates the taint.
   */
  tolerationSeconds?: number;
  /**
   * Value is the taint value the toleration matches to. If the operator is Exists, the value should be empty, otherwise
   * just a regular string.
   */
  value?: string;
}

/** A topology selector requirement is a selector that matches given label. */
export interface TopologySelectorLabelRequirement {
  /** The label key that the selector applies to. */
  key: string;
  /** An array of string values. One value must match the label to be selected. */
  values: string[];
}

/**
 * A topology selector term represents the result of label queries. A null or empty topology selector term matches no
 * objects.
 */
export interface TopologySelectorTerm {
  /** A list of topology selector requirements by labels. */
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/** TopologySpreadConstraint specifies how to spread matching pods among the given topology. */
export interface TopologySpreadConstraint {
  /**
   * LabelSelector is used to find matching pods. Pods that match this label selector are counted to determine the
   * number of pods in their corresponding topology domain.
   */
  labelSelector?: metaV1.LabelSelector;
  /** MatchLabelKeys is a set of pod label keys to select the pods over which spreading will be calculated. */
  matchLabelKeys?: string[];
  /** MaxSkew describes the degree to which pods may be unevenly distributed. */
  maxSkew: number;
  /**
   * MinDomains indicates a minimum number of eligible domains. When the number of eligible domains with matching
   * topology keys is less than minDomains, Pod Topology Spread treats "global minimum" as 0, and then the calculation
   * of Skew is performed.
   */
  minDomains?: number;
  /**
   * NodeAffinityPolicy indicates how we will treat Pod's nodeAffinity/nodeSelector when calculating pod topology spread
   * skew.
   */
  nodeAffinityPolicy?: NodeInclusionPolicy;
  /** NodeTaintsPolicy indicates how we will treat node taints when calculating pod topology spread skew. */
  nodeTaintsPolicy?: NodeInclusionPolicy;
  /**
   * TopologyKey is the key of node labels. Nodes that have a label with this key and identical values are considered to
   * be in the same topology.
   */
  topologyKey: string;
  /**
   * WhenUnsatisfiable indicates how to deal with a pod if it doesn't satisfy the spread constraint. - DoNotSchedule
   * (default) tells the scheduler not to schedule it. - ScheduleAnyway tells the scheduler to schedule the pod in any
   * location, but giving higher precedence to topologies that would help reduce the skew.
   */
  whenUnsatisfiable: UnsatisfiableConstraintAction;
}

/**
 * TypedLocalObjectReference contains enough information to let you locate the typed referenced object inside the same
 * namespace.
 */
export interface TypedLocalObjectReference {
  /**
   * APIGroup is the group for the resource being referenced. If APIGroup is not specified, the specified Kind must be
   * in the core API group.
   */
  apiGroup?: string;
  /** Kind is the type of resource being referenced */
  kind: string;
  /** Name is the name of resource being referenced */
  name: string;
}

/** TypedObjectReference contains enough information to let you locate the typed referenced object */
export interface TypedObjectReference {
  /**
   * APIGroup is the group for the resource being referenced. If APIGroup is not specified, the specified Kind must be
   * in the core API group.
   */
  apiGroup?: string;
  /** Kind is the type of resource being referenced */
  kind: string;
  /** Name is the name of resource being referenced */
  name: string;
  /**
   * Namespace is the namespace of resource being referenced Note that when a namespace is specified, a
   * gateway.networking.k8s.io/ReferenceGrant object is required in the referent namespace to allow that namespace's
   * owner to accept the reference.
   */
  namespace?: string;
}

/** Volume represents a named volume in a pod that may be accessed by any container in the pod. */
export interface Volume {
  /**
   * awsElasticBlockStore represents an AWS Disk resource that is attached to a kubelet's host machine and then exposed
   * to the pod.
   *
   * @deprecated AWSElasticBlockStore is deprecated.
   */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**
   * azureDisk represents an Azure Data Disk mount on the host and bind mount to the pod.
   *
   * @deprecated AzureDisk is deprecated.
   */
  azureDisk?: AzureDiskVolumeSource;
  /**
   * azureFile represents an Azure File Service mount on the host and bind mount to the pod.
   *
   * @deprecated AzureFile is deprecated.
   */
  azureFile?: AzureFileVolumeSource;
  /**
   * cephFS represents a Ceph FS mount on the host that shares a pod's lifetime.
   *
   * @deprecated CephFS is deprecated and the in-tree cephfs type is no longer supported.
   */
  cephfs?: CephFSVolumeSource;
  /**
   * cinder represents a cinder volume attached and mounted on kubelets host machine.
   *
   * @deprecated Cinder is deprecated.
   */
  cinder?: CinderVolumeSource;
  /** configMap represents a configMap that should populate this volume */
  configMap?: ConfigMapVolumeSource;
  /** csi (Container Storage Interface) represents ephemeral storage that is handled by certain external CSI drivers. */
  csi?: CSIVolumeSource;
  /** downwardAPI represents downward API about the pod that should populate this volume */
  downwardAPI?: DownwardAPIVolumeSource;
  /** emptyDir represents a temporary directory that shares a pod's lifetime. */
  emptyDir?: EmptyDirVolumeSource;
  /** ephemeral represents a volume that is handled by a cluster storage driver. */
  ephemeral?: EphemeralVolumeSource;
  /**
   * fc represents a Fibre Channel resource that is attached to a kubelet's host machine and then exposed to the pod.
   */
  fc?: FCVolumeSource;
  /**
   * flexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin.
   *
   * @deprecated FlexVolume is deprecated.
   */
  flexVolume?: FlexVolumeSource;
  /**
   * flocker represents a Flocker volume attached to a kubelet's host machine.
   *
   * @deprecated Flocker is deprecated and the in-tree flocker type is no longer supported.
   */
  flocker?: FlockerVolumeSource;
  /**
   * gcePersistentDisk represents a GCE Disk resource that is attached to a kubelet's host machine and then exposed to
   * the pod.
   *
   * @deprecated GCEPersistentDisk is deprecated.
   */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**
   * gitRepo represents a git repository at a particular revision. To provision a container with a git repo, mount an
   * EmptyDir into an InitContainer that clones the repo using git, then mount the EmptyDir into the Pod's container.
   *
   * @deprecated GitRepo is deprecated.
   */
  gitRepo?: GitRepoVolumeSource;
  /**
   * glusterfs represents a Glusterfs mount on the host that shares a pod's lifetime.
   *
   * @deprecated Glusterfs is deprecated and the in-tree glusterfs type is no longer supported.
   */
  glusterfs?: GlusterfsVolumeSource;
  /**
   * hostPath represents a pre-existing file or directory on the host machine that is directly exposed to the container.
   */
  hostPath?: HostPathVolumeSource;
  /**
   * image represents an OCI object (a container image or artifact) pulled and mounted on the kubelet's host machine.
   */
  image?: ImageVolumeSource;
  /**
   * iscsi represents an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod.
   */
  iscsi?: ISCSIVolumeSource;
  /** name of the volume. Must be a DNS_LABEL and unique within the pod. */
  name: string;
  /**
   * nfs represents an NFS mount on the host that shares a pod's lifetime More info:
   * https://kubernetes.io/docs/concepts/storage/volumes#nfs
   */
  nfs?: NFSVolumeSource;
  /** persistentVolumeClaimVolumeSource represents a reference to a PersistentVolumeClaim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /**
   * photonPersistentDisk represents a PhotonController persistent disk attached and mounted on kubelets host machine.
   *
   * @deprecated PhotonPersistentDisk is deprecated and the in-tree photonPersistentDisk type is no longer supported.
   */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**
   * portworxVolume represents a portworx volume attached and mounted on kubelets host machine.
   *
   * @deprecated PortworxVolume is deprecated.
   */
  portworxVolume?: PortworxVolumeSource;
  /** projected items for all in one resources secrets, configmaps, and downward API */
  projected?: ProjectedVolumeSource;
  /**
   * quobyte represents a Quobyte mount on the host that shares a pod's lifetime.
   *
   * @deprecated Quobyte is deprecated and the in-tree quobyte type is no longer supported.
   */
  quobyte?: QuobyteVolumeSource;
  /**
   * rbd represents a Rados Block Device mount on the host that shares a pod's lifetime.
   *
   * @deprecated RBD is deprecated and the in-tree rbd type is no longer supported.
   */
  rbd?: RBDVolumeSource;
  /**
   * scaleIO represents a ScaleIO persistent volume attached and mounted on Kubernetes nodes.
   *
   * @deprecated ScaleIO is deprecated and the in-tree scaleIO type is no longer supported.
   */
  scaleIO?: ScaleIOVolumeSource;
  /** secret represents a secret that should populate this volume. */
  secret?: SecretVolumeSource;
  /**
   * storageOS represents a StorageOS volume attached and mounted on Kubernetes nodes.
   *
   * @deprecated StorageOS is deprecated and the in-tree storageos type is no longer supported.
   */
  storageos?: StorageOSVolumeSource;
  /**
   * vsphereVolume represents a vSphere volume attached and mounted on kubelets host machine.
   *
   * @deprecated VsphereVolume is deprecated.
   */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** volumeDevice describes a mapping of a raw block device within a container. */
export interface VolumeDevice {
  /** devicePath is the path inside of the container that the device will be mapped to. */
  devicePath: string;
  /** name must match the name of a persistentVolumeClaim in the pod */
  name: string;
}

/** VolumeMount describes a mounting of a Volume within a container. */
export interface VolumeMount {
  /** Path within the container at which the volume should be mounted. Must not contain ':'. */
  mountPath: string;
  /** mountPropagation determines how mounts are propagated from the host to container and the other way around. */
  mountPropagation?: MountPropagationMode;
  /** This must match the Name of a Volume. */
  name: string;
  /** Mounted read-only if true, read-write otherwise (false or unspecified). */
  readOnly?: boolean;
  /** RecursiveReadOnly specifies whether read-only mounts should be handled recursively. */
  recursiveReadOnly?: string;
  /** Path within the volume from which the container's volume should be mounted. */
  subPath?: string;
  /** Expanded path within the volume from which the container's volume should be mounted. */
  subPathExpr?: string;
}

/** VolumeMountStatus shows status of volume mounts. */
export interface VolumeMountStatus {
  /** MountPath corresponds to the original VolumeMount. */
  mountPath: string;
  /** Name corresponds to the name of the original VolumeMount. */
  name: string;
  /** ReadOnly corresponds to the original VolumeMount. */
  readOnly?: boolean;
  /** RecursiveReadOnly must be set to Disabled, Enabled, or unspecified (for non-readonly mounts). */
  recursiveReadOnly?: string;
  /** volumeStatus represents volume-type-specific status about the mounted volume. */
  volumeStatus?: VolumeStatus;
}

/** VolumeNodeAffinity defines constraints that limit what nodes this volume can be accessed from. */
export interface VolumeNodeAffinity {
  /** required specifies hard node constraints that must be met. */
  required?: NodeSelector;
}

/** Projection that may be projected along with other supported volume types. */
export interface VolumeProjection {
  /**
   * ClusterTrustBundle allows a pod to access the `.spec.trustBundle` field of ClusterTrustBundle objects in an
   * auto-updating file.
   */
  clusterTrustBundle?: ClusterTrustBundleProjection;
  /** configMap information about the configMap data to project */
  configMap?: ConfigMapProjection;
  /** downwardAPI information about the downwardAPI data to project */
  downwardAPI?: DownwardAPIProjection;
  /**
   * Projects an auto-rotating credential bundle (private key and certificate chain) that the pod can use either as a
   * TLS client or server.
   */
  podCertificate?: PodCertificateProjection;
  /** secret information about the secret data to project */
  secret?: SecretProjection;
  /** serviceAccountToken is information about the serviceAccountToken data to project */
  serviceAccountToken?: ServiceAccountTokenProjection;
}

/** VolumeResourceRequirements describes the storage resource requirements for a volume. */
export interface VolumeResourceRequirements {
  /** Limits describes the maximum amount of compute resources allowed. */
  limits?: Record<string, metaV1.Quantity>;
  /**
   * Requests describes the minimum amount of compute resources required. If Requests is omitted for a container, it
   * defaults to Limits if that is explicitly specified, otherwise to an implementation-defined value.
   */
  requests?: Record<string, metaV1.Quantity>;
}

/** VolumeStatus represents the status of a mounted volume. At most one of its members must be specified. */
export interface VolumeStatus {
  /**
   * image represents an OCI object (a container image or artifact) pulled and mounted on the kubelet's host machine.
   */
  image?: ImageVolumeStatus;
}

/** Represents a vSphere volume resource. */
export interface VsphereVirtualDiskVolumeSource {
  /** fsType is filesystem type to mount. Must be a filesystem type supported by the host operating system. */
  fsType?: string;
  /** storagePolicyID is the storage Policy Based Management (SPBM) profile ID associated with the StoragePolicyName. */
  storagePolicyID?: string;
  /** storagePolicyName is the storage Policy Based Management (SPBM) profile name. */
  storagePolicyName?: string;
  /** volumePath is the path that identifies vSphere volume vmdk */
  volumePath: string;
}

/**
 * The weights of all of the matched WeightedPodAffinityTerm fields are added per-node to find the most preferred
 * node(s)
 */
export interface WeightedPodAffinityTerm {
  /** Required. A pod affinity term, associated with the corresponding weight. */
  podAffinityTerm: PodAffinityTerm;
  /** weight associated with matching the corresponding podAffinityTerm, in the range 1-100. */
  weight: number;
}

/** WindowsSecurityContextOptions contain Windows-specific options and credentials. */
export interface WindowsSecurityContextOptions {
  /**
   * GMSACredentialSpec is where the GMSA admission webhook (https://github.com/kubernetes-sigs/windows-gmsa) inlines
   * the contents of the GMSA credential spec named by the GMSACredentialSpecName field.
   */
  gmsaCredentialSpec?: string;
  /** GMSACredentialSpecName is the name of the GMSA credential spec to use. */
  gmsaCredentialSpecName?: string;
  /** HostProcess determines if a container should be run as a 'Host Process' container. */
  hostProcess?: boolean;
  /** The UserName in Windows to run the entrypoint of the container process. */
  runAsUserName?: string;
}

/**
 * The values of `AppArmorProfileType`.
 *
 * - `"Localhost"` indicates that a profile pre-loaded on the node should be used.
 * - `"RuntimeDefault"` indicates that the container runtime's default AppArmor profile should be used.
 * - `"Unconfined"` indicates that no AppArmor profile should be enforced.
 */
export type AppArmorProfileType = "Localhost" | "RuntimeDefault" | "Unconfined";

/** The values of `AzureDataDiskCachingMode`. */
export type AzureDataDiskCachingMode = "None" | "ReadOnly" | "ReadWrite";

/** The values of `AzureDataDiskKind`. */
export type AzureDataDiskKind = "Dedicated" | "Managed" | "Shared";

/** The values of `ClaimResourceStatus`. */
export type ClaimResourceStatus =
  | "ControllerResizeInProgress"
  | "ControllerResizeInfeasible"
  | "NodeResizeInProgress"
  | "NodeResizeInfeasible"
  | "NodeResizePending";

/**
 * The values of `DNSPolicy`.
 *
 * - `"ClusterFirst"` indicates that the pod should use cluster DNS first unless hostNetwork is true, if it is
 *   available, then fall back on the default (as determined by kubelet) DNS settings.
 * - `"ClusterFirstWithHostNet"` indicates that the pod should use cluster DNS first, if it is available, then fall
 *   back on the default (as determined by kubelet) DNS settings.
 * - `"Default"` indicates that the pod should use the default (as determined by kubelet) DNS settings.
 * - `"None"` indicates that the pod should use empty DNS settings.
 */
export type DNSPolicy = "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";

/**
 * The values of `HostPathType`.
 *
 * - `""` For backwards compatible, leave it empty if unset
 * - `"BlockDevice"` A block device must exist at the given path
 * - `"CharDevice"` A character device must exist at the given path
 * - `"Directory"` A directory must exist at the given path
 * - `"DirectoryOrCreate"` If nothing exists at the given path, an empty directory will be created there as needed
 *   with file mode 0755, having the same group and ownership with Kubelet.
 * - `"File"` A file must exist at the given path
 * - `"FileOrCreate"` If nothing exists at the given path, an empty file will be created there as needed with file
 *   mode 0644, having the same group and ownership with Kubelet.
 * - `"Socket"` A UNIX socket must exist at the given path
 */
export type HostPathType =
  | ""
  | "BlockDevice"
  | "CharDevice"
  | "Directory"
  | "DirectoryOrCreate"
  | "File"
  | "FileOrCreate"
  | "Socket";

/** The values of `IPFamily`. */
export type IPFamily = "" | "IPv4" | "IPv6";

/**
 * The values of `IPFamilyPolicy`.
 *
 * - `"PreferDualStack"` indicates that this service prefers dual-stack when the cluster is configured for dual-stack.
 * - `"RequireDualStack"` indicates that this service requires dual-stack.
 * - `"SingleStack"` indicates that this service is required to have a single IPFamily.
 */
export type IPFamilyPolicy = "PreferDualStack" | "RequireDualStack" | "SingleStack";

/**
 * The values of `MountPropagationMode`.
 *
 * - `"Bidirectional"` means that the volume in a container will receive new mounts from the host or other containers,
 *   and its own mounts will be propagated from the container to the host or other containers.
 * - `"HostToContainer"` means that the volume in a container will receive new mounts from the host or other
 *   containers, but filesystems mounted inside the container won't be propagated to the host or other containers.
 * - `"None"` means that the volume in a container will not receive new mounts from the host or other containers, and
 *   filesystems mounted inside the container won't be propagated to the host or other containers.
 */
export type MountPropagationMode = "Bidirectional" | "HostToContainer" | "None";

/**
 * The values of `NamespacePhase`.
 *
 * - `"Active"` means the namespace is available for use in the system
 * - `"Terminating"` means the namespace is undergoing graceful termination
 */
export type NamespacePhase = "Active" | "Terminating";

/**
 * The values of `NodeInclusionPolicy`.
 *
 * - `"Honor"` means use this scheduling directive when calculating pod topology spread skew.
 * - `"Ignore"` means ignore this scheduling directive when calculating pod topology spread skew.
 */
export type NodeInclusionPolicy = "Honor" | "Ignore";

/**
 * The values of `NodePhase`.
 *
 * - `"Pending"` means the node has been created/added by the system, but not configured.
 * - `"Running"` means the node has been configured and has Kubernetes components running.
 * - `"Terminated"` means the node has been removed from the cluster.
 */
export type NodePhase = "Pending" | "Running" | "Terminated";

/** The values of `NodeSelectorOperator`. */
export type NodeSelectorOperator = "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";

/** The values of `PersistentVolumeAccessMode`. */
export type PersistentVolumeAccessMode = "ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod";

/**
 * The values of `PersistentVolumeClaimModifyVolumeStatus`.
 *
 * - `"InProgress"` InProgress indicates that the volume is being modified
 * - `"Infeasible"` Infeasible indicates that the request has been rejected as invalid by the CSI driver.
 * - `"Pending"` Pending indicates that the PersistentVolumeClaim cannot be modified due to unmet requirements, such
 *   as the specified VolumeAttributesClass not existing
 */
export type PersistentVolumeClaimModifyVolumeStatus = "InProgress" | "Infeasible" | "Pending";

/**
 * The values of `PersistentVolumeClaimPhase`.
 *
 * - `"Bound"` used for PersistentVolumeClaims that are bound
 * - `"Lost"` used for PersistentVolumeClaims that lost their underlying PersistentVolume.
 * - `"Pending"` used for PersistentVolumeClaims that are not yet bound
 */
export type PersistentVolumeClaimPhase = "Bound" | "Lost" | "Pending";

/**
 * The values of `PersistentVolumeMode`.
 *
 * - `"Block"` means the volume will not be formatted with a filesystem and will remain a raw block device.
 * - `"Filesystem"` means the volume will be or is formatted with a filesystem.
 */
export type PersistentVolumeMode = "Block" | "Filesystem";

/**
 * The values of `PersistentVolumePhase`.
 *
 * - `"Available"` used for PersistentVolumes that are not yet bound Available volumes are held by the binder and
 *   matched to PersistentVolumeClaims
 * - `"Bound"` used for PersistentVolumes that are bound
 * - `"Failed"` used for PersistentVolumes that failed to be correctly recycled or deleted after being released from a
 *   claim
 * - `"Pending"` used for PersistentVolumes that are not available
 * - `"Released"` used for PersistentVolumes where the bound PersistentVolumeClaim was deleted released volumes must
 *   be recycled before becoming available again this phase is used by the persistent volume claim binder to signal to
 *   another process to reclaim the resource
 */
export type PersistentVolumePhase = "Available" | "Bound" | "Failed" | "Pending" | "Released";

/**
 * The values of `PersistentVolumeReclaimPolicy`.
 *
 * - `"Delete"` means the volume will be deleted from Kubernetes on release from its claim.
 * - `"Recycle"` means the volume will be recycled back into the pool of unbound persistent volumes on release from
 *   its claim.
 * - `"Retain"` means the volume will be left in its current phase (Released) for manual reclamation by the
 *   administrator.
 */
export type PersistentVolumeReclaimPolicy = "Delete" | "Recycle" | "Retain";

/**
 * The values of `PodFSGroupChangePolicy`.
 *
 * - `"Always"` indicates that volume's ownership and permissions should always be changed whenever volume is mounted
 *   inside a Pod.
 * - `"OnRootMismatch"` indicates that volume's ownership and permissions will be changed only when permission and
 *   ownership of root directory does not match with expected permissions on the volume.
 */
export type PodFSGroupChangePolicy = "Always" | "OnRootMismatch";

/**
 * The values of `PodPhase`.
 *
 * - `"Failed"` means that all containers in the pod have terminated, and at least one container has terminated in a
 *   failure (exited with a non-zero exit code or was stopped by the system).
 * - `"Pending"` means the pod has been accepted by the system, but one or more of the containers has not been
 *   started.
 * - `"Running"` means the pod has been bound to a node and all of the containers have been started.
 * - `"Succeeded"` means that all containers in the pod have voluntarily terminated with a container exit code of 0,
 *   and the system is not going to restart any of these containers.
 * - `"Unknown"` means that for some reason the state of the pod could not be obtained, typically due to an error in
 *   communicating with the host of the pod.
 */
export type PodPhase = "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";

/**
 * The values of `PodQOSClass`.
 *
 * - `"BestEffort"` is the BestEffort qos class.
 * - `"Burstable"` is the Burstable qos class.
 * - `"Guaranteed"` is the Guaranteed qos class.
 */
export type PodQOSClass = "BestEffort" | "Burstable" | "Guaranteed";

/**
 * The values of `PreemptionPolicy`.
 *
 * - `"Never"` means that pod never preempts other pods with lower priority.
 * - `"PreemptLowerPriority"` means that pod can preempt other pods with lower priority.
 */
export type PreemptionPolicy = "Never" | "PreemptLowerPriority";

/**
 * The values of `ProcMountType`.
 *
 * - `"Default"` uses the container runtime defaults for readonly and masked paths for /proc.
 * - `"Unmasked"` bypasses the default masking behavior of the container runtime and ensures the newly created /proc
 *   the container stays in tact with no modifications.
 */
export type ProcMountType = "Default" | "Unmasked";

/**
 * The values of `Protocol`.
 *
 * - `"SCTP"` is the SCTP protocol.
 * - `"TCP"` is the TCP protocol.
 * - `"UDP"` is the UDP protocol.
 */
export type Protocol = "SCTP" | "TCP" | "UDP";

/**
 * The values of `PullPolicy`.
 *
 * - `"Always"` means that kubelet always attempts to pull the latest image.
 * - `"IfNotPresent"` means that kubelet pulls if the image isn't present on disk.
 * - `"Never"` means that kubelet never pulls an image, but only uses a local image.
 */
export type PullPolicy = "Always" | "IfNotPresent" | "Never";

/**
 * The values of `ResourceQuotaScope`.
 *
 * - `"BestEffort"` Match all pod objects that have best effort quality of service
 * - `"CrossNamespacePodAffinity"` Match all pod objects that have cross-namespace pod (anti)affinity mentioned.
 * - `"NotBestEffort"` Match all pod objects that do not have best effort quality of service
 * - `"NotTerminating"` Match all pod objects where spec.activeDeadlineSeconds is nil
 * - `"PriorityClass"` Match all pod objects that have priority class mentioned
 * - `"Terminating"` Match all pod objects where spec.activeDeadlineSeconds >=0
 * - `"VolumeAttributesClass"` Match all pvc objects that have volume attributes class mentioned.
 */
export type ResourceQuotaScope =
  | "BestEffort"
  | "CrossNamespacePodAffinity"
  | "NotBestEffort"
  | "NotTerminating"
  | "PriorityClass"
  | "Terminating"
  | "VolumeAttributesClass";

/** The values of `RestartPolicy`. */
export type RestartPolicy = "Always" | "Never" | "OnFailure";

/** The values of `ScopeSelectorOperator`. */
export type ScopeSelectorOperator = "DoesNotExist" | "Exists" | "In" | "NotIn";

/**
 * The values of `SeccompProfileType`.
 *
 * - `"Localhost"` indicates a profile defined in a file on the node should be used.
 * - `"RuntimeDefault"` represents the default container runtime seccomp profile.
 * - `"Unconfined"` indicates no seccomp profile is applied (A.K.A. unconfined).
 */
export type SeccompProfileType = "Localhost" | "RuntimeDefault" | "Unconfined";

/**
 * The values of `ServiceAffinity`.
 *
 * - `"ClientIP"` is the Client IP based.
 * - `"None"` - no session affinity.
 */
export type ServiceAffinity = "ClientIP" | "None";

/**
 * The values of `ServiceExternalTrafficPolicy`.
 *
 * - `"Cluster"` routes traffic to all endpoints.
 * - `"Local"` preserves the source IP of the traffic by routing only to endpoints on the same node as the traffic was
 *   received on (dropping the traffic if there are no local endpoints).
 */
export type ServiceExternalTrafficPolicy = "Cluster" | "Local";

/**
 * The values of `ServiceInternalTrafficPolicy`.
 *
 * - `"Cluster"` routes traffic to all endpoints.
 * - `"Local"` routes traffic only to endpoints on the same node as the client pod (dropping the traffic if there are
 *   no local endpoints).
 */
export type ServiceInternalTrafficPolicy = "Cluster" | "Local";

/**
 * The values of `ServiceType`.
 *
 * - `"ClusterIP"` means a service will only be accessible inside the cluster, via the cluster IP.
 * - `"ExternalName"` means a service consists of only a reference to an external name that kubedns or equivalent will
 *   return as a CNAME record, with no exposing or proxying of any pods involved.
 * - `"LoadBalancer"` means a service will be exposed via an external load balancer (if the cloud provider supports
 *   it), in addition to 'NodePort' type.
 * - `"NodePort"` means a service will be exposed on one port of every node, in addition to 'ClusterIP' type.
 */
export type ServiceType = "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";

/** The values of `Signal`. */
export type Signal =
  | "SIGABRT"
  | "SIGALRM"
  | "SIGBUS"
  | "SIGCHLD"
  | "SIGCLD"
  | "SIGCONT"
  | "SIGFPE"
  | "SIGHUP"
  | "SIGILL"
  | "SIGINT"
  | "SIGIO"
  | "SIGIOT"
  | "SIGKILL"
  | "SIGPIPE"
  | "SIGPOLL"
  | "SIGPROF"
  | "SIGPWR"
  | "SIGQUIT"
  | "SIGRTMAX"
  | "SIGRTMAX-1"
  | "SIGRTMAX-10"
  | "SIGRTMAX-11"
  | "SIGRTMAX-12"
  | "SIGRTMAX-13"
  | "SIGRTMAX-14"
  | "SIGRTMAX-2"
  | "SIGRTMAX-3"
  | "SIGRTMAX-4"
  | "SIGRTMAX-5"
  | "SIGRTMAX-6"
  | "SIGRTMAX-7"
  | "SIGRTMAX-8"
  | "SIGRTMAX-9"
  | "SIGRTMIN"
  | "SIGRTMIN+1"
  | "SIGRTMIN+10"
  | "SIGRTMIN+11"
  | "SIGRTMIN+12"
  | "SIGRTMIN+13"
  | "SIGRTMIN+14"
  | "SIGRTMIN+15"
  | "SIGRTMIN+2"
  | "SIGRTMIN+3"
  | "SIGRTMIN+4"
  | "SIGRTMIN+5"
  | "SIGRTMIN+6"
  | "SIGRTMIN+7"
  | "SIGRTMIN+8"
  | "SIGRTMIN+9"
  | "SIGSEGV"
  | "SIGSTKFLT"
  | "SIGSTOP"
  | "SIGSYS"
  | "SIGTERM"
  | "SIGTRAP"
  | "SIGTSTP"
  | "SIGTTIN"
  | "SIGTTOU"
  | "SIGURG"
  | "SIGUSR1"
  | "SIGUSR2"
  | "SIGVTALRM"
  | "SIGWINCH"
  | "SIGXCPU"
  | "SIGXFSZ";

/**
 * The values of `SupplementalGroupsPolicy`.
 *
 * - `"Merge"` means that the container's provided SupplementalGroups and FsGroup (specified in SecurityContext) will
 *   be merged with the primary user's groups as defined in the container image (in /etc/group).
 * - `"Strict"` means that the container's provided SupplementalGroups and FsGroup (specified in SecurityContext) will
 *   be used instead of any groups defined in the container image.
 */
export type SupplementalGroupsPolicy = "Merge" | "Strict";

/**
 * The values of `TaintEffect`.
 *
 * - `"NoExecute"` Evict any already-running pods that do not tolerate the taint.
 * - `"NoSchedule"` Do not allow new pods to schedule onto the node unless they tolerate the taint, but allow all pods
 *   submitted to Kubelet without going through the scheduler to start, and allow all already-running pods to continue
 *   running.
 * - `"PreferNoSchedule"` Like TaintEffectNoSchedule, but the scheduler tries not to schedule new pods onto the node,
 *   rather than prohibiting new pods from scheduling onto the node entirely.
 */
export type TaintEffect = "NoExecute" | "NoSchedule" | "PreferNoSchedule";

/**
 * The values of `TerminationMessagePolicy`.
 *
 * - `"FallbackToLogsOnError"` will read the most recent contents of the container logs for the container status
 *   message when the container exits with an error and the terminationMessagePath has no contents.
 * - `"File"` is the default behavior and will set the container status message to the contents of the container's
 *   terminationMessagePath when the container exits.
 */
export type TerminationMessagePolicy = "FallbackToLogsOnError" | "File";

/** The values of `TolerationOperator`. */
export type TolerationOperator = "Equal" | "Exists" | "Gt" | "Lt";

/**
 * The values of `URIScheme`.
 *
 * - `"HTTP"` means that the scheme used will be http://
 * - `"HTTPS"` means that the scheme used will be https://
 */
export type URIScheme = "HTTP" | "HTTPS";

/**
 * The values of `UnsatisfiableConstraintAction`.
 *
 * - `"DoNotSchedule"` instructs the scheduler not to schedule the pod when constraints are not satisfied.
 * - `"ScheduleAnyway"` instructs the scheduler to schedule the pod even if constraints are not satisfied.
 */
export type UnsatisfiableConstraintAction = "DoNotSchedule" | "ScheduleAnyway";
