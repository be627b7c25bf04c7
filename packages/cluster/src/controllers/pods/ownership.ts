import {
  type DeepReadonly,
  formatApiVersion,
  type KubeObject,
  type OwnerReference,
  type ResourceType,
  type Stored,
} from "@homeostat/core";

/** An owner: its kind, and its name and uid. */
export interface Controlling {
  readonly type: Pick<ResourceType, "group" | "version" | "kind">;
  readonly object: Stored<KubeObject>;
}

/** The reference that makes an object the controller of another. */
export function controllerReference({ type, object }: Controlling): OwnerReference {
  const { name, uid } = object.metadata;
  return { apiVersion: formatApiVersion(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The controller that an object names. */
export function controllerOf({ metadata }: DeepReadonly<KubeObject>): DeepReadonly<OwnerReference> | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Under which value of the index `controller` an object is found: the uid of its controller, or that it has none. */
export function controllerIndex(object: DeepReadonly<KubeObject>): string {
  return controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace ?? "");
}

/** Under which value of the index `controller` the objects of a namespace are found that have no controller. */
export function orphansOf(namespace: string): string {
  return `orphans of ${namespace}`;
}

/** The key of the controller of an object, when that is of a kind. */
export function controllerKey(
  type: Pick<ResourceType, "group" | "version" | "kind">,
  object: DeepReadonly<KubeObject>,
): string | undefined {
  const owner = controllerOf(object);
  if (owner?.kind !== type.kind || owner.apiVersion !== formatApiVersion(type)) return undefined;
  return `${object.metadata.namespace ?? ""}/${owner.name}`;
}
