// Views of the objects in the cache.

import type { Service } from "@homeostat/kubernetes/core/v1";
import type { DeepReadonly } from "homeostat";
import type { Interception, PathMatch } from "@homeostat/routing";
import { annotations } from "../api/identity.ts";
import type { CachedLocalWorkload } from "../api/local-workload.ts";
import type { CachedRouteGroup } from "../api/route-group.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import { type TargetedService, viewService } from "../build/service-view.ts";
import type {
  EntryView,
  ExplicitRouteView,
  LocalWorkloadView,
  ObjectView,
  OverrideView,
  RouteGroupView,
  SandboxView,
  ServiceView,
} from "./views.ts";

/** Returns the view of a Sandbox. Forks and their Services come from the status, which the sandbox controller writes. */
export function sandboxView(sandbox: CachedSandbox): SandboxView {
  const { spec, status } = sandbox;
  const identity = identityOf(sandbox);
  const canSleep = spec.idle.startIdle || spec.idle.sleepAfterSeconds !== undefined;
  return {
    ...identity,
    metadataLabels: sandbox.metadata.labels ?? {},
    specLabels: spec.labels,
    routingKey: status.routingKey,
    priority: spec.priority,
    isDeleting: isDeleting(sandbox),
    isSuspended: spec.suspend,
    entries: spec.services.map((entry) => ({
      name: entry.name,
      mode: entry.mode,
      onUnavailable: entry.onUnavailable,
      // A request for a sleeping fork waits until the fork is awake, regardless of the handling of requests for a failed fork.
      holdSeconds: entry.onUnavailable === "Hold" || canSleep ? spec.idle.wakeTimeoutSeconds : undefined,
      overrides: overridesOf(
        status.services?.find(({ name }) => name === entry.name)?.services ?? [],
        entry.targetRef.namespace ?? identity.namespace,
      ),
    })),
    ...(spec.idle.sleepAfterSeconds === undefined ? {} : { sleepAfterSeconds: spec.idle.sleepAfterSeconds }),
    ...(sandbox.metadata.annotations?.[annotations.accessLog] === "true" ? { isLogged: true } : {}),
    faults: spec.faults.map(({ paths, ...fault }) => ({ ...fault, ...(paths && { paths: paths.map(pathOf) }) })),
  };
}

/** A Service of the baseline and the Service of the fork that replaces it. */
interface EntryService {
  readonly baseline: string;
  readonly fork?: string | undefined;
  readonly ports?: readonly { readonly port: number; readonly protocol: string; readonly routable: boolean }[];
}

/** Returns the Services of the baseline in a namespace that an entry overrides. */
export function overridesOf(services: readonly EntryService[], namespace: string): EntryView["overrides"] {
  return services.map(({ baseline, fork, ports }) => ({
    namespace,
    service: baseline,
    targetService: fork,
    ports: (ports ?? []).filter(({ routable, protocol }) => routable && protocol === "TCP").map(({ port }) => port),
  }));
}

/** Returns the view of a RouteGroup. */
export function routeGroupView(group: CachedRouteGroup): RouteGroupView {
  const { spec, status } = group;
  return {
    ...identityOf(group),
    match: spec.match,
    selector: spec.selector,
    routingKey: status.routingKey,
    routes: spec.routes.map(explicitRouteView),
    conflictPolicy: spec.conflictPolicy,
    isDeleting: isDeleting(group),
  };
}

function explicitRouteView(route: CachedRouteGroup["spec"]["routes"][number]): ExplicitRouteView {
  const { routingKey, targetSandbox, services, paths, methods, headers, percent, stickyBy, stickyHeader } = route;
  return {
    routingKey,
    targetSandbox,
    entries: services,
    match: { paths: paths?.map(pathOf), methods, headers },
    percent,
    stickyBy,
    stickyHeader,
    additionalHeaders: route.additionalHeaders,
  };
}

/**
 * Returns the view of a LocalWorkload. It has routes as soon as a machine has attached once: while the machine is disconnected
 * for a short time, requests wait or fail with a clear reason instead of reaching the baseline. The routes are removed after the
 * timeout.
 */
export function localWorkloadView(
  workload: CachedLocalWorkload,
  services: Iterable<TargetedService>,
): LocalWorkloadView {
  const { spec, status } = workload;
  return {
    ...identityOf(workload),
    sandbox: spec.sandboxRef.name,
    workload: spec.service.name,
    isDeleting: isDeleting(workload),
    isRouted: status.connection?.connectedAt !== undefined && status.phase !== "Failed",
    onUnavailable: spec.onUnavailable,
    holdSeconds: spec.connection.reconnectGraceSeconds,
    overrides: [...services].map((service) => localOverride(workload, service)),
  };
}

function localOverride(
  { spec, status }: CachedLocalWorkload,
  { namespace, name, ports }: TargetedService,
): OverrideView {
  const served = new Set(
    spec.service.ports.filter(({ appProtocol }) => appProtocol !== "tcp").map(({ containerPort }) => containerPort),
  );
  return {
    namespace,
    service: name,
    targetService: status.service,
    ports: ports.filter(({ containerPort }) => served.has(containerPort)).map(({ port }) => port),
  };
}

/** Returns the view of a Service of the baseline. */
export function serviceView(service: DeepReadonly<Service>, interception: Interception): ServiceView {
  const { metadata } = service;
  return {
    namespace: metadata?.namespace ?? "",
    name: metadata?.name ?? "",
    labels: metadata?.labels ?? {},
    // Uses the original ports, because the target ports of a Service that is taken over are those of the proxy.
    ports: viewService(service)
      .ports.filter(({ protocol = "TCP" }) => protocol === "TCP")
      .map(({ port, name, appProtocol, targetPort }) => ({ port, name, appProtocol, targetPort })),
    interception,
    ...(metadata?.annotations?.[annotations.restoreKeys] === "true" ? { restoresKeys: true } : {}),
  };
}

interface Identified {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly uid?: string | undefined;
    readonly creationTimestamp?: string | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
}

function identityOf({ metadata }: Identified): ObjectView {
  const { namespace = "", name = "", uid = "", creationTimestamp: createdAt = "" } = metadata;
  return { namespace, name, uid, createdAt };
}

function isDeleting({ metadata }: Identified): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The schema requires exactly one of the two fields. */
function pathOf({
  prefix,
  exact,
}: {
  readonly prefix?: string | undefined;
  readonly exact?: string | undefined;
}): PathMatch {
  return exact === undefined ? { prefix: prefix ?? "/" } : { exact };
}
