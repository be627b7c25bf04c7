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
} from "./names.ts";
import type { Installation, ManifestOptions } from "./options.ts";

/** No limit on processor time: a process that is held up while it leads loses its lease. */
export const defaultResources: ResourceRequirements = {
  limits: { memory: "512Mi" },
  requests: { cpu: "50m", memory: "128Mi" },
};

/** Nobody is root in the pods of an operator. */
export const defaultPodSecurity: PodSecurityContext = {
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Its container can gain nothing and writes no file. */
export const defaultContainerSecurity: SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
};

/**
 * What Node is started with: a manager may ask for a collection then, and gives memory back once it has come to rest. An
 * environment that sets `NODE_OPTIONS` itself says what holds instead.
 */
export const nodeOptions = "--expose-gc";

/**
 * How much longer a pod is given than the program gives its reconciles: for breaking off what did not end, for services,
 * for the last events and for giving up the lease. A manager needs 27 seconds for these at the very most, and usually one.
 */
const graceMarginSeconds = 30;

/** How long a pod may take to end, in seconds, given what reconciles may take. */
export function terminationSeconds(graceMs = 10_000): number {
  return Math.ceil(graceMs / 1000) + graceMarginSeconds;
}

/** The Deployment of an installation; its pods are within the pod security standard `restricted`. */
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
    // Replicas on one node are no help when that node goes, but better than none.
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

/** Files that the program reads: certificates that are made externally, and the authorities of clients. */
function filesOf({
  certificateSecret,
  certificates,
  options,
}: Installation): { readonly name: string; readonly source: Omit<Volume, "name">; readonly mountPath: string }[] {
  const { metrics = true, metricsSecure = false, metricsCertificateSecret, webhookClientCaConfigMap } = options;
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
  ];
}

function container(installation: Installation): Container {
  const { operator, options, certificates } = installation;
  const { image = operator.image, imagePullPolicy, resources = defaultResources, env = [] } = options;
  const { containerSecurityContext = defaultContainerSecurity, metrics = true } = options;
  const { metricsPort = ports.metrics, webhookPort = ports.webhook } = options;
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
      ...(env.some(({ name }) => name === "NODE_OPTIONS") ? [] : [{ name: "NODE_OPTIONS", value: nodeOptions }]),
      ...env,
    ],
    ports: [
      ...(metrics ? [port("metrics", metricsPort)] : []),
      port("health", ports.health),
      ...(certificates === undefined ? [] : [port("webhook", webhookPort)]),
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

/** The arguments of the program in its pod. */
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
    // Said either way where there are some: what a program does by itself is for it to say.
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

// Said either way too, as some programs serve metrics over HTTPS by themselves.
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
