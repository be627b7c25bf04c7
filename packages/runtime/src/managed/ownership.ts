import { createHash } from "node:crypto";
import {
  controllerOf,
  type DeepReadonly,
  formatApiVersion,
  isList,
  isRecord,
  type JsonRecord,
  type KubeObject,
  type OwnerReference,
  type ResourceType,
  safeSet,
  setControllerReference,
  type Stored,
} from "@homeostat/core";
import { BeingDeletedError, NotOwnedError } from "../writes/errors.ts";
import { describe } from "../writes/ownership.ts";
import type { DesiredBody, DesiredObject } from "./desired.ts";

type AnyObject = DeepReadonly<KubeObject>;

/** A desired object with controller reference, ownership mark and desired hash. */
export type StampedObject = AnyObject & DesiredBody;

/** Keys of the annotations and labels that mark a managed object with its owner. */
export interface OwnershipMark {
  /** Annotation with the UID of the owner. */
  readonly uid: string;
  /** Annotation with the hash of the desired object, which distinguishes a changed desired state from drift. */
  readonly desiredHash: string;
  /**
   * Annotation with a hash of owner UID, kind, namespace and name, which binds the mark to this object: a copy of the object under another
   * name does not count as managed. Without it, a copy that keeps all annotations does.
   */
  readonly proof?: string | undefined;
  /** Labels that every managed object has; the mark counts only together with them. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Definition of the marks that name the owner of a managed object. */
export interface OwnershipDefinition<T extends KubeObject = KubeObject> {
  /**
   * Reports whether objects get a controller reference to their owner, so that the garbage collector deletes them with it. Default: yes,
   * wherever Kubernetes allows it: never across namespaces, nor from a cluster-scoped object to a namespaced owner.
   */
  hasReference?(this: void, owner: Stored<T>): boolean;
  /** The mark that all managed objects get. It is decisive for objects without controller reference. */
  readonly mark?: OwnershipMark;
  /**
   * Annotation of the owner with the kinds of which it may have objects; see `inventory.ts`. `false` for none: then objects of kinds that the
   * controller does not manage any more are not found. Default: `homeostat.dev/managed-kinds`.
   */
  readonly inventory?: string | false;
}

/** The default mark. */
export const defaultMark: OwnershipMark = {
  uid: "homeostat.dev/owner-uid",
  desiredHash: "homeostat.dev/desired-hash",
  proof: "homeostat.dev/owner-proof",
};

const defaultInventory = "homeostat.dev/managed-kinds";

/** The rules by which a controller recognizes and marks its managed objects. */
export class Ownership<T extends KubeObject = KubeObject> {
  readonly mark: OwnershipMark;
  /** Annotation with the inventory; undefined for none. */
  readonly inventory: string | undefined;
  readonly #hasReference: (owner: Stored<T>) => boolean;

  constructor({ mark = defaultMark, inventory = defaultInventory, hasReference }: OwnershipDefinition<T> = {}) {
    this.mark = mark;
    this.inventory = inventory === false ? undefined : inventory;
    this.#hasReference = hasReference ?? (() => true);
  }

  /**
   * Reports whether an object belongs to an owner. This is the only check before an object is changed or deleted.
   *
   * The UID of the controller reference decides. Only for an object without one, the mark does. Labels and names are no proof.
   */
  owns(owner: AnyObject, object: AnyObject): boolean {
    const { uid } = owner.metadata;
    return uid !== undefined && this.ownerUidOf(object) === uid;
  }

  /** Returns the UID of the owner that an object belongs to; undefined for an object that is not managed. */
  ownerUidOf(object: AnyObject): string | undefined {
    const controller = controllerOf(object);
    return controller === undefined ? this.#markedUidOf(object) : controller.uid;
  }

  /** Returns the hash of the desired state that was last written to an object; undefined if it has none. */
  desiredHashOf({ metadata: { annotations } }: AnyObject): string | undefined {
    return textIn(annotations, this.mark.desiredHash);
  }

  /** Returns a desired object with controller reference, ownership mark and desired hash. */
  stamp({ type, object }: DesiredObject, owner: Stored<T>): StampedObject {
    const { uid, desiredHash, proof, labels = {} } = this.mark;
    const { annotations = {}, ...metadata } = object.metadata;
    const ownUid = owner.metadata.uid;
    const marked = {
      apiVersion: formatApiVersion(type),
      kind: type.kind,
      ...object,
      metadata: {
        ...metadata,
        ...(Object.keys(labels).length === 0 ? {} : { labels: { ...metadata.labels, ...labels } }),
        annotations: {
          ...annotations,
          [uid]: ownUid,
          ...(proof === undefined ? {} : { [proof]: proofOf(ownUid, type, metadata) }),
        },
      },
    };
    const owned = this.#canRefer(owner, marked) ? setControllerReference(owner, marked) : marked;
    const hash = { [desiredHash]: digestOf(owned) };
    return { ...owned, metadata: { ...owned.metadata, annotations: { ...owned.metadata.annotations, ...hash } } };
  }

  /** Returns the error for an object that must not be written, because it has another owner or is being deleted; undefined otherwise. */
  refusal(owner: AnyObject, object: AnyObject): NotOwnedError | BeingDeletedError | undefined {
    const name = describe(object);
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const isDeleted = deletionTimestamp !== undefined;
    if (this.owns(owner, object)) return isDeleted ? new BeingDeletedError({ object: name, finalizers }) : undefined;
    const controller = controllerOf(object);
    return new NotOwnedError({
      object: name,
      neededBy: describe(owner),
      owner: controller,
      markedUid: controller === undefined ? textIn(object.metadata.annotations, this.mark.uid) : undefined,
      isPredecessor: isDeleted || (controller !== undefined && isNamesake(controller, owner)),
    });
  }

  #canRefer(owner: Stored<T>, { metadata: { namespace = "" } }: AnyObject): boolean {
    const { namespace: home = "" } = owner.metadata;
    return (home === "" || home === namespace) && this.#hasReference(owner);
  }

  #markedUidOf(object: AnyObject): string | undefined {
    const { annotations, labels } = object.metadata;
    const uid = textIn(annotations, this.mark.uid);
    if (uid === undefined) return undefined;
    const { proof, labels: required = {} } = this.mark;
    if (!Object.entries(required).every(([key, value]) => textIn(labels, key) === value)) return undefined;
    const isProven = proof === undefined || textIn(annotations, proof) === proofOf(uid, object, object.metadata);
    return isProven ? uid : undefined;
  }
}

/** Returns a hash that binds the UID of an owner to one object, independent of the API version in which it is read. */
function proofOf(
  uid: string,
  kind: Pick<ResourceType, "group" | "kind"> | Pick<AnyObject, "apiVersion" | "kind">,
  { namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string },
): string {
  const group = "group" in kind ? kind.group : groupOf(kind.apiVersion);
  return digestOf([uid, group, kind.kind, namespace, name]);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** Reports whether an owner reference has the group, kind and name of an object. With another UID, it refers to a deleted predecessor. */
function isNamesake(reference: OwnerReference, { apiVersion, kind, metadata: { name } }: AnyObject): boolean {
  return reference.kind === kind && reference.name === name && groupOf(reference.apiVersion) === groupOf(apiVersion);
}

function textIn(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

const digestLength = 16;

/** Returns a hash of a JSON value that does not depend on the order of keys. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("hex")
    .slice(0, digestLength);
}

// Every reconcile computes the hashes of all objects, mostly without optimizing compilers: a copy of the keys and an iterator would leave garbage.
function sorted(value: unknown): unknown {
  if (isList(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const result: JsonRecord = {};
  const keys = Object.keys(value).sort();
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    if (value[key] !== undefined) safeSet(result, key, sorted(value[key]));
  }
  return result;
}
