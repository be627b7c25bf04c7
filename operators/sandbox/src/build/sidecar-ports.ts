// The ports of a pod that its sidecar takes over from the application.
//
// A Service finds the port of a pod by name. The port `p` of the application is therefore renamed, and the sidecar gets a port with the
// name `p`: requests for `p` reach the sidecar without any privilege. A port without a name is found by its number, which only the
// application can have.

import type { Container, ContainerPort, PodSpec } from "@homeostat/kubernetes/core/v1";
import { hash8 } from "../api/names.ts";

/** A named port of the application that the sidecar intercepts. */
export interface HandedPort {
  /** Name that the port of the application had, and that the port of the sidecar has now. */
  readonly name: string;
  /** Port of the application. */
  readonly port: number;
  /** Port of the sidecar. */
  readonly listen: number;
}

/** A port of the application that the sidecar does not intercept. */
export interface SkippedPort {
  readonly port: number;
  readonly reason: string;
}

/** The first port that a sidecar listens on. */
const firstListener = 19_100;
/** Kubernetes limits the names of ports to 15 characters. */
const portNameMax = 15;
const prefix = "sbx-";
const portPattern = /^([a-z0-9-]{1,15})=(\d{1,5}):(\d{1,5})$/;

/** Chooses the ports to hand over: TCP ports with a name that no other port of the pod has. Ports that are handed over already stay. */
export function choosePorts(
  containers: readonly Container[],
  present: readonly HandedPort[],
): { readonly handed: readonly HandedPort[]; readonly skipped: readonly SkippedPort[] } {
  const ports = containers.flatMap(({ ports: own = [] }) => own);
  const used = new Set([...ports.map(({ containerPort }) => containerPort), ...present.map(({ listen }) => listen)]);
  const renamed = new Set(present.map(({ name }) => renamedPort(name)));
  const handed = [...present];
  const skipped: SkippedPort[] = [];
  let next = firstListener;
  for (const { name, containerPort: port, protocol = "TCP" } of ports) {
    if (protocol !== "TCP" || (name !== undefined && renamed.has(name))) continue;
    const reason = name === undefined ? "it has no name" : nameProblem(name, ports);
    if (name === undefined || reason !== undefined) {
      skipped.push({ port, reason: reason ?? "" });
      continue;
    }
    while (used.has(next)) next += 1;
    used.add(next);
    handed.push({ name, port, listen: next });
  }
  return { handed, skipped };
}

function nameProblem(name: string, ports: readonly ContainerPort[]): string | undefined {
  const isShared = ports.filter((each) => each.name === name).length > 1;
  if (isShared) return `another port also has the name ${name}`;
  const other = renamedPort(name);
  return ports.some((each) => each.name === other) ? `another port has the name ${other}` : undefined;
}

/** Returns the new name of a port of the application: `sbx-p`, and a shortened one with a hash if that would be too long. */
export function renamedPort(name: string): string {
  const whole = `${prefix}${name}`;
  if (whole.length <= portNameMax) return whole;
  // Port names must not contain `--` or end with a dash.
  const short = name.slice(0, 6).replace(/-+$/, "");
  return `${prefix}${short}-${hash8([name]).slice(0, 4)}`;
}

/** Returns a container whose ports have their new names. Probes and hooks that name a port still reach the application. */
export function renamePorts(container: Container, handed: readonly HandedPort[]): Container {
  const names = new Set(handed.map(({ name }) => name));
  const own = new Set(
    (container.ports ?? []).flatMap(({ name }) => (name !== undefined && names.has(name) ? [name] : [])),
  );
  if (own.size === 0) return container;
  const portOf = (port: number | string): number | string =>
    typeof port === "string" && own.has(port) ? renamedPort(port) : port;
  const action = <T extends Action>(given: T): T => ({
    ...given,
    ...(given.httpGet && { httpGet: { ...given.httpGet, port: portOf(given.httpGet.port) } }),
    ...(given.tcpSocket && { tcpSocket: { ...given.tcpSocket, port: portOf(given.tcpSocket.port) } }),
  });
  const { livenessProbe, readinessProbe, startupProbe, lifecycle, ports = [] } = container;
  return {
    ...container,
    ports: ports.map((port) =>
      port.name !== undefined && own.has(port.name) ? { ...port, name: renamedPort(port.name) } : port,
    ),
    ...(livenessProbe && { livenessProbe: action(livenessProbe) }),
    ...(readinessProbe && { readinessProbe: action(readinessProbe) }),
    ...(startupProbe && { startupProbe: action(startupProbe) }),
    ...(lifecycle && {
      lifecycle: {
        ...lifecycle,
        ...(lifecycle.postStart && { postStart: action(lifecycle.postStart) }),
        ...(lifecycle.preStop && { preStop: action(lifecycle.preStop) }),
      },
    }),
  };
}

/** Fields of probes and lifecycle hooks that name a port of the container. */
type Action = Pick<NonNullable<Container["livenessProbe"]>, "httpGet" | "tcpSocket">;

/** Returns ports as the proxy reads them, and as the annotation of the pod records them: `http=8080:19100`. */
export function formatPorts(ports: readonly HandedPort[]): string {
  return ports.map(({ name, port, listen }) => `${name}=${port}:${listen}`).join(",");
}

/** Reads recorded ports. Malformed parts are ignored. */
export function parsePorts(text: string): readonly HandedPort[] {
  return text.split(",").flatMap((part) => {
    const [, name, port, listen] = portPattern.exec(part) ?? [];
    return name === undefined ? [] : [{ name, port: Number(port), listen: Number(listen) }];
  });
}

/** Reports whether all containers have equal requests and limits. Adding a container without them would change the QoS class of the pod. */
export function isGuaranteed({ containers }: PodSpec): boolean {
  return containers.every(({ resources: { requests = {}, limits = {} } = {} }) =>
    ["cpu", "memory"].every((name) => {
      const limit = limits[name];
      return limit !== undefined && (requests[name] ?? limit) === limit;
    }),
  );
}
