/** Returns the key prefix of a resource, the same for all its versions: `core/pods/`, `apps/deployments/`. */
export function keyPrefix(group: string, plural: string): string {
  return `${group === "" ? "core" : group}/${plural}/`;
}

/** Returns the key of an object. The namespace is empty for cluster-scoped kinds. */
export function keyOf(prefix: string, namespace: string, name: string): string {
  return namespace === "" ? prefix + name : `${prefix}${namespace}/${name}`;
}

/** Returns the key prefix of a namespace; of all namespaces when it is empty. */
export function namespacePrefix(prefix: string, namespace: string): string {
  return namespace === "" ? prefix : `${prefix}${namespace}/`;
}

/** Returns the etcd key that kube-apiserver would use, which some of its messages contain. For a dry run it has no `/registry`. */
export function registryPath(
  {
    kind: { resource, registryPath: ownPath },
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
  const hasGroupPrefix = isCustom || group === "apiextensions.k8s.io" || group === "apiregistration.k8s.io";
  const path = hasGroupPrefix ? `${group}/${plural}` : (ownPath ?? plural);
  return `${isDryRun ? "" : "/registry"}/${keyOf(`${path}/`, namespace, name)}`;
}
