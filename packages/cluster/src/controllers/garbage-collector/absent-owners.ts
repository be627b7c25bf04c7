import type { DeepReadonly, OwnerReference } from "@homeostat/core";

const rememberedMax = 10_000;

/**
 * A bounded cache of owners that do not exist. A uid is never reused, so an owner that is deleted stays deleted.
 * Without the cache, each of a thousand dependents of one deleted owner would cause a request to the API server.
 */
export class AbsentOwners {
  readonly #keys = new Set<string>();

  has(owner: DeepReadonly<OwnerReference>, namespace: string): boolean {
    return this.#keys.has(keyFor(owner, namespace));
  }

  /** Records that an owner does not exist for dependents in this namespace. */
  add(owner: DeepReadonly<OwnerReference>, namespace: string): void {
    this.#keys.add(keyFor(owner, namespace));
    if (this.#keys.size <= rememberedMax) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }
}

function keyFor({ apiVersion, kind, name, uid }: DeepReadonly<OwnerReference>, namespace: string): string {
  return JSON.stringify([uid, apiVersion, kind, name, namespace]);
}
