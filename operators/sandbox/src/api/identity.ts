// Names that identify this operator to the API server, other controllers and users.

/** The API group, and the prefix of all labels, annotations and finalizers. No other file repeats it. */
export const group = "sandbox.example.com";
export const version = "v1alpha1";
export const apiVersion = `${group}/${version}` as const;

/** The prefix of labels and annotations of the operator. Users cannot set labels under it through `spec.labels`. */
export const keyPrefix = `${group}/` as const;

/** The field manager of all writes except those of a status. */
export const fieldManager = "sandbox-operator";

/** The field manager of Services that are taken over, and of the objects that a takeover needs. */
export const takeoverFieldManager = "sandbox-operator-takeover";

/** The field manager of status writes. */
export const statusFieldManager = "sandbox-operator-status";

/** The namespace of the operator, the route server, the gateway and the tunnel server. */
export const systemNamespace = "sandbox-system";

/** Namespaces that can never be used as a baseline, whatever their policies and labels say. */
export const forbiddenNamespaces: readonly string[] = [
  "kube-system",
  "kube-public",
  "kube-node-lease",
  systemNamespace,
];

/** The ConfigMap with the configuration, which is reloaded when it changes, and its key. */
export const configMapName = "sandbox-config";
export const configKey = "config.yaml";

/** The Secret with the CA and the serving certificate of the route server, and the ConfigMaps with the CA for proxies. */
export const routeServerSecret = "sandbox-ca";
export const routeServerCaConfigMap = "sandbox-route-server-ca";

/** The Secret with the CA and the serving certificate of the tunnel server, and the ConfigMap with the CA. */
export const tunnelSecret = "sandbox-tunnel-tls";
export const tunnelCaConfigMap = "sandbox-tunnel-ca";

/** The Secret with the keys of preview tokens, and the ConfigMap with their public parts; and the key of both. */
export const previewKeysName = "sandbox-preview-keys";
export const previewKeysKey = "keys.json";

/** The Secret with the certificate of the preview domain, which the platform team creates. */
export const gatewayTlsSecret = "sandbox-gateway-tls";

export const finalizers = {
  sandbox: `${keyPrefix}sandbox-cleanup`,
  routeGroup: `${keyPrefix}routegroup-cleanup`,
  localWorkload: `${keyPrefix}localworkload-cleanup`,
  /** On RouteTables: the Service is taken over and must be restored before the table is deleted. */
  takeover: `${keyPrefix}takeover`,
} as const;

export const labels = {
  managedBy: "app.kubernetes.io/managed-by",
  /** Name of the sandbox of an object. */
  sandbox: `${keyPrefix}sandbox`,
  /** UID of the sandbox of an object. Cleanup selects by it. */
  sandboxUid: `${keyPrefix}sandbox-uid`,
  /** Name of the entry of `spec.services` that an object belongs to. */
  workload: `${keyPrefix}workload`,
  routingKey: `${keyPrefix}routing-key`,
  /** On pods of forks: the name of the fork. The only label that selectors of forks and fork Services use. */
  fork: `${keyPrefix}fork`,
  /** On pods of the routing proxy: selected by Services that are taken over. */
  proxy: `${keyPrefix}proxy`,
  /** On pods: "true" if the webhook has added the proxy sidecar. */
  sidecar: `${keyPrefix}sidecar`,
  /** On namespaces, set by users: the namespace may be used as a baseline although it has no SandboxPolicy. */
  enabled: `${keyPrefix}enabled`,
} as const;

export const annotations = {
  /** On Sandboxes, RouteGroups, LocalWorkloads and PreviewLinks: the user who created the object, as JSON. Written and guarded by the webhook. */
  createdBy: `${keyPrefix}created-by`,
  /** On forks: the hash of the derived pod template. */
  templateHash: `${keyPrefix}template-hash`,
  /** On Services that are taken over: their former selector and target ports, as JSON. */
  original: `${keyPrefix}original`,
  /** On Sandboxes, set by users: "true" lets proxies log the requests of the sandbox. */
  accessLog: `${keyPrefix}access-log`,
  /** On Services, set by users: "true" restores the routing key of requests without one from earlier requests of their trace. */
  restoreKeys: `${keyPrefix}restore-keys`,
  /** On Services: overrides how their traffic reaches the routing proxy. */
  interception: `${keyPrefix}interception`,
  /** On Services, RFC 3339: the operator does not take the Service over before this time. Written when a Service is restored in an emergency. */
  holdUntil: `${keyPrefix}hold-until`,
  /** On Services that are taken over again after a revert, RFC 3339: the time of that revert, copied from the status of the RouteTable. */
  lastRevert: `${keyPrefix}last-revert`,
  /** On Services, set by users: "true" allows a takeover although `externalTrafficPolicy: Local` keeps the addresses of clients. */
  allowTakeover: `${keyPrefix}allow-takeover`,
  /** On Deployments of the routing proxy, RFC 3339: the time since which no Service of the namespace needs it. */
  unusedSince: `${keyPrefix}unused-since`,
  /** On pod templates, set by users: adds the proxy sidecar. */
  inject: `${keyPrefix}inject`,
  /** On pods with a sidecar: the ports that it intercepts, as `name=port:listener`. */
  sidecarPorts: `${keyPrefix}sidecar-ports`,
  /** On pods with a sidecar: the ports that it does not intercept, with the reasons. */
  sidecarSkipped: `${keyPrefix}sidecar-skipped-ports`,
  /** On VirtualServices, set by users: the mesh renderer does not change the object. */
  ignore: `${keyPrefix}ignore`,
  /** On Sandboxes, set by users: requests a rebase to this generation of the baseline. */
  rebase: `${keyPrefix}rebase`,
  /** On Sandboxes, set by users: "true" removes the finalizer even if objects remain. */
  forceDelete: `${keyPrefix}force-delete`,
  /** On rendered mesh routes: the version of the route table they were rendered from. */
  sourceVersion: `${keyPrefix}source-version`,
  /** On probe routes: the time at which the probe was created. */
  probedAt: `${keyPrefix}probed-at`,
} as const;

/** The virtual subresource and verb that permit a user to fork workloads without permission to create Deployments. */
export const forkAccess = { resource: "sandboxes", subresource: "targets", verb: "fork" } as const;

/** Label selector for watches on objects that the operator creates. */
export const managedSelector: Readonly<Record<string, string>> = { [labels.managedBy]: fieldManager };

/**
 * The category of all kinds: `kubectl get sandboxing`. It is not `sandbox`: kubectl takes a category before the singular name of a kind, and
 * `kubectl get sandbox NAME` would fail.
 */
export const category = "sandboxing";
