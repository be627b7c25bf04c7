import {
  type DeepReadonly,
  formatKey,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  parseKey,
  type ResourceType,
} from "@homeostat/core";

/** Whom an object belongs to. */
export interface Owner {
  readonly key: string;
  readonly uid: string;
}

/** The controller of an object, when it is of a kind: its key and uid. */
export function ownerOf(
  type: ResourceType,
  { metadata: { ownerReferences = [], namespace } }: DeepReadonly<KubeObject>,
): Owner | undefined {
  return ownerAmong(type, ownerReferences, namespace);
}

/** The same, from what an object in a namespace says of its owners. */
export function ownerAmong(
  type: ResourceType,
  owners: readonly DeepReadonly<OwnerReference>[],
  namespace: string | undefined,
): Owner | undefined {
  const owner = owners.find(({ controller }) => controller === true);
  if (owner === undefined || !isOfKind(type, owner)) return undefined;
  return { key: placedKey(type, { name: owner.name }, namespace), uid: owner.uid };
}

/**
 * The key of an object of a kind, from what a map function returns: where the kind has namespaces and the key names none,
 * the namespace at hand is meant. Throws a `ParseError` for what is no key.
 */
export function placedKey(type: ResourceType, given: string | ObjectKey, namespace: string | undefined): string {
  const key = typeof given === "string" ? parseKey(given) : parseKey(formatKey(given));
  if (type.scope === "Cluster" || key.namespace !== undefined || namespace === undefined || namespace === "") {
    return formatKey(key);
  }
  return formatKey({ namespace, name: key.name });
}

/** Group and kind alone: versions are views of the same object. */
function isOfKind({ group, kind }: ResourceType, owner: DeepReadonly<OwnerReference>): boolean {
  return owner.kind === kind && owner.apiVersion.slice(0, owner.apiVersion.lastIndexOf("/") + 1) === prefixOf(group);
}

function prefixOf(group: string): string {
  return group === "" ? "" : `${group}/`;
}
