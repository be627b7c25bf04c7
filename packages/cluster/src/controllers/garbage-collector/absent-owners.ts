import type { DeepReadonly, OwnerReference } from "@homeostat/core";

const rememberedMax = 10_000;

/**
 * Owners that the server does not have. A uid never comes back, so what is gone stays gone; a thousand objects of one
 * owner lead to one question.
 */
export class AbsentOwners {
  readonly #keys = new Set<string>();

  has(owner: DeepReadonly<OwnerReference>, namespace: string): boolean {
    return this.#keys.has(keyFor(owner, namespace));
  }

  /** Notes that an owner is not there, as seen from an object of this namespace. */
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
