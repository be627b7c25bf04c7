import type { HealthCheck, HealthChecks } from "./health.ts";

/**
 * Post-start hooks of kube-apiserver, in the order in which its health endpoints list them. Here they have always
 * completed.
 */
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

const passing = (name: string): HealthCheck => ({ name, check: () => undefined });

const started: readonly HealthCheck[] = steps.flatMap((name) => [
  passing(`poststarthook/${name}`),
  ...(name === "kube-apiserver-autoregistration" ? [passing("autoregister-completion")] : []),
]);

const live: readonly HealthCheck[] = [
  ...["ping", "log", "loopback-serving-certificate", "etcd"].map(passing),
  ...started,
];

/**
 * Returns the health checks of a server, with the names of kube-apiserver: tools request single ones, such as
 * `/livez/etcd`.
 *
 * While the disk rejects writes, `/readyz` fails at `etcd-readiness` and `/readyz/etcd-readiness` reports the error.
 * `/livez` does not fail: reads and watches still work, and a restart would not free any space.
 */
export function serverChecks(store: { readonly writeFailure: Error | undefined }): HealthChecks {
  const readiness: HealthCheck = { name: "etcd-readiness", check: () => store.writeFailure?.message };
  return {
    healthz: live,
    livez: live,
    readyz: [
      ...["ping", "log", "etcd"].map(passing),
      readiness,
      passing("informer-sync"),
      ...started,
      passing("shutdown"),
    ],
  };
}
