// The routing proxy as a sidecar: the container, and the pod with it.

import { restrictedContainerContext } from "@homeostat/core";
import type { Container, Pod, PodSpec, ResourceRequirements, Volume } from "@homeostat/kubernetes/core/v1";
import { annotations, labels } from "../api/identity.ts";
import { proxyName } from "../api/names.ts";
import {
  credentialsVolume,
  proxyArguments,
  proxyEnvironment,
  proxyFolders,
  type ProxyOptions,
} from "./proxy-objects.ts";
import {
  choosePorts,
  formatPorts,
  type HandedPort,
  isGuaranteed,
  parsePorts,
  renamePorts,
  type SkippedPort,
} from "./sidecar-ports.ts";

/** A pod with a sidecar, and the ports that it does not intercept; or the reason why the pod gets none. */
export type InjectedPod =
  | { readonly pod: Pod; readonly skipped: readonly SkippedPort[] }
  | { readonly refused: string };

/** Port of health and metrics. It differs from that of other proxies, because the ports of an application are in the same pod. */
const adminPort = 19_090;
const volumeNames = { credentials: "sandbox-proxy-credentials", snapshot: "sandbox-proxy-snapshot" };
/** Numeric user of the image. */
const nonRoot = 65_532;

/** Reports whether a pod asks for a sidecar. */
export function asksForSidecar({ metadata }: Pick<Pod, "metadata">): boolean {
  return metadata.annotations?.[annotations.inject] === "true";
}

/**
 * Returns a pod with the sidecar. If the pod already has it, only ports that other webhooks have added since are handed over, so a repeated call
 * changes nothing.
 */
export function injectSidecar(pod: Pod, options: Omit<ProxyOptions, "namespace">): InjectedPod {
  const { metadata, spec } = pod;
  const recorded = metadata.annotations?.[annotations.sidecarPorts];
  const present = spec.containers.find(({ name }) => name === proxyName);
  const refused = refusal(pod, spec) ?? (present !== undefined && recorded === undefined ? nameTaken : undefined);
  if (refused !== undefined) return { refused };
  const applications = spec.containers.filter(({ name }) => name !== proxyName);
  const before = present === undefined ? [] : parsePorts(recorded ?? "");
  const { handed, skipped } = choosePorts(applications, before);
  if (handed.length === 0) return { refused: "no container port with the protocol TCP has a name" };
  if (present !== undefined && handed.length === before.length) return { pod, skipped };
  const containers = applications.map((each) => renamePorts(each, handed));
  const sidecar = present === undefined ? container(spec, handed, options) : withPorts(present, handed);
  const notes = {
    ...metadata.annotations,
    [annotations.sidecarPorts]: formatPorts(handed),
    ...(skipped.length > 0 && { [annotations.sidecarSkipped]: skipped.map(skippedText).join("; ") }),
  };
  return {
    skipped,
    pod: {
      ...pod,
      metadata: { ...metadata, annotations: notes, labels: { ...metadata.labels, [labels.sidecar]: "true" } },
      spec: {
        ...spec,
        containers: [...containers, sidecar],
        volumes: [...(spec.volumes ?? []).filter(({ name }) => !ownVolumes.has(name)), ...volumes()],
      },
    },
  };
}

/** Returns the text of a port that the sidecar does not intercept. */
export function skippedText({ port, reason }: SkippedPort): string {
  return `${port}: ${reason}`;
}

const nameTaken = `a container has the name ${proxyName}`;
const ownVolumes: ReadonlySet<string> = new Set(Object.values(volumeNames));

/** Returns the reason why a pod gets no sidecar. */
function refusal({ metadata }: Pod, spec: PodSpec): string | undefined {
  if (metadata.labels?.[labels.fork] !== undefined) return "pods of forks receive requests by their key already";
  if (metadata.labels?.[labels.proxy] !== undefined) return "the pod is a routing proxy";
  if (spec.hostNetwork === true) return "the pod uses the host network";
  // The pod of a Job ends when all its containers have ended, which a proxy never does.
  if (spec.restartPolicy !== undefined && spec.restartPolicy !== "Always")
    return `its restartPolicy is ${spec.restartPolicy}, and the proxy would keep it from ending`;
  return spec.os?.name === "windows" ? "the proxy has no image for Windows" : undefined;
}

function container(spec: PodSpec, handed: readonly HandedPort[], options: Omit<ProxyOptions, "namespace">): Container {
  // Set explicitly: if the pod runs as root, the kubelet would refuse to start the proxy, which must not run as root.
  const isRoot = spec.securityContext?.runAsUser === 0;
  const sidecar: Container = {
    name: proxyName,
    image: options.image,
    args: [...proxyArguments(options, { role: "sidecar", adminPort }), portsArgument(handed)],
    env: proxyEnvironment(options),
    // Ready as soon as it listens. It waits at most 5 seconds for route tables, so it never prevents a pod from becoming ready.
    readinessProbe: { httpGet: { path: "/readyz", port: adminPort }, periodSeconds: 2, failureThreshold: 3 },
    livenessProbe: { httpGet: { path: "/healthz", port: adminPort }, periodSeconds: 10, failureThreshold: 3 },
    resources: resources(spec),
    securityContext: {
      ...restrictedContainerContext,
      capabilities: { drop: [...restrictedContainerContext.capabilities.drop] },
      seccompProfile: { type: "RuntimeDefault" },
      runAsNonRoot: true,
      readOnlyRootFilesystem: true,
      ...(isRoot && { runAsUser: nonRoot, runAsGroup: nonRoot }),
    },
    volumeMounts: [
      { name: volumeNames.credentials, mountPath: proxyFolders.credentials, readOnly: true },
      { name: volumeNames.snapshot, mountPath: proxyFolders.snapshot },
    ],
  };
  return withPorts(sidecar, handed);
}

/** Returns a sidecar with these ports. Other fields of a sidecar that exists stay: another webhook may have changed them. */
function withPorts(sidecar: Container, handed: readonly HandedPort[]): Container {
  const others = (sidecar.args ?? []).filter((word) => !word.startsWith(portsFlag));
  return {
    ...sidecar,
    args: [...others, portsArgument(handed)],
    ports: handed.map(({ name, listen }) => ({ name, containerPort: listen, protocol: "TCP" })),
  };
}

const portsFlag = "--application-ports=";

function portsArgument(handed: readonly HandedPort[]): string {
  return `${portsFlag}${formatPorts(handed)}`;
}

/** Returns the resources of the sidecar. A pod with the QoS class Guaranteed keeps it. */
function resources(spec: PodSpec): ResourceRequirements {
  const fixed = { cpu: "200m", memory: "256Mi" };
  return isGuaranteed(spec)
    ? { requests: { ...fixed }, limits: { ...fixed } }
    : { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "256Mi" } };
}

function volumes(): Volume[] {
  return [
    // Optional: the operator writes the CA when the namespace has its first route table, and a pod must not wait for that.
    credentialsVolume(volumeNames.credentials, { isCaOptional: true }),
    { name: volumeNames.snapshot, emptyDir: { sizeLimit: "64Mi" } },
  ];
}
