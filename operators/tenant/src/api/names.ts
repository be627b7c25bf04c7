/** What the names of tenants' namespaces begin with. */
export const namespacePrefix = "tenant-";

/** The longest name of a tenant: what is made from it must fit the label of a StatefulSet's pods. */
export const nameLengthMax = 46;

/** What the name of a tenant looks like: it becomes part of a Service's name. */
export const namePattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$";

/** What is said about a name that cannot be a tenant's. */
export const nameProblem: string = `must have at most ${nameLengthMax} characters, lower-case, starting with a letter`;

/** The namespace of a tenant. */
export function namespaceOf(tenant: string): string {
  return `${namespacePrefix}${tenant}`;
}

/** The tenant that a namespace of this name belongs to; undefined when it can be nobody's. */
export function tenantOfNamespace(namespace: string): string | undefined {
  const isTenants = namespace.startsWith(namespacePrefix) && namespace.length > namespacePrefix.length;
  return isTenants ? namespace.slice(namespacePrefix.length) : undefined;
}

/** The names of what is made in a tenant's namespace. */
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

/** Where the server of a tenant answers within the cluster. */
export function serverUrl(tenant: string): string {
  return `http://${names.server(tenant)}.${namespaceOf(tenant)}.svc:3030`;
}
