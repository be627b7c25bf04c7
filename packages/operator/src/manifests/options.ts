import type {
  Affinity,
  EnvVar,
  PodSecurityContext,
  ResourceRequirements,
  SecurityContext,
  Toleration,
} from "@homeostat/kubernetes/core/v1";
import type { NetworkPolicyPeer } from "@homeostat/kubernetes/networking/v1";
import type { Operator, OperatorSettings } from "../definition/operator.ts";
import { certificateSuffix } from "./names.ts";

/** Where the certificate of webhooks comes from. */
export type CertificateSource =
  /** The operator makes and renews it itself. */
  | "self-managed"
  /** cert-manager does. */
  | "cert-manager";

/** How an operator is installed. Everything has a default. */
export interface ManifestOptions {
  /** The name of this installation, for the case that there are several. Default: the operator's name. */
  readonly instance?: string | undefined;
  /** The namespace it runs in. Default: the name of the installation with `-system`. */
  readonly namespace?: string | undefined;
  /** Whether the namespace is among the manifests. Default: true. */
  readonly createNamespace?: boolean | undefined;
  /** The namespaces it works in. Default: all. */
  readonly watchNamespaces?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never" | undefined;
  readonly imagePullSecrets?: readonly string[] | undefined;
  /** How many of it run, of which one leads. Default: 2. */
  readonly replicas?: number | undefined;
  /** Whether they choose one that works. Without, only one may run. Default: true. */
  readonly leaderElection?: boolean | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly affinity?: Affinity | undefined;
  readonly priorityClassName?: string | undefined;
  /** The runtime of the operator's own pods. Default: the cluster's. */
  readonly runtimeClassName?: string | undefined;
  /** Default: nobody is root, and the runtime's own profile. */
  readonly podSecurityContext?: PodSecurityContext | undefined;
  /** Default: nothing may be gained, and no file be written. */
  readonly containerSecurityContext?: SecurityContext | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  /** More arguments for the program. */
  readonly args?: readonly string[] | undefined;
  /** On every object and on the pods. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** On every object. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly podLabels?: Readonly<Record<string, string>> | undefined;
  readonly podAnnotations?: Readonly<Record<string, string>> | undefined;
  /** The name of the service account. Default: that of the installation. */
  readonly serviceAccountName?: string | undefined;
  readonly serviceAccountAnnotations?: Readonly<Record<string, string>> | undefined;
  /** Whether webhooks are served, where the operator has some. Default: true. */
  readonly webhooks?: boolean | undefined;
  /** Default: self-managed. */
  readonly certificates?: CertificateSource | undefined;
  /** What happens to requests while no webhook can be reached. Default: `Fail`. */
  readonly webhookFailurePolicy?: "Fail" | "Ignore" | undefined;
  /** How long an API server waits for a webhook, 1 to 30 seconds. Default: 5. */
  readonly webhookTimeoutSeconds?: number | undefined;
  /** The Service through which API servers reach the webhooks. Default: the name of the installation with `-webhook`. */
  readonly webhookServiceName?: string | undefined;
  /** The Secret of the webhooks' certificates. Default: the name of the installation with `-webhook-certificates`. */
  readonly webhookSecretName?: string | undefined;
  /** The port of the pods that webhooks are served at. Default: 9443. */
  readonly webhookPort?: number | undefined;
  /**
   * A ConfigMap with `ca.crt`, the authorities that sign client certificates of API servers. Admission webhooks take requests
   * only from clients with such a certificate then. Default: from every client.
   */
  readonly webhookClientCaConfigMap?: string | undefined;
  /** The names of client certificates that may call admission webhooks. Default: all that the authorities signed. */
  readonly webhookClientNames?: readonly string[] | undefined;
  /** Whether metrics are served. Default: true. */
  readonly metrics?: boolean | undefined;
  /** The port that they are served at. Default: 8080. */
  readonly metricsPort?: number | undefined;
  /** Serves metrics over HTTPS, to accounts that may get `/metrics`. As a default of an operator, also that of its program. Default: false. */
  readonly metricsSecure?: boolean | undefined;
  /** A Secret with `tls.crt` and `tls.key` for that. Default: the operator makes a certificate, which nobody can check. */
  readonly metricsCertificateSecret?: string | undefined;
  /** Whether there is a Service for the metrics. Default: true. */
  readonly metricsService?: boolean | undefined;
  /** Installs a NetworkPolicy that limits which ports of the operator's pods can be reached. Default: true. */
  readonly networkPolicy?: boolean | undefined;
  /** The peers that may read metrics, as a NetworkPolicy names them. Default: all. */
  readonly metricsFrom?: readonly NetworkPolicyPeer[] | undefined;
  /** Limits outgoing connections by the NetworkPolicy as well: to DNS and to `egressPorts`. Default: false. */
  readonly limitEgress?: boolean | undefined;
  /** The ports of outgoing connections: those of the API server and of pods that the operator calls. Default: 443 and 6443. */
  readonly egressPorts?: readonly number[] | undefined;
  /** Whether pods may only be drained while others run. Default: true. */
  readonly disruptionBudget?: boolean | undefined;
  /** How many of them at a time. Default: 1. */
  readonly unavailableMax?: number | undefined;
  /** Whether there are roles for people, which the built-in roles view, edit and admin take up. Default: false. */
  readonly userRoles?: boolean | undefined;
  /** Which of the operator's extras are installed, by name. Default: as they say themselves. */
  readonly extras?: Readonly<Record<string, boolean>> | undefined;
  readonly logLevel?: string | undefined;
  /** How long running reconciles may take to end, in milliseconds. Default: 10,000. */
  readonly graceMs?: number | undefined;
  /** How long a pod may take to end, in seconds. Default: 30 more than that. */
  readonly terminationGraceSeconds?: number | undefined;
  /** Values of the operator's own flags, from which arguments and rights follow. */
  readonly settings?: OperatorSettings | undefined;
}

/** What an operator is installed with where nobody says anything else. */
export type InstallationDefaults = Pick<
  ManifestOptions,
  | "egressPorts"
  | "metrics"
  | "metricsPort"
  | "metricsSecure"
  | "namespace"
  | "resources"
  | "terminationGraceSeconds"
  | "webhookSecretName"
  | "webhookServiceName"
  | "webhookTimeoutSeconds"
>;

/** An installation with everything said. */
export interface Installation {
  readonly operator: Operator;
  readonly options: ManifestOptions;
  readonly instance: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The Service through which API servers reach the webhooks. */
  readonly webhookService: string;
  /** The Secret of the webhooks' certificates. */
  readonly certificateSecret: string;
  readonly watchNamespaces: readonly string[];
  readonly settings: OperatorSettings;
  /** How webhooks get their certificate; undefined where none are served. */
  readonly certificates: CertificateSource | undefined;
}

/** Fills in what was left out. */
export function installationOf(operator: Operator, given: ManifestOptions = {}): Installation {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: ManifestOptions = { ...operator.installation, ...said };
  const { instance = operator.name, settings = {} } = options;
  const { webhooks } = operator.parts(settings);
  const isServing = (options.webhooks ?? true) && (webhooks.length > 0 || operator.conversions.length > 0);
  return {
    operator,
    options,
    instance,
    settings,
    namespace: options.namespace ?? `${instance}-system`,
    serviceAccount: options.serviceAccountName ?? instance,
    webhookService: options.webhookServiceName ?? `${instance}-webhook`,
    certificateSecret: options.webhookSecretName ?? `${instance}${certificateSuffix}`,
    watchNamespaces: options.watchNamespaces ?? [],
    certificates: isServing ? (options.certificates ?? "self-managed") : undefined,
  };
}
