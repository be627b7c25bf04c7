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

/** The key of an object in the storage of the real server, which some of its messages give away. A dry run stops before the storage. */
export function registryPath(
  {
    kind: { resource, registryPath: place },
    namespace,
    name,
  }: {
    readonly kind: {
      readonly registryPath?: string;
      readonly resource: { readonly group: string; readonly plural: string; readonly isCustom: boolean };
    };
    readonly namespace: string;
    readonly name: string;
  },
  { isDryRun }: { readonly isDryRun: boolean },
): string {
  const { group, plural, isCustom } = resource;
  const isApart = isCustom || group === "apiextensions.k8s.io" || group === "apiregistration.k8s.io";
  const path = isApart ? `${group}/${plural}` : (place ?? plural);
  return `${isDryRun ? "" : "/registry"}/${keyOf(`${path}/`, namespace, name)}`;
}
