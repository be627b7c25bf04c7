/** The API group of tenants. */
export const group = "neurallog.io";

/** The only version. */
export const apiVersion = "neurallog.io/v1";

/** The kind of tenants. */
export const kind = "Tenant";

/** Keeps a deleted tenant until its namespace is gone. */
export const finalizer = "tenant.neurallog.io/finalizer";

/** The finalizer of the operator that this one takes the place of: replaced by ours where it is met. */
export const legacyFinalizer = "neurallog.io/finalizer";

/** Who writes: the field manager, and what `app.kubernetes.io/managed-by` says. */
export const fieldManager = "neurallog-tenant-operator";

/** What the label `neurallog.io/managed-by` says; the watches of children ask for it. */
export const manager = "tenant-operator";

/** What reports events. */
export const eventSource = "tenant-controller";

/** Labels of what is made for a tenant. */
export const labels = {
  tenant: "neurallog.io/tenant",
  managedBy: "neurallog.io/managed-by",
  component: "neurallog.io/component",
  /** Only on workloads and their pods; selectors use it. */
  app: "app",
  /** Only on network policies: `default` or `custom`. */
  policy: "neurallog.io/policy",
} as const;

/** Annotations with a meaning, on tenants and on what is made for them. */
export const annotations = {
  /** On everything made: the uid of the tenant it was made for. */
  tenantUid: "neurallog.io/tenant-uid",
  /** On everything made: what the whole of it was to be, as a digest. */
  desiredHash: "neurallog.io/desired-hash",
  /** On the pods of Redis: its configuration, as a digest. */
  configChecksum: "neurallog.io/config-checksum",
  /** On the pods of Redis: its users, as a digest. */
  aclChecksum: "neurallog.io/acl-checksum",
  /** On the pods of the server: password and address of Redis, as a digest. */
  credentialsChecksum: "neurallog.io/credentials-checksum",
  /** On a namespace, by a person: may be taken over by the tenant of this name. */
  allowAdoption: "neurallog.io/allow-adoption",
  /** On a namespace: was taken over, and is never deleted. */
  adopted: "neurallog.io/adopted",
  /** On a namespace: the keys of `namespaceMetadata` that were set so far. */
  managedKeys: "neurallog.io/managed-keys",
  /** On the Secret of Redis: how far the change of the password is. */
  rotationToken: "neurallog.io/rotation-token",
  rotationStep: "neurallog.io/rotation-step",
  /** On the Secret of Redis: since when it is there. */
  rotationStepAt: "neurallog.io/rotation-step-at",
  rotatedAt: "neurallog.io/rotated-at",
  /** On a tenant, by a person: any new value asks for a new password. */
  rotate: "tenant.neurallog.io/rotate-redis-password",
  /** On a tenant, by a person: any new value asks for a pass. */
  reconcileAt: "tenant.neurallog.io/reconcile-at",
} as const;

/** What a part of a tenant is for. */
export type Component = "redis" | "server" | "network-policy" | "quota" | "access";

/** The ports that tenants use. */
export const ports = { server: 3030, redis: 6379, exporter: 9121 } as const;
