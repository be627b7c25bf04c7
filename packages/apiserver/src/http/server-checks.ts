import type { HealthCheck, HealthChecks } from "./health.ts";

/** Steps that a real server takes once it listens, in the order in which it tells of them. This one has taken them by then. */
const steps: readonly string[] = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "aggregator-reload-proxy-client-cert",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
  "apiservice-openapi-controller",
  "apiservice-openapiv3-controller",
];

const well = (name: string): HealthCheck => ({ name, check: () => undefined });

const started: readonly HealthCheck[] = steps.flatMap((name) => [
  well(`poststarthook/${name}`),
  ...(name === "kube-apiserver-autoregistration" ? [well("autoregister-completion")] : []),
]);

const live: readonly HealthCheck[] = [...["ping", "log", "loopback-serving-certificate", "etcd"].map(well), ...started];

/** What a whole server tells of its health, by the names of the real one: tools ask for single ones, such as `/livez/etcd`. */
export const serverChecks: HealthChecks = {
  healthz: live,
  livez: live,
  readyz: [...["ping", "log", "etcd", "etcd-readiness", "informer-sync"].map(well), ...started, well("shutdown")],
};
