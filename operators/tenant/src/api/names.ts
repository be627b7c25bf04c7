/** The prefix of every tenant namespace. */
export const namespacePrefix = "tenant-";

/** The longest name of a tenant: `<name>-redis-<hash>` must fit a label of the StatefulSet's pods. */
export const nameLengthMax = 46;

/** The name becomes the start of a Service's name, so it starts with a letter. */
export const namePattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$";

export const nameProblem: string = `must be at most ${nameLengthMax} lower-case letters, digits and dashes, start with a letter and end with a letter or digit`;

export function namespaceOf(tenant: string): string {
  return `${namespacePrefix}${tenant}`;
}

/** Returns the name of the tenant that a namespace belongs to by its name; undefined without the prefix. */
export function tenantOfNamespace(namespace: string): string | undefined {
  const isTenants = namespace.startsWith(namespacePrefix) && namespace.length > namespacePrefix.length;
  return isTenants ? namespace.slice(namespacePrefix.length) : undefined;
}

/** The names of the objects in a tenant's namespace. */
export const names = {
  /** StatefulSet, Service, ServiceAccount and disruption budget of Redis. */
  redis: (tenant: string): string => `${tenant}-redis`,
  redisConfig: (tenant: string): string => `${tenant}-redis-config`,
  redisAuth: (tenant: string): string => `${tenant}-redis-auth`,
  /** Deployment, Service, ServiceAccount and disruption budget of the server. */
  server: (tenant: string): string => `${tenant}-server`,
  quota: "tenant-quota",
  limits: "tenant-limits",
} as const;

/** Returns the URL of a tenant's server within the cluster. */
export function serverUrl(tenant: string): string {
  return `http://${names.server(tenant)}.${namespaceOf(tenant)}.svc:3030`;
}

/** Returns the message about a namespace that the tenant needs and does not own. */
export function namespaceConflict(tenant: string): string {
  return `namespace "${namespaceOf(tenant)}" already exists and is not owned by this Tenant`;
}
