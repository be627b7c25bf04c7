/** What the keys of a resource's objects begin with, in every version: `core/pods/`, `apps/deployments/`. */
export function keyPrefix(group: string, plural: string): string {
  return `${group === "" ? "core" : group}/${plural}/`;
}

/** The key of one object below its prefix. The namespace is empty for kinds without one. */
export function keyOf(prefix: string, namespace: string, name: string): string {
  return namespace === "" ? prefix + name : `${prefix}${namespace}/${name}`;
}

/** The prefix of all objects of a namespace; of all objects when it is empty. */
export function namespacePrefix(prefix: string, namespace: string): string {
  return namespace === "" ? prefix : `${prefix}${namespace}/`;
}
