import type { DeepReadonly } from "homeostat";
import type {
  Container,
  ContainerPort,
  PodTemplateSpec,
  Probe,
  Volume,
  VolumeMount,
} from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import type { Component } from "../api/identity.ts";
import { labels, memberLabels } from "../api/labels.ts";
import { type Color, dataVolume, mainPorts, names, ports } from "../api/names.ts";
import { configHash, dataFolder, type FileInput } from "./config-files.ts";
import { configFolder, environment, gcsFolder, tlsFolder } from "./environment.ts";
import type { ResolvedCluster } from "./resolve.ts";
import { scheduling } from "./scheduling.ts";

/** Inputs of pod templates that are not part of the spec. */
export interface PodInput extends Pick<FileInput, "members"> {
  /** Digests of the Secrets of each component; undefined for a component that uses none. */
  readonly secretHashes: Readonly<Partial<Record<Component, string>>>;
  /** Number of zones of the nodes; undefined if unknown. */
  readonly zones?: number | undefined;
}

const mainPortNames: Readonly<Record<Component, string>> = { controller: "grpc", ingest: "kafka", search: "grpc" };

/** Delay before the process of a terminating pod is stopped, in which load balancers remove the pod. */
const preStopSeconds = 5;

/** Mode of key files: readable for the group of the pod only. */
const secretMode = 0o440;

/** Builds the pod template of a component. */
export function podTemplate(
  resolved: ResolvedCluster,
  component: Component,
  input: PodInput,
  color?: Color,
): DeepReadonly<PodTemplateSpec> {
  const { graceSeconds, pullSecrets, annotations: given, labels: own, restart } = resolved.components[component];
  const { network, security, name } = resolved;
  const dnsPolicy = network.dnsPolicy ?? (network.hostNetwork ? "ClusterFirstWithHostNet" : undefined);
  const secretHash = input.secretHashes[component];
  return {
    metadata: {
      labels: {
        ...own,
        ...memberLabels(name, component),
        ...(color !== undefined && { [labels.color]: color }),
      },
      annotations: {
        [annotations.configHash]: configHash(resolved, component, input),
        ...(secretHash !== undefined && { [annotations.secretHash]: secretHash }),
        ...(restart !== undefined && { [annotations.restart]: restart }),
        ...(resolved.monitoring.prometheus && {
          "prometheus.io/scrape": "true",
          "prometheus.io/port": String(ports.metrics),
          "prometheus.io/path": "/metrics",
        }),
        ...given,
      },
    },
    spec: {
      serviceAccountName: names.component(name, component),
      automountServiceAccountToken: security.automountToken,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: graceSeconds,
      securityContext: security.pod,
      ...(network.hostNetwork && { hostNetwork: true }),
      ...(dnsPolicy !== undefined && { dnsPolicy }),
      ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })) }),
      ...scheduling(resolved, component, input.zones),
      containers: [container(resolved, component)],
      volumes: volumes(resolved, component),
    },
  };
}

function container(resolved: ResolvedCluster, component: Component): DeepReadonly<Container> {
  const { image, pullPolicy, command, args, resources, probes, graceSeconds } = resolved.components[component];
  // The API server rejects a hook that takes longer than the grace period.
  const seconds = Math.min(preStopSeconds, graceSeconds);
  return {
    name: component,
    image,
    ...(pullPolicy !== undefined && { imagePullPolicy: pullPolicy }),
    ...(command.length > 0 && { command }),
    ...(args.length > 0 && { args }),
    ports: containerPorts(component, resolved.network),
    env: environment(resolved, component),
    ...(resources !== undefined && {
      resources: {
        requests: { cpu: resources.cpu, memory: resources.memory },
        ...((resources.cpuLimit !== undefined || resources.memoryLimit !== undefined) && {
          limits: {
            ...(resources.cpuLimit !== undefined && { cpu: resources.cpuLimit }),
            ...(resources.memoryLimit !== undefined && { memory: resources.memoryLimit }),
          },
        }),
      },
    }),
    startupProbe: probe(component, probes, "startup"),
    livenessProbe: probe(component, probes, "liveness"),
    readinessProbe: probe(component, probes, "readiness"),
    ...(component !== "controller" && { lifecycle: { preStop: { sleep: { seconds } } } }),
    securityContext: resolved.security.container,
    volumeMounts: mounts(resolved, component),
  };
}

function containerPorts(
  component: Component,
  { hostNetwork }: Pick<ResolvedCluster["network"], "hostNetwork">,
): DeepReadonly<ContainerPort>[] {
  const port = (name: string, containerPort: number): DeepReadonly<ContainerPort> => ({
    name,
    containerPort,
    // The scheduler keeps pods with the same ports apart only if the template names them.
    ...(hostNetwork && { hostPort: containerPort }),
    protocol: "TCP",
  });
  return [
    port(mainPortNames[component], mainPorts[component]),
    ...(component === "search" ? [port("rest", ports.rest)] : []),
    port("metrics", ports.metrics),
    port("health", ports.health),
  ];
}

type Probes = ResolvedCluster["components"][Component]["probes"];

function probe(component: Component, probes: Probes, which: "startup" | "liveness" | "readiness"): DeepReadonly<Probe> {
  const path = which === "readiness" ? "/readyz" : "/healthz";
  const { initialDelaySeconds, ...times } = probes[which];
  return {
    ...(probes.isTcp ? { tcpSocket: { port: mainPortNames[component] } } : { httpGet: { path, port: "health" } }),
    // The API server drops zeros. A desired object with one would always differ from the live object.
    ...(initialDelaySeconds > 0 && { initialDelaySeconds }),
    ...times,
  };
}

function volumes({ name, security, storage }: ResolvedCluster, component: Component): DeepReadonly<Volume>[] {
  const { tls } = security;
  const gcsSecret = usesGcs(component) ? storage.gcs?.credentialsSecret : undefined;
  return [
    {
      name: "config",
      projected: {
        sources: [names.config(name), names.componentConfig(name, component)].map((each) => ({
          configMap: { name: each },
        })),
      },
    },
    ...(component === "search" ? [searchVolume(storage)] : []),
    { name: "scratch", emptyDir: {} },
    ...(tls === undefined ? [] : [{ name: "tls", secret: { secretName: tls.secret, defaultMode: secretMode } }]),
    ...(gcsSecret === undefined ? [] : [{ name: "gcs", secret: { secretName: gcsSecret, defaultMode: secretMode } }]),
  ];
}

function searchVolume({ search, storageClass }: ResolvedCluster["storage"]): DeepReadonly<Volume> {
  if (search.medium === "emptyDir") return { name: dataVolume, emptyDir: { sizeLimit: search.size } };
  return {
    name: dataVolume,
    ephemeral: {
      volumeClaimTemplate: {
        spec: {
          accessModes: ["ReadWriteOnce"],
          ...(storageClass !== undefined && { storageClassName: storageClass }),
          resources: { requests: { storage: search.size } },
        },
      },
    },
  };
}

function mounts({ security, storage }: ResolvedCluster, component: Component): DeepReadonly<VolumeMount>[] {
  const hasGcsSecret = usesGcs(component) && storage.gcs?.credentialsSecret !== undefined;
  return [
    { name: "config", mountPath: configFolder, readOnly: true },
    { name: dataVolume, mountPath: dataFolder },
    { name: "scratch", mountPath: "/tmp" },
    ...(security.tls === undefined ? [] : [{ name: "tls", mountPath: tlsFolder, readOnly: true }]),
    ...(hasGcsSecret ? [{ name: "gcs", mountPath: gcsFolder, readOnly: true }] : []),
  ];
}

function usesGcs(component: Component): boolean {
  return component !== "controller";
}
