import {
  type DeepReadonly,
  formatApiVersion,
  type KubeObject,
  type OwnerReference,
  type ResourceType,
  type Stored,
} from "@homeostat/core";

/** A controlling object and its type. */
export interface Controlling {
  readonly type: Pick<ResourceType, "group" | "version" | "kind">;
  readonly object: Stored<KubeObject>;
}

/** Builds the owner reference of a controller. */
export function controllerReference({ type, object }: Controlling): OwnerReference {
  const { name, uid } = object.metadata;
  return { apiVersion: formatApiVersion(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Returns the owner reference with `controller: true`; undefined when there is none. */
export function controllerOf({ metadata }: DeepReadonly<KubeObject>): DeepReadonly<OwnerReference> | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/**
 * Returns the value of the index `controller`: the uid of the controller, or a value for the orphans of the
 * namespace.
 */
export function controllerIndex(object: DeepReadonly<KubeObject>): string {
  return controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace ?? "");
}

/**
 * Returns the value of the index `controller` under which the objects without a controller of a namespace are found.
 */
export function orphansOf(namespace: string): string {
  return `orphans of ${namespace}`;
}

/** Returns the key of the controller of an object if it has the given type. */
export function controllerKey(
  type: Pick<ResourceType, "group" | "version" | "kind">,
  object: DeepReadonly<KubeObject>,
): string | undefined {
  const owner = controllerOf(object);
  if (owner?.kind !== type.kind || owner.apiVersion !== formatApiVersion(type)) return undefined;
  return `${object.metadata.namespace ?? ""}/${owner.name}`;
}
