// Services of the baseline as clients see them, even while they select the routing proxy.

import { isRecord, ownValue } from "@homeostat/core";
import type { DeepReadonly } from "homeostat";
import type { Service, ServicePort } from "@homeostat/kubernetes/core/v1";
import { annotations, fieldManager, labels } from "../api/identity.ts";
import { selectsPods } from "../api/pod-selector.ts";

/** A Service read from the cache. */
export type CachedService = DeepReadonly<Service>;

/** A Service with its original selector and target ports, even while it is taken over. */
export interface ServiceView {
  readonly name: string;
  readonly namespace: string;
  /** Empty if the Service selects no pods. */
  readonly selector: Readonly<Record<string, string>>;
  readonly ports: readonly DeepReadonly<ServicePort>[];
  readonly isHeadless: boolean;
  /** True for Services that the operator creates. */
  readonly isOurs: boolean;
  readonly spec: NonNullable<CachedService["spec"]>;
}

/** Selector and target ports of a Service before a proxy took it over. */
export interface OriginalService {
  readonly selector: Readonly<Record<string, string>>;
  /** Target ports by port of the Service, as text. */
  readonly targetPorts: Readonly<Record<string, string | number>>;
}

/** Returns the current selector and target ports of a Service. */
export function currentTargets({ spec = {} }: CachedService): OriginalService {
  const { selector = {}, ports = [] } = spec;
  const targetPorts = Object.fromEntries(ports.map(({ port, targetPort = port }) => [String(port), targetPort]));
  return { selector, targetPorts };
}

/** Returns the value of the annotation that records the original selector and target ports of a Service. */
export function formatOriginal(original: OriginalService): string {
  return JSON.stringify(original);
}

/** Returns the recorded original of a Service, or undefined if the annotation is missing or invalid. */
export function readOriginal({ metadata }: CachedService): OriginalService | undefined {
  const text = metadata.annotations?.[annotations.original];
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isRecord(value)) return undefined;
  const { selector, targetPorts = {} } = value;
  if (!isTextMap(selector) || !isPortMap(targetPorts)) return undefined;
  return { selector, targetPorts };
}

function isTextMap(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((each) => typeof each === "string");
}

function isPortMap(value: unknown): value is Record<string, string | number> {
  return isRecord(value) && Object.values(value).every((each) => typeof each === "string" || typeof each === "number");
}

/** Returns the view of a Service. */
export function viewService(service: CachedService): ServiceView {
  const { metadata, spec = {} } = service;
  const original = readOriginal(service);
  const { name = "", namespace = "" } = metadata;
  const ports = (spec.ports ?? []).map((port) => {
    const targetPort = original === undefined ? undefined : ownValue({ ...original.targetPorts }, String(port.port));
    return typeof targetPort === "string" || typeof targetPort === "number" ? { ...port, targetPort } : port;
  });
  return {
    name,
    namespace,
    // An API server ignores the selector of an ExternalName Service.
    selector: spec.type === "ExternalName" ? {} : (original?.selector ?? spec.selector ?? {}),
    ports,
    isHeadless: spec.clusterIP === "None",
    isOurs: metadata.labels?.[labels.managedBy] === fieldManager,
    spec,
  };
}

/** Returns the Services of users that select pods with these labels, sorted by name. */
export function servicesSelecting(
  services: readonly CachedService[],
  podLabels: Readonly<Record<string, string>>,
): ServiceView[] {
  return services
    .map(viewService)
    .filter((service) => !service.isOurs && selectsPods(service, podLabels))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A Service of the baseline with the container ports that it routes to. */
export interface TargetedService {
  readonly namespace: string;
  readonly name: string;
  /** TCP ports of the Service. Named target ports are resolved by the pod template of the baseline. */
  readonly ports: readonly { readonly port: number; readonly containerPort: number }[];
}
