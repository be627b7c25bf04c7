// The log server: Service, Deployment and environment.

import type { DeepReadonly } from "homeostat";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import type {
  Container,
  EnvVar,
  PodTemplateSpec,
  Probe,
  Service,
  TopologySpreadConstraint,
} from "@homeostat/kubernetes/core/v1";
import { annotations, ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Decisions } from "./desired-children.ts";
import {
  type ChildObject,
  fromRedisSecret,
  metadataOf,
  podBasics,
  scrapeAnnotations,
  selectorOf,
  workloadLabels,
} from "./objects.ts";
import { credentialsChecksum, redisUrl } from "./redis-secret.ts";
import type { ResolvedServer, ResolvedTenant } from "./resolve.ts";

export function serverService(resolved: ResolvedTenant): ChildObject<Service> {
  return {
    metadata: metadataOf(resolved, { name: names.server(resolved.name), component: "server" }),
    spec: {
      type: "ClusterIP",
      selector: selectorOf(resolved, "server"),
      ports: [{ name: "http", protocol: "TCP", port: ports.server, targetPort: "http" }],
    },
  };
}

/** Builds the Deployment; undefined while the password of Redis is unknown, because no pod could start. */
export function serverDeployment(
  resolved: ResolvedTenant,
  { auth, replicas }: Decisions,
): ChildObject<Deployment> | undefined {
  if (auth.state === "waiting") return undefined;
  const metadata = metadataOf(resolved, { name: names.server(resolved.name), component: "server" });
  return {
    metadata: { ...metadata, labels: workloadLabels(resolved, "server") },
    spec: {
      replicas: replicas.server,
      strategy: resolved.server.strategy,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 5,
      selector: { matchLabels: selectorOf(resolved, "server") },
      template: podTemplate(resolved, auth),
    },
  };
}

function podTemplate(resolved: ResolvedTenant, auth: Decisions["auth"]): DeepReadonly<PodTemplateSpec> {
  const { server, redis } = resolved;
  const { runAsUser, runAsGroup, fsGroup, runAsNonRoot } = server.security;
  const credentials = auth.state === "known" ? auth.credentials : undefined;
  return {
    metadata: {
      labels: workloadLabels(resolved, "server"),
      annotations: {
        [annotations.credentialsChecksum]: credentialsChecksum(credentials, redis),
        ...scrapeAnnotations(server.scrape),
      },
    },
    spec: {
      ...podBasics(server, names.server(resolved.name)),
      securityContext: { runAsNonRoot, runAsUser, runAsGroup, fsGroup, seccompProfile: { type: "RuntimeDefault" } },
      ...(server.replicas > 1 && { topologySpreadConstraints: [spreadOverNodes(resolved)] }),
      containers: [container(resolved)],
      volumes: [
        { name: "tmp-volume", emptyDir: {} },
        { name: "logs", emptyDir: {} },
      ],
    },
  };
}

function container(resolved: ResolvedTenant): DeepReadonly<Container> {
  const { server } = resolved;
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, runAsNonRoot, drop } = server.security;
  const { liveness, readiness, startup } = server.probes;
  return {
    name: "server",
    image: server.image,
    imagePullPolicy: server.imagePullPolicy,
    ports: [{ name: "http", containerPort: ports.server, protocol: "TCP" }],
    env: serverEnv(resolved),
    resources: server.resources,
    securityContext: { allowPrivilegeEscalation, readOnlyRootFilesystem, runAsNonRoot, capabilities: { drop } },
    livenessProbe: probeOf(liveness),
    readinessProbe: probeOf(readiness),
    ...(startup !== undefined && { startupProbe: probeOf(startup) }),
    volumeMounts: [
      { name: "tmp-volume", mountPath: "/tmp" },
      // The server writes log files below its working directory and crashes when it cannot.
      { name: "logs", mountPath: "/app/logs" },
    ],
  };
}

/** Returns the operator's variables, each replaced in place by a user's variable of the same name, then the other user variables. */
export function serverEnv(resolved: ResolvedTenant): DeepReadonly<EnvVar>[] {
  const users = new Map(resolved.server.env.map((variable) => [variable.name, variable]));
  const own = operatorEnv(resolved);
  const ownNames = new Set(own.map(({ name }) => name));
  return [
    ...own.map((variable) => users.get(variable.name) ?? variable),
    ...[...users.values()].filter(({ name }) => !ownNames.has(name)),
  ];
}

function operatorEnv(resolved: ResolvedTenant): DeepReadonly<EnvVar>[] {
  const { name, redis, server } = resolved;
  return [
    { name: "NODE_ENV", value: "production" },
    { name: "PORT", value: String(ports.server) },
    { name: "TENANT_ID", value: name },
    { name: "LOG_LEVEL", value: server.logLevel },
    // Without it the server keeps everything in memory.
    { name: "STORAGE_TYPE", value: "redis" },
    { name: "REDIS_HOST", value: redis.host },
    { name: "REDIS_PORT", value: String(ports.redis) },
    { name: "REDIS_DB", value: "0" },
    ...(redis.security === undefined
      ? [{ name: "REDIS_URL", value: redisUrl(redis.host) }]
      : [fromRedisSecret(resolved, "REDIS_PASSWORD", "clientPassword"), fromRedisSecret(resolved, "REDIS_URL", "url")]),
    ...(server.authUrl === undefined ? [] : [{ name: "AUTH_URL", value: server.authUrl }]),
  ];
}

function probeOf({ path, port, ...times }: ResolvedServer["probes"]["liveness"]): DeepReadonly<Probe> {
  return { httpGet: { path, port }, ...times };
}

function spreadOverNodes(resolved: ResolvedTenant): DeepReadonly<TopologySpreadConstraint> {
  return {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: selectorOf(resolved, "server") },
  };
}
