import {
  type DeepReadonly,
  formatKey,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  parseKey,
  type ResourceType,
} from "@homeostat/core";

/** Key and UID of the owner of an object. */
export interface Owner {
  readonly key: string;
  readonly uid: string;
}

/** Returns the controller owner of an object if it is of the given kind; undefined otherwise. */
export function ownerOf(
  type: ResourceType,
  { metadata: { ownerReferences = [], namespace } }: DeepReadonly<KubeObject>,
): Owner | undefined {
  return ownerAmong(type, ownerReferences, namespace);
}

/** Returns the controller owner among the owner references of an object in a namespace, if it is of the given kind. */
export function ownerAmong(
  type: ResourceType,
  owners: readonly DeepReadonly<OwnerReference>[],
  namespace: string | undefined,
): Owner | undefined {
  const owner = owners.find(({ controller }) => controller === true);
  if (owner === undefined || !isOfKind(type, owner)) return undefined;
  return { key: namespacedKey(type, { name: owner.name }, namespace), uid: owner.uid };
}

/**
 * Returns the key of an object of a kind, as given by a map function or an owner reference. A key without a namespace gets the given one if the
 * kind is namespaced. Throws a `ParseError` for an invalid key.
 */
export function namespacedKey(type: ResourceType, given: string | ObjectKey, namespace: string | undefined): string {
  const key = typeof given === "string" ? parseKey(given) : parseKey(formatKey(given));
  if (type.scope === "Cluster" || key.namespace !== undefined || namespace === undefined || namespace === "") {
    return formatKey(key);
  }
  return formatKey({ namespace, name: key.name });
}

/** Reports whether an owner reference is of a kind. Compares group and kind only: versions are representations of the same object. */
function isOfKind({ group, kind }: ResourceType, owner: DeepReadonly<OwnerReference>): boolean {
  return owner.kind === kind && owner.apiVersion.slice(0, owner.apiVersion.lastIndexOf("/") + 1) === prefixOf(group);
}

function prefixOf(group: string): string {
  return group === "" ? "" : `${group}/`;
}
