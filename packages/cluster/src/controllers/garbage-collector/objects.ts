import { type ApiResource, type Client, metadataOnly, type Propagation } from "@homeostat/client";
import {
  ConflictError,
  type DeepReadonly,
  isEqual,
  type KubeObject,
  NotFoundError,
  type OwnerReference,
} from "@homeostat/core";
import { fieldManager } from "../common/parts.ts";

/** The identity of an object: names are reused, uids are not. */
export interface ObjectIdentity {
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly uid: string;
}

/** An object as observed through a watch. */
export interface ObservedObject extends ObjectIdentity {
  readonly resourceVersion: string;
  readonly owners: readonly DeepReadonly<OwnerReference>[];
}

/** Number of attempts at an update before a conflict is returned to the queue. */
const attemptsMax = 5;

/** Requests of the garbage collector for objects of any kind. */
export class Objects {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Reads the metadata of an object from the API server; undefined when no object has this name. */
  async get(
    kind: ApiResource,
    { name, namespace }: Omit<ObjectIdentity, "uid">,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(metadataOnly(kind), keyFor(kind, { name, namespace }), { signal });
    } catch (error) {
      // The kind itself was deleted in the meantime, and its objects with it.
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /**
   * Reads the metadata of an object; undefined when it is deleted or its name is taken by an object with another uid.
   */
  async getSame(kind: ApiResource, object: ObjectIdentity, signal: AbortSignal): Promise<KubeObject | undefined> {
    const found = await this.get(kind, object, signal);
    return found?.metadata.uid === object.uid ? found : undefined;
  }

  /**
   * Deletes an object as observed. If it changed since, its owner references decide: with the same ones it is deleted
   * all the same, so that an object that is updated constantly can be collected; with others this throws
   * `ConflictError`.
   */
  async delete(
    kind: ApiResource,
    observed: ObservedObject,
    propagation: Propagation,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion, owners } = observed;
    const key = keyFor(kind, observed);
    const options = { propagation, signal };
    try {
      await this.#client.delete(metadataOnly(kind), key, { ...options, preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (error instanceof NotFoundError) return;
      if (!(error instanceof ConflictError)) throw error;
      const now = await this.getSame(kind, observed, signal);
      if (now === undefined || now.metadata.deletionTimestamp !== undefined) return;
      if (!isEqual(now.metadata.ownerReferences ?? [], owners)) throw error;
      await this.#client.delete(metadataOnly(kind), key, { ...options, preconditions: { uid } });
    }
  }

  /** Changes the owner references of an object. Does nothing when the object is deleted. */
  changeOwners(
    kind: ApiResource,
    object: ObjectIdentity,
    change: (references: readonly OwnerReference[]) => readonly DeepReadonly<OwnerReference>[],
    signal: AbortSignal,
  ): Promise<void> {
    return this.#change(kind, object, signal, ({ ownerReferences = [] }) => {
      const next = change(ownerReferences);
      return isEqual(next, ownerReferences) ? undefined : { ownerReferences: next.length === 0 ? null : next };
    });
  }

  /** Removes a finalizer from an object. Does nothing when the object is deleted. */
  removeFinalizer(kind: ApiResource, object: ObjectIdentity, finalizer: string, signal: AbortSignal): Promise<void> {
    return this.#change(kind, object, signal, ({ finalizers = [] }) =>
      finalizers.includes(finalizer) ? { finalizers: finalizers.filter((other) => other !== finalizer) } : undefined,
    );
  }

  async #change(
    kind: ApiResource,
    object: ObjectIdentity,
    signal: AbortSignal,
    change: (metadata: KubeObject["metadata"]) => object | undefined,
  ): Promise<void> {
    for (let attempts = 1; ; attempts += 1) {
      const found = await this.getSame(kind, object, signal);
      const changed = found === undefined ? undefined : change(found.metadata);
      if (found === undefined || changed === undefined) return;
      const { resourceVersion = "" } = found.metadata;
      try {
        const merge = { metadata: { resourceVersion, ...changed } };
        await this.#client.patch(kind, keyFor(kind, object), { merge }, { fieldManager, signal });
        return;
      } catch (error) {
        if (error instanceof NotFoundError) return;
        if (!(error instanceof ConflictError) || attempts >= attemptsMax) throw error;
      }
    }
  }
}

function keyFor(
  { scope }: ApiResource,
  { name, namespace }: Omit<ObjectIdentity, "uid">,
): { name: string; namespace?: string } {
  return scope === "Namespaced" ? { name, namespace } : { name };
}
