// What the server fills in wherever a type occurs: a table, by the type's name without its common beginning.

/** Fields of a type and the values they get when they are left away. */
export type DefaultValues = Readonly<Record<string, unknown>>;

const mode = 0o644;

const webhook: DefaultValues = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const messages: DefaultValues = {
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

const history = { revisionHistoryLimit: 10 };

/** Constant defaults by type. A value is copied when it is used. */
export const defaultValues: ReadonlyMap<string, DefaultValues> = new Map<string, DefaultValues>([
  ["core.v1.Container", messages],
  ["core.v1.EphemeralContainer", messages],
  [
    "core.v1.PodSpec",
    {
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: "default-scheduler",
    },
  ],
  ["core.v1.ContainerPort", { protocol: "TCP" }],
  ["core.v1.EndpointPort", { protocol: "TCP" }],
  ["core.v1.HTTPGetAction", { path: "/", scheme: "HTTP" }],
  ["core.v1.GRPCAction", { service: "" }],
  ["core.v1.ObjectFieldSelector", { apiVersion: "v1" }],
  ["core.v1.SecretVolumeSource", { defaultMode: mode }],
  ["core.v1.ConfigMapVolumeSource", { defaultMode: mode }],
  ["core.v1.DownwardAPIVolumeSource", { defaultMode: mode }],
  ["core.v1.ProjectedVolumeSource", { defaultMode: mode }],
  ["core.v1.ServiceAccountTokenProjection", { expirationSeconds: 3600 }],
  ["core.v1.HostPathVolumeSource", { type: "" }],
  ["core.v1.ISCSIVolumeSource", { iscsiInterface: "default" }],
  ["core.v1.ISCSIPersistentVolumeSource", { iscsiInterface: "default" }],
  ["core.v1.RBDVolumeSource", { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" }],
  ["core.v1.RBDPersistentVolumeSource", { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" }],
  ["core.v1.ScaleIOVolumeSource", { storageMode: "ThinProvisioned", fsType: "xfs" }],
  ["core.v1.ScaleIOPersistentVolumeSource", { storageMode: "ThinProvisioned", fsType: "xfs" }],
  ["core.v1.AzureDiskVolumeSource", { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false }],
  ["core.v1.Secret", { type: "Opaque" }],
  ["core.v1.PersistentVolumeSpec", { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" }],
  ["core.v1.PersistentVolumeClaimSpec", { volumeMode: "Filesystem" }],
  ["core.v1.ReplicationControllerSpec", { replicas: 1 }],
  ["core.v1.ServiceSpec", { sessionAffinity: "None", type: "ClusterIP" }],
  ["apps.v1.DeploymentSpec", { replicas: 1, progressDeadlineSeconds: 600, ...history }],
  ["apps.v1.ReplicaSetSpec", { replicas: 1 }],
  ["apps.v1.DaemonSetSpec", history],
  [
    "apps.v1.StatefulSetSpec",
    {
      replicas: 1,
      podManagementPolicy: "OrderedReady",
      persistentVolumeClaimRetentionPolicy: {},
      ...history,
    },
  ],
  ["apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", { whenDeleted: "Retain", whenScaled: "Retain" }],
  [
    "batch.v1.CronJobSpec",
    { concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
  ],
  ["batch.v1.PodFailurePolicyOnPodConditionsPattern", { status: "True" }],
  ["networking.v1.NetworkPolicyPort", { protocol: "TCP" }],
  ["networking.v1.IngressClassParametersReference", { scope: "Cluster" }],
  ["rbac.v1.RoleRef", { apiGroup: "rbac.authorization.k8s.io" }],
  ["admissionregistration.v1.ValidatingWebhook", webhook],
  ["admissionregistration.v1.MutatingWebhook", { ...webhook, reinvocationPolicy: "Never" }],
  ["admissionregistration.v1.RuleWithOperations", { scope: "*" }],
  ["admissionregistration.v1.NamedRuleWithOperations", { scope: "*" }],
  ["admissionregistration.v1.ServiceReference", { port: 443 }],
  ["admissionregistration.v1.ValidatingAdmissionPolicySpec", { failurePolicy: "Fail" }],
  ["admissionregistration.v1.MutatingAdmissionPolicySpec", { failurePolicy: "Fail" }],
  ["admissionregistration.v1.MatchResources", { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }],
  ["apiextensions.v1.ServiceReference", { port: 443 }],
  ["apiregistration.v1.ServiceReference", { port: 443 }],
  ["flowcontrol.v1.ExemptPriorityLevelConfiguration", { nominalConcurrencyShares: 0, lendablePercent: 0 }],
  ["flowcontrol.v1.LimitedPriorityLevelConfiguration", { nominalConcurrencyShares: 30, lendablePercent: 0 }],
  ["resource.v1.ExactDeviceRequest", { allocationMode: "ExactCount" }],
  ["resource.v1.DeviceSubRequest", { allocationMode: "ExactCount" }],
  ["apiextensions.v1.CustomResourceDefinitionSpec", { conversion: { strategy: "None" } }],
  ["storage.v1.StorageClass", { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }],
  [
    "storage.v1.CSIDriverSpec",
    {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      volumeLifecycleModes: ["Persistent"],
      requiresRepublish: false,
      seLinuxMount: false,
    },
  ],
  ["scheduling.v1.PriorityClass", { preemptionPolicy: "PreemptLowerPriority" }],
  ["discovery.v1.EndpointPort", { name: "", protocol: "TCP" }],
]);

/** Numbers for which zero means that they are left away. */
export const zeroDefaults: ReadonlyMap<string, DefaultValues> = new Map<string, DefaultValues>([
  ["core.v1.Probe", { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }],
  ["flowcontrol.v1.FlowSchemaSpec", { matchingPrecedence: 1000 }],
  ["flowcontrol.v1.QueuingConfiguration", { handSize: 8, queues: 64, queueLengthLimit: 50 }],
]);
