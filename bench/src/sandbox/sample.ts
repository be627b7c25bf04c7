import type { RouteGroupView, SandboxView, ServiceView } from "@homeostat/sandbox-operator/internal";

const namespace = "shop";
const createdAt = "2026-01-01T00:00:00Z";

/** Returns a sandbox that forks Services. */
export function sampleSandbox(n: number, services: readonly string[]): SandboxView {
  const name = `pr-${n}`;
  return {
    namespace,
    name,
    uid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    createdAt,
    metadataLabels: {},
    specLabels: { feature: `feature-${Math.floor(n / 10)}`, team: `team-${n % 7}` },
    routingKey: `k${String(n).padStart(12, "0")}`,
    priority: 0,
    isDeleting: false,
    isSuspended: false,
    entries: services.map((service) => ({
      name: service,
      mode: "Fork",
      onUnavailable: "Fail",
      holdSeconds: undefined,
      overrides: [{ namespace, service, targetService: `${name}-${service}-1a2b3c4d`, ports: [80, 9090] }],
    })),
    faults: [],
  };
}

/** Returns a group of the ten sandboxes of one feature. */
export function sampleGroup(n: number): RouteGroupView {
  return {
    namespace,
    name: `feature-${n}`,
    uid: `group-${n}`,
    createdAt,
    match: { all: [{ label: { key: "feature", value: `feature-${n}` } }, { label: { key: "team", value: "team-*" } }] },
    selector: undefined,
    routingKey: `g${String(n).padStart(12, "0")}`,
    routes: [],
    conflictPolicy: "Oldest",
    isDeleting: false,
  };
}

/** Returns a Service with two ports. */
export function sampleService(name: string): ServiceView {
  const ports = [
    { port: 80, name: "http", appProtocol: "http" },
    { port: 9090, name: "grpc", appProtocol: "grpc" },
  ];
  return { namespace, name, labels: {}, ports, interception: "Takeover" };
}
