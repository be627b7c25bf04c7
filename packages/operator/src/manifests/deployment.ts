import { restrictedContainerContext, restrictedPodContext } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import type {
  Container,
  ContainerPort,
  PodSecurityContext,
  PodSpec,
  ResourceRequirements,
  SecurityContext,
  Volume,
  VolumeMount,
} from "@homeostat/kubernetes/core/v1";
import { argumentsOf } from "../flags/read-flags.ts";
import { labelsOf, metadataOf, selectorLabels } from "./metadata.ts";
import {
  certificateFolder,
  clientCaFile,
  clientCaFolder,
  drainSeconds,
  metricsCertificateFolder,
  ports,
  readyPath,
  webhookReadyPath,
} from "../installation/names.ts";
import type { ManifestOptions } from "../installation/options.ts";
import type { Installation } from "../definition/installation.ts";
import { singlePorts } from "../installation/program-ports.ts";

/** There is no CPU limit: a throttled leader can fail to renew its Lease in time and lose it. */
export const defaultResources: ResourceRequirements = {
  limits: { memory: "512Mi" },
  requests: { cpu: "50m", memory: "128Mi" },
};

/** The default security context of the pods: no root user, and the seccomp profile of the container runtime. */
export const defaultPodSecurity: PodSecurityContext = restrictedPodContext;

/** The default security context of the container: no privilege escalation, no capabilities, a read-only root file system. */
export const defaultContainerSecurity: SecurityContext = {
  ...restrictedContainerContext,
  capabilities: { drop: [...restrictedContainerContext.capabilities.drop] },
  readOnlyRootFilesystem: true,
};

/**
 * The default of `NODE_OPTIONS`. With `--expose-gc` the manager can trigger a garbage collection once it is idle after a burst of work,
 * which returns memory to the system. An `env` entry for `NODE_OPTIONS` replaces it.
 */
export const nodeOptions = "--expose-gc";

/**
 * Added to the grace period of reconciles: the time to abort reconciles that did not finish, to stop services, to write the last
 * events and to release the Lease. A manager needs at most 27 seconds for these, and usually one.
 */
const graceMarginSeconds = 30;

/** Returns the termination grace period of the pod in seconds for a grace period of reconciles in milliseconds. */
export function terminationSeconds(graceMs = 10_000): number {
  return Math.ceil(graceMs / 1000) + graceMarginSeconds;
}

/** Returns the Deployment of an installation. With the default options its pods meet the Pod Security Standard `restricted`. */
export function deploymentManifest(installation: Installation): Deployment {
  const { instance, namespace, options } = installation;
  const { replicas = 2, podLabels = {}, podAnnotations = {} } = options;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(installation, { name: instance, namespace }),
    spec: {
      replicas,
      selector: { matchLabels: selectorLabels(installation) },
      template: {
        metadata: {
          labels: { ...labelsOf(installation), ...podLabels },
          ...(Object.keys(podAnnotations).length === 0 ? {} : { annotations: { ...podAnnotations } }),
        },
        spec: podSpec(installation),
      },
    },
  };
}

function podSpec(installation: Installation): PodSpec {
  const { options, serviceAccount } = installation;
  const { imagePullSecrets = [], nodeSelector = {}, tolerations = [], affinity, priorityClassName } = options;
  const { runtimeClassName, podSecurityContext = defaultPodSecurity } = options;
  const volumes = filesOf(installation).map(({ name, source }): Volume => ({ name, ...source }));
  return {
    serviceAccountName: serviceAccount,
    automountServiceAccountToken: true,
    terminationGracePeriodSeconds: options.terminationGraceSeconds ?? terminationSeconds(options.graceMs),
    securityContext: podSecurityContext,
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector: { ...nodeSelector } }),
    ...(tolerations.length === 0 ? {} : { tolerations: [...tolerations] }),
    ...(affinity === undefined ? {} : { affinity }),
    // ScheduleAnyway: replicas on one node do not survive its loss, but are better than a pending replica.
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: selectorLabels(installation) },
      },
    ],
    containers: [container(installation)],
    ...(volumes.length === 0 ? {} : { volumes }),
  };
}

/** Returns the mounted files that the program reads: externally issued certificates, the CAs of clients, and Secrets. */
function filesOf({
  certificateSecret,
  certificates,
  options,
}: Installation): { readonly name: string; readonly source: Omit<Volume, "name">; readonly mountPath: string }[] {
  const { metrics = true, metricsSecure = false, metricsCertificateSecret, webhookClientCaConfigMap } = options;
  const { secretFiles = [] } = options;
  const secret = (secretName: string): Omit<Volume, "name"> => ({ secret: { secretName } });
  return [
    ...(certificates === "cert-manager"
      ? [{ name: "webhook-certificates", source: secret(certificateSecret), mountPath: certificateFolder }]
      : []),
    ...(certificates !== undefined && webhookClientCaConfigMap !== undefined
      ? [
          {
            name: "webhook-client-ca",
            source: { configMap: { name: webhookClientCaConfigMap } },
            mountPath: clientCaFolder,
          },
        ]
      : []),
    ...(metrics && metricsSecure && metricsCertificateSecret !== undefined
      ? [
          {
            name: "metrics-certificates",
            source: secret(metricsCertificateSecret),
            mountPath: metricsCertificateFolder,
          },
        ]
      : []),
    ...secretFiles.map(({ name, secret: secretName, keys, mountPath, isOptional = false }) => {
      const items = keys.map((key) => ({ key, path: key }));
      return { name, source: { secret: { secretName, items, ...(isOptional ? { optional: true } : {}) } }, mountPath };
    }),
  ];
}

function container(installation: Installation): Container {
  const { operator, options, certificates } = installation;
  const { image = operator.image, imagePullPolicy, resources = defaultResources, env = [] } = options;
  const { containerSecurityContext = defaultContainerSecurity, metrics = true } = options;
  const { metricsPort = ports.metrics, webhookPort = ports.webhook, servicePorts = [], podAddress = false } = options;
  const mounts = filesOf(installation).map(({ name, mountPath }): VolumeMount => ({
    name,
    mountPath,
    readOnly: true,
  }));
  const port = (name: string, containerPort: number): ContainerPort => ({ name, containerPort, protocol: "TCP" });
  return {
    name: "operator",
    image,
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    args: argsOf(installation),
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      ...(podAddress ? [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }] : []),
      ...(env.some(({ name }) => name === "NODE_OPTIONS") ? [] : [{ name: "NODE_OPTIONS", value: nodeOptions }]),
      ...env,
    ],
    ports: [
      ...(metrics ? [port("metrics", metricsPort)] : []),
      port("health", ports.health),
      ...(certificates === undefined ? [] : [port("webhook", webhookPort)]),
      ...singlePorts(servicePorts).map((each) => port(each.name, each.port)),
    ],
    livenessProbe: { httpGet: { path: "/healthz", port: "health" }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: {
      httpGet: { path: certificates === undefined ? readyPath : webhookReadyPath, port: "health" },
      initialDelaySeconds: 2,
      periodSeconds: 5,
    },
    resources,
    securityContext: containerSecurityContext,
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

/** Returns the command line arguments of the container. */
function argsOf({ operator, instance, options, watchNamespaces, certificates, settings }: Installation): string[] {
  const { graceMs, logLevel, args = [], leaderElection = true, webhookPort = ports.webhook } = options;
  const isWithoutWebhooks = options.webhooks === false;
  return [
    `--leader-elect=${leaderElection}`,
    ...metricsArgs(options),
    `--health-probe-bind-address=:${ports.health}`,
    `--log-level=${logLevel ?? "info"}`,
    `--grace=${Math.ceil((graceMs ?? 10_000) / 1000)}s`,
    ...(certificates === undefined ? [] : [`--drain=${drainSeconds}s`]),
    ...(instance === operator.name ? [] : [`--instance=${instance}`]),
    ...(watchNamespaces.length === 0 ? [] : [`--watch-namespaces=${watchNamespaces.join(",")}`]),
    // Always explicit if the operator has webhooks, since the default of the program may differ.
    ...(certificates === undefined ? (isWithoutWebhooks ? ["--no-webhooks"] : []) : ["--webhooks"]),
    ...(certificates === undefined || webhookPort === ports.webhook ? [] : [`--webhook-port=${webhookPort}`]),
    ...(certificates === "cert-manager" ? [`--webhook-cert-dir=${certificateFolder}`] : []),
    ...(certificates === undefined ? [] : clientArgs(options)),
    ...argumentsOf(operator.flags, settings),
    ...args,
  ];
}

function clientArgs({ webhookClientCaConfigMap, webhookClientNames = [] }: ManifestOptions): string[] {
  if (webhookClientCaConfigMap === undefined) return [];
  return [
    `--webhook-client-ca=${clientCaFolder}/${clientCaFile}`,
    ...(webhookClientNames.length === 0 ? [] : [`--webhook-client-names=${webhookClientNames.join(",")}`]),
  ];
}

// --metrics-secure is always explicit, since its default depends on the operator.
function metricsArgs({
  metrics = true,
  metricsPort = ports.metrics,
  metricsSecure = false,
  metricsCertificateSecret,
}: ManifestOptions): string[] {
  if (!metrics) return ["--metrics-bind-address=0"];
  return [
    `--metrics-bind-address=:${metricsPort}`,
    `--metrics-secure=${metricsSecure}`,
    ...(metricsSecure && metricsCertificateSecret !== undefined
      ? [`--metrics-cert-dir=${metricsCertificateFolder}`]
      : []),
  ];
}
