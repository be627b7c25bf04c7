// The routing proxy of a namespace: a Deployment whose pods replace the endpoints of Services that are taken over.

import { isRecord, restrictedContainerContext, restrictedPodContext } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { Container, ContainerPort, EnvVar, PodSpec, Volume, VolumeMount } from "@homeostat/kubernetes/core/v1";
import type { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { fieldManager, labels, routeServerCaConfigMap } from "../api/identity.ts";
import { proxyName, routeServerName } from "../api/names.ts";
import { routeServerPorts } from "../settings/route-server-flags.ts";
import { proxySelector } from "./taken-over-service.ts";

export interface ProxyOptions {
  /** Namespace of the Services that are taken over. */
  readonly namespace: string;
  /** Namespace of the operator and the route server. */
  readonly systemNamespace: string;
  readonly image: string;
  /** Arguments of all roles, from the configuration. */
  readonly limitArguments?: readonly string[] | undefined;
  /** Variables of all roles, in addition to those of {@link proxyEnvironment}. */
  readonly environment?: readonly EnvVar[] | undefined;
}

/** Audience of the token that the route server requires. */
const audience = "sandbox-routes";
/** Folders of volumes in containers of the proxy. */
export const proxyFolders = { credentials: "/var/run/sandbox-proxy", snapshot: "/var/lib/sandbox-proxy" } as const;
const adminPort = 9090;

/** The kubelet renews the token after 80 % of this time. */
const tokenSeconds = 3_600;

/** The proxy stops accepting connections 5 s after it becomes unready, and then waits for open requests. */
const terminationSeconds = 60;

/** An object with a name, as server-side apply requires it. */
export type Named<T> = T & { readonly metadata: { readonly name: string } };

/** Builds the Deployment of the proxy. */
export function buildProxyDeployment(options: ProxyOptions): Named<Deployment> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: proxyName,
      namespace: options.namespace,
      labels: { [labels.managedBy]: fieldManager },
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: { ...proxySelector } },
      // A new pod must be ready before an old one stops.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: { ...proxySelector, app: proxyName } },
        spec: proxyPodSpec({ ...options, role: "takeover", selector: proxySelector }),
      },
    },
  };
}

/** Reports whether an object has all fields of the desired one. The API server and other clients may have added more. */
export function hasFields(actual: unknown, desired: unknown): boolean {
  if (Array.isArray(desired))
    return (
      Array.isArray(actual) &&
      actual.length === desired.length &&
      desired.every((each, index) => hasFields(actual[index], each))
    );
  if (!isRecord(desired)) return actual === desired;
  return isRecord(actual) && Object.entries(desired).every(([key, value]) => hasFields(actual[key], value));
}

/** Builds the PodDisruptionBudget of the proxy, owned by the Deployment. */
export function buildProxyBudget(namespace: string, deploymentUid: string): Named<PodDisruptionBudget> {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: {
      name: proxyName,
      namespace,
      labels: { [labels.managedBy]: fieldManager },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: proxyName, uid: deploymentUid }],
    },
    spec: { minAvailable: 1, selector: { matchLabels: { ...proxySelector } } },
  };
}

/** Flags of Node in containers of the proxy. */
const proxyNodeOptions = "--expose-gc --max-semi-space-size=16";

/** Options of the pods of a proxy. */
export interface ProxyPodOptions extends Omit<ProxyOptions, "namespace"> {
  readonly role: "takeover" | "gateway";
  /** Labels of the pods, which are spread over nodes. */
  readonly selector: Readonly<Record<string, string>>;
  readonly args?: readonly string[] | undefined;
  readonly ports?: readonly ContainerPort[] | undefined;
  readonly volumes?: readonly Volume[] | undefined;
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
}

/** Builds the pods of a proxy. */
export function proxyPodSpec(options: ProxyPodOptions): PodSpec {
  return {
    // No token for the API server: the proxy talks to the route server only.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: terminationSeconds,
    securityContext: { ...restrictedPodContext },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              topologyKey: "kubernetes.io/hostname",
              labelSelector: { matchLabels: { ...options.selector } },
            },
          },
        ],
      },
    },
    containers: [container(options)],
    volumes: [
      credentialsVolume("credentials"),
      { name: "snapshot", emptyDir: { sizeLimit: "64Mi" } },
      ...(options.volumes ?? []),
    ],
  };
}

/** Returns the volume with the token for the route server and its CA. */
export function credentialsVolume(
  name: string,
  { isCaOptional = false }: { readonly isCaOptional?: boolean } = {},
): Volume {
  const items = [{ key: "ca.crt", path: "ca.crt" }];
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { audience, expirationSeconds: tokenSeconds, path: "token" } },
        { configMap: { name: routeServerCaConfigMap, items, ...(isCaOptional && { optional: true }) } },
      ],
    },
  };
}

/** Returns the arguments of the proxy that all roles have. */
export function proxyArguments(
  { systemNamespace, limitArguments = [] }: Pick<ProxyOptions, "systemNamespace" | "limitArguments">,
  { role, adminPort: port }: { readonly role: "takeover" | "sidecar" | "gateway"; readonly adminPort: number },
): string[] {
  return [
    `--role=${role}`,
    `--route-server=https://${routeServerName}.${systemNamespace}.svc:${routeServerPorts.streams}`,
    `--token-file=${proxyFolders.credentials}/token`,
    `--ca-file=${proxyFolders.credentials}/ca.crt`,
    `--snapshot-file=${proxyFolders.snapshot}/tables.json`,
    `--admin-port=${port}`,
    ...limitArguments,
  ];
}

/**
 * Returns the environment of the proxy. The route server identifies it by the name of its pod.
 *
 * With `--expose-gc` the proxy returns memory to the system when it is idle. The young generation has the usual size of Node, whatever the limit of the
 * container is: a smaller one costs gRPC calls a sixth more CPU time. docs/reference/proxy-performance.md has the measurements.
 */
export function proxyEnvironment({ environment = [] }: Pick<ProxyOptions, "environment"> = {}): EnvVar[] {
  return [
    { name: "NODE_OPTIONS", value: proxyNodeOptions },
    { name: "SANDBOX_PROXY_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "SANDBOX_PROXY_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ...environment,
  ];
}

function container(options: ProxyPodOptions): Container {
  const { image, role, args = [], ports = [], volumeMounts = [] } = options;
  const probe = (path: string) => ({ httpGet: { path, port: adminPort } });
  return {
    name: "proxy",
    image,
    args: [...proxyArguments(options, { role, adminPort }), ...args],
    env: proxyEnvironment(options),
    ports: [{ name: "admin", containerPort: adminPort }, ...ports],
    readinessProbe: { ...probe("/readyz"), periodSeconds: 2, failureThreshold: 2 },
    livenessProbe: { ...probe("/healthz"), periodSeconds: 10, failureThreshold: 3 },
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
    securityContext: {
      ...restrictedContainerContext,
      capabilities: { drop: [...restrictedContainerContext.capabilities.drop] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [
      { name: "credentials", mountPath: proxyFolders.credentials, readOnly: true },
      { name: "snapshot", mountPath: proxyFolders.snapshot },
      ...volumeMounts,
    ],
  };
}
