import type {
  Affinity,
  EnvVar,
  PodSecurityContext,
  ResourceRequirements,
  SecurityContext,
  Toleration,
} from "@homeostat/kubernetes/core/v1";
import type { NetworkPolicyPeer } from "@homeostat/kubernetes/networking/v1";
import type { SecretFiles, ServicePort } from "./program-ports.ts";

/** Values of an operator's own flags, by name. */
export type OperatorSettings = Readonly<Record<string, unknown>>;

/** The issuer of the webhook certificate. */
export type CertificateSource =
  /** The operator issues and renews it itself. */
  | "self-managed"
  /** cert-manager, which must be installed. */
  | "cert-manager";

/** Options of an installation. All have defaults. */
export interface ManifestOptions {
  /** The name of this installation, in case there are several. Default: the operator's name. */
  readonly instance?: string | undefined;
  /** The namespace to install into. Default: the name of the installation with `-system`. */
  readonly namespace?: string | undefined;
  /** Includes the Namespace in the manifests. Default: true. */
  readonly createNamespace?: boolean | undefined;
  /** The namespaces to watch. Default: all. */
  readonly watchNamespaces?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never" | undefined;
  readonly imagePullSecrets?: readonly string[] | undefined;
  /** The number of pods, one of which is the leader. Default: 2. */
  readonly replicas?: number | undefined;
  /** Enables leader election. Required with more than one replica, unless all replicas of the program work at once. Default: true. */
  readonly leaderElection?: boolean | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly affinity?: Affinity | undefined;
  readonly priorityClassName?: string | undefined;
  /** The RuntimeClass of the operator's own pods. Default: the default of the cluster. */
  readonly runtimeClassName?: string | undefined;
  /** Default: no root user, and the seccomp profile `RuntimeDefault`. */
  readonly podSecurityContext?: PodSecurityContext | undefined;
  /** Default: no privilege escalation, no capabilities, a read-only root file system. */
  readonly containerSecurityContext?: SecurityContext | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  /** Additional command line arguments. */
  readonly args?: readonly string[] | undefined;
  /** Labels of every object and of the pods. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Annotations of every object. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly podLabels?: Readonly<Record<string, string>> | undefined;
  readonly podAnnotations?: Readonly<Record<string, string>> | undefined;
  /** The name of the ServiceAccount. Default: the name of the installation. */
  readonly serviceAccountName?: string | undefined;
  readonly serviceAccountAnnotations?: Readonly<Record<string, string>> | undefined;
  /** Installs the webhooks, if the operator has any. Default: true. */
  readonly webhooks?: boolean | undefined;
  /** Default: `self-managed`. */
  readonly certificates?: CertificateSource | undefined;
  /** The failure policy of the webhooks: what happens to requests while none can be reached. Default: `Fail`. */
  readonly webhookFailurePolicy?: "Fail" | "Ignore" | undefined;
  /** The time for which the API server waits for a webhook, 1 to 30 seconds. Default: 5. */
  readonly webhookTimeoutSeconds?: number | undefined;
  /** The name of the Service of the webhooks. Default: the name of the installation with `-webhook`. */
  readonly webhookServiceName?: string | undefined;
  /** The name of the Secret with the webhook certificate. Default: the name of the installation with `-webhook-certificates`. */
  readonly webhookSecretName?: string | undefined;
  /** The container port of the webhooks. Default: 9443. */
  readonly webhookPort?: number | undefined;
  /**
   * The name of a ConfigMap whose `ca.crt` has the CAs that sign the client certificates of API servers. Admission webhooks then
   * accept only clients with such a certificate. Default: every client is accepted.
   */
  readonly webhookClientCaConfigMap?: string | undefined;
  /** The names of client certificates that may call admission webhooks. Default: all that the CAs signed. */
  readonly webhookClientNames?: readonly string[] | undefined;
  /** Serves metrics. Default: true. */
  readonly metrics?: boolean | undefined;
  /** The container port of metrics. Default: 8080. */
  readonly metricsPort?: number | undefined;
  /**
   * Serves metrics over HTTPS, to accounts that are authorized to get `/metrics`. In `installation` of an operator it is also the
   * default of the program's flag `--metrics-secure`. Default: false.
   */
  readonly metricsSecure?: boolean | undefined;
  /** A Secret with `tls.crt` and `tls.key` for HTTPS. Default: a self-signed certificate, which clients cannot verify. */
  readonly metricsCertificateSecret?: string | undefined;
  /** Installs a Service for metrics. Default: true. */
  readonly metricsService?: boolean | undefined;
  /** Installs a NetworkPolicy that limits which ports of the operator's pods can be reached. Default: true. */
  readonly networkPolicy?: boolean | undefined;
  /** The NetworkPolicy peers that may read metrics. Default: all. */
  readonly metricsFrom?: readonly NetworkPolicyPeer[] | undefined;
  /** Also limits egress in the NetworkPolicy, to DNS and to `egressPorts`. Default: false. */
  readonly limitEgress?: boolean | undefined;
  /** The ports that egress is limited to: those of the API server and of pods that the operator calls. Default: 443 and 6443. */
  readonly egressPorts?: readonly number[] | undefined;
  /** Installs a PodDisruptionBudget. Default: true. */
  readonly disruptionBudget?: boolean | undefined;
  /** `maxUnavailable` of the PodDisruptionBudget. Default: 1. */
  readonly unavailableMax?: number | undefined;
  /** Installs ClusterRoles for the operator's kinds that aggregate to `view`, `edit` and `admin`. Default: false. */
  readonly userRoles?: boolean | undefined;
  /** The ports that the program serves besides health, metrics and webhooks. With any, a Service has them and metrics. Default: none. */
  readonly servicePorts?: readonly ServicePort[] | undefined;
  /** The NetworkPolicy peers that may connect to service ports, by the name of the port. Default: `from` of each port. */
  readonly portsFrom?: Readonly<Record<string, readonly NetworkPolicyPeer[]>> | undefined;
  /** Sets the environment variable `POD_IP` to the IP address of the pod. Default: false. */
  readonly podAddress?: boolean | undefined;
  /** Secrets that are mounted as files. Default: none. */
  readonly secretFiles?: readonly SecretFiles[] | undefined;
  /**
   * Options of the companions, by their names; false leaves a companion out, and `{}` installs one that is not installed by default. Image pull options, labels, annotations
   * and the log level default to those of the operator.
   */
  readonly companions?: Readonly<Record<string, ManifestOptions | false>> | undefined;
  /** Turns extras on or off, by name. Default: the `default` of each extra. */
  readonly extras?: Readonly<Record<string, boolean>> | undefined;
  readonly logLevel?: string | undefined;
  /** The grace period of running reconciles after SIGTERM, in milliseconds. Default: 10,000. */
  readonly graceMs?: number | undefined;
  /** The termination grace period of the pods, in seconds. Default: `graceMs` plus 30 seconds. */
  readonly terminationGraceSeconds?: number | undefined;
  /** Values of the operator's own flags, which determine its arguments, webhooks and permissions. */
  readonly settings?: OperatorSettings | undefined;
}

/** Options of an installation for which an operator can set its own defaults. */
export type InstallationDefaults = Pick<
  ManifestOptions,
  | "egressPorts"
  | "leaderElection"
  | "metrics"
  | "metricsPort"
  | "metricsSecure"
  | "namespace"
  | "podAddress"
  | "replicas"
  | "resources"
  | "secretFiles"
  | "servicePorts"
  | "terminationGraceSeconds"
  | "webhookSecretName"
  | "webhookServiceName"
  | "webhookTimeoutSeconds"
>;
