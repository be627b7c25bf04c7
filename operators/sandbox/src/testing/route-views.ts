// Views of routes for tests, with defaults for everything that a test does not mention.

import type {
  EntryView,
  ExplicitRouteView,
  LocalWorkloadView,
  OverrideView,
  RouteGroupView,
  SandboxView,
  ServiceView,
} from "../routes/views.ts";

const defaultNamespace = "shop";
const defaultTime = "2026-01-01T00:00:00Z";

/** Returns a sandbox that forks Services: `aSandbox("pr-42", { forks: ["cart"] })`. Its key is `key-<name>`. */
export function aSandbox(
  name: string,
  { forks = [], ...fields }: Partial<SandboxView> & { readonly forks?: readonly string[] } = {},
): SandboxView {
  const namespace = fields.namespace ?? defaultNamespace;
  return {
    namespace,
    name,
    uid: `uid-${name}`,
    createdAt: defaultTime,
    metadataLabels: {},
    specLabels: {},
    routingKey: `key-${name}`,
    priority: 0,
    isDeleting: false,
    isSuspended: false,
    entries: forks.map((service) =>
      anEntry(service, { overrides: [anOverride(service, { namespace, fork: `${name}-${service}` })] }),
    ),
    faults: [],
    ...fields,
  };
}

/** Returns an entry of a sandbox. */
export function anEntry(name: string, fields: Partial<EntryView> = {}): EntryView {
  return { name, mode: "Fork", onUnavailable: "Fail", holdSeconds: undefined, overrides: [], ...fields };
}

/** Returns an override of port 80 of a Service. */
export function anOverride(
  service: string,
  { fork, ...fields }: Partial<OverrideView> & { readonly fork?: string } = {},
): OverrideView {
  return { namespace: defaultNamespace, service, targetService: fork, ports: [80], ...fields };
}

/** Returns a LocalWorkload that serves a Service for a sandbox. */
export function aWorkload(
  name: string,
  { serves, ...fields }: Partial<LocalWorkloadView> & { readonly sandbox: string; readonly serves: string },
): LocalWorkloadView {
  const namespace = fields.namespace ?? defaultNamespace;
  return {
    namespace,
    name,
    uid: `uid-${name}`,
    createdAt: defaultTime,
    workload: serves,
    isDeleting: false,
    isRouted: true,
    onUnavailable: "Fail",
    holdSeconds: 5,
    overrides: [anOverride(serves, { namespace, fork: `tunnel-${name}` })],
    ...fields,
  };
}

/** Returns a group. Its key is `key-<name>`. */
export function aGroup(name: string, fields: Partial<RouteGroupView> = {}): RouteGroupView {
  return {
    namespace: defaultNamespace,
    name,
    uid: `uid-${name}`,
    createdAt: defaultTime,
    match: undefined,
    selector: undefined,
    routingKey: `key-${name}`,
    routes: [],
    conflictPolicy: "Oldest",
    isDeleting: false,
    ...fields,
  };
}

/** Returns an explicit route to a sandbox. */
export function aRoute(targetSandbox: string, fields: Partial<ExplicitRouteView> = {}): ExplicitRouteView {
  return {
    routingKey: undefined,
    targetSandbox,
    entries: undefined,
    match: undefined,
    percent: 100,
    stickyBy: "TraceId",
    stickyHeader: undefined,
    additionalHeaders: {},
    ...fields,
  };
}

/** Returns a Service with port 80. */
export function aService(name: string, fields: Partial<ServiceView> = {}): ServiceView {
  return {
    namespace: defaultNamespace,
    name,
    labels: {},
    ports: [{ port: 80, name: "http", appProtocol: "http" }],
    interception: "Takeover",
    ...fields,
  };
}
