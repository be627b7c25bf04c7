import type { DeepReadonly } from "@homeostat/core";
import type { Deployment, DeploymentStrategy } from "@homeostat/kubernetes/apps/v1";
import type {
  Container,
  PodTemplateSpec,
  Probe,
  Service,
  TopologySpreadConstraint,
} from "@homeostat/kubernetes/core/v1";
import { annotations, ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { credentialsChecksum } from "./redis-secret.ts";
import type { Wanted, WantedProbe, WantedServer } from "./resolved-tenant.ts";
import { type Made, metadataOf, selectorOf, workloadLabels } from "./objects.ts";
import { podBasics, scrapeAnnotations } from "./pods.ts";
import { serverEnv } from "./server-env.ts";
import type { Situation } from "./situation.ts";

/** The Service by which the server is reached. */
export function serverService(wanted: Wanted): Made<Service> {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(wanted, { name: names.server(wanted.name), component: "server" }),
    spec: {
      type: "ClusterIP",
      selector: selectorOf(wanted, "server"),
      ports: [{ name: "http", protocol: "TCP", port: ports.server, targetPort: "http" }],
    },
  };
}

/** The server. Undefined while the password of Redis is not known: without it no pod could start. */
export function serverDeployment(wanted: Wanted, situation: Situation): Made<Deployment> | undefined {
  if (situation.auth.at === "waiting") return undefined;
  const metadata = metadataOf(wanted, { name: names.server(wanted.name), component: "server" });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, labels: workloadLabels(wanted, "server") },
    spec: {
      replicas: situation.replicas.server,
      strategy: strategyOf(wanted.server),
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 5,
      selector: { matchLabels: selectorOf(wanted, "server") },
      template: podTemplate(wanted, situation),
    },
  };
}

function strategyOf({ strategy }: WantedServer): DeepReadonly<DeploymentStrategy> {
  if (strategy.type === "Recreate") return { type: "Recreate" };
  const { maxUnavailable, maxSurge } = strategy;
  return { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } };
}

function podTemplate(wanted: Wanted, { auth }: Situation): DeepReadonly<PodTemplateSpec> {
  const { server, redis } = wanted;
  const { runAsUser, runAsGroup, fsGroup, runAsNonRoot } = server.security;
  const credentials = auth.at === "known" ? auth.credentials : undefined;
  return {
    metadata: {
      labels: workloadLabels(wanted, "server"),
      annotations: {
        [annotations.credentialsChecksum]: credentialsChecksum(credentials, redis),
        ...scrapeAnnotations(server.scrape),
      },
    },
    spec: {
      ...podBasics(server, names.server(wanted.name)),
      securityContext: { runAsNonRoot, runAsUser, runAsGroup, fsGroup, seccompProfile: { type: "RuntimeDefault" } },
      ...(server.replicas > 1 && { topologySpreadConstraints: [spread(wanted)] }),
      containers: [container(wanted)],
      volumes: [
        { name: "tmp-volume", emptyDir: {} },
        { name: "logs", emptyDir: {} },
      ],
    },
  };
}

function container(wanted: Wanted): DeepReadonly<Container> {
  const { server } = wanted;
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, runAsNonRoot, drop } = server.security;
  const { liveness, readiness, startup } = server.probes;
  return {
    name: "server",
    image: server.image,
    imagePullPolicy: server.imagePullPolicy,
    ports: [{ name: "http", containerPort: ports.server, protocol: "TCP" }],
    env: serverEnv(wanted),
    resources: server.resources,
    securityContext: { allowPrivilegeEscalation, readOnlyRootFilesystem, runAsNonRoot, capabilities: { drop } },
    livenessProbe: probeOf(liveness),
    readinessProbe: probeOf(readiness),
    ...(startup !== undefined && { startupProbe: probeOf(startup) }),
    volumeMounts: [
      { name: "tmp-volume", mountPath: "/tmp" },
      // The server keeps its log files below its working folder, and would crash where it cannot write.
      { name: "logs", mountPath: "/app/logs" },
    ],
  };
}

function probeOf({ path, port, ...times }: WantedProbe): DeepReadonly<Probe> {
  return { httpGet: { path, port }, ...times };
}

/** Rather on different machines, so that the loss of one does not take all. */
function spread(wanted: Wanted): DeepReadonly<TopologySpreadConstraint> {
  return {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: selectorOf(wanted, "server") },
  };
}
