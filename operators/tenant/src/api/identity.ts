export const group = "neurallog.io";

export const apiVersion = "neurallog.io/v1";

export const kind = "Tenant";

/** Delays the deletion of a tenant until its namespace is deleted. */
export const finalizer = "tenant.neurallog.io/finalizer";

/** The finalizer of the operator that this one replaces. It is replaced by `finalizer`. */
export const legacyFinalizer = "neurallog.io/finalizer";

/** The field manager, and the value of the label `app.kubernetes.io/managed-by`. */
export const fieldManager = "neurallog-tenant-operator";

/** The value of the label `neurallog.io/managed-by`, which the watches of children select by. */
export const manager = "tenant-operator";

export const eventSource = "tenant-controller";

/** Labels of the objects of a tenant. */
export const labels = {
  tenant: "neurallog.io/tenant",
  managedBy: "neurallog.io/managed-by",
  component: "neurallog.io/component",
  /** On workloads and their pods; selectors use it. */
  app: "app",
  /** On network policies: `default` or `custom`. */
  policy: "neurallog.io/policy",
} as const;

/** Annotations of tenants and of their objects. */
export const annotations = {
  /** On every object: the uid of its tenant. */
  tenantUid: "neurallog.io/tenant-uid",
  /** On every object: the digest of the desired object. */
  desiredHash: "neurallog.io/desired-hash",
  /** On Redis pods: the digest of redis.conf. */
  configChecksum: "neurallog.io/config-checksum",
  /** On Redis pods: the digest of the ACL file. */
  aclChecksum: "neurallog.io/acl-checksum",
  /** On server pods: the digest of password and URL of Redis. */
  credentialsChecksum: "neurallog.io/credentials-checksum",
  /** On a namespace, set by a user: consent to adoption by the tenant of this name. */
  allowAdoption: "neurallog.io/allow-adoption",
  /**
   * On a Secret in the operator's namespace, set by a user: comma-separated names of the tenants that may use it as
   * `security.authSecret`. Wildcards are not supported: they would share the Secret with tenants that do not exist yet.
   */
  sharedWithTenants: "neurallog.io/shared-with-tenants",
  /** On a namespace: it was adopted and is never deleted. */
  adopted: "neurallog.io/adopted",
  /** On a namespace: the keys of `namespaceMetadata` that were set. */
  managedKeys: "neurallog.io/managed-keys",
  /** On the Redis Secret: the state of the password rotation. */
  rotationToken: "neurallog.io/rotation-token",
  rotationStep: "neurallog.io/rotation-step",
  rotationStepAt: "neurallog.io/rotation-step-at",
  rotatedAt: "neurallog.io/rotated-at",
  /** On a tenant, set by a user: a new value requests a password rotation. */
  rotate: "tenant.neurallog.io/rotate-redis-password",
  /** On a tenant, set by a user: a new value requests a reconcile. */
  reconcileAt: "tenant.neurallog.io/reconcile-at",
} as const;

export type Component = "redis" | "server" | "network-policy" | "quota" | "access";

export const ports = { server: 3030, redis: 6379, exporter: 9121 } as const;
