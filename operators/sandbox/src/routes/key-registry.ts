// The claims of all sandboxes and groups to routing keys.

import { isSameClaimant, type KeyClaim, ownerOf } from "./keys.ts";

/** A claim to one key. */
export interface ClaimedKey {
  readonly key: string;
  readonly claim: KeyClaim;
}

/** A key whose owner changed. */
export interface OwnerChange {
  readonly key: string;
  /** The former and the new owner, as far as they exist. */
  readonly owners: readonly KeyClaim[];
}

/** Claims by key. Most keys have one claim; additional claims are mistakes of users. */
export class KeyRegistry {
  readonly #claims = new Map<string, readonly KeyClaim[]>();

  owner(key: string): KeyClaim | undefined {
    return ownerOf(this.#claims.get(key) ?? []);
  }

  /** Replaces the claim of one object. Returns the keys whose owner changed. */
  replace(before: ClaimedKey | undefined, after: ClaimedKey | undefined): readonly OwnerChange[] {
    const keys = new Set([before, after].flatMap((each) => (each === undefined ? [] : [each.key])));
    const owners = new Map([...keys].map((key) => [key, this.owner(key)]));
    if (before !== undefined) this.#remove(before);
    if (after !== undefined) this.#claims.set(after.key, [...(this.#claims.get(after.key) ?? []), after.claim]);
    return [...keys].flatMap((key) => {
      const former = owners.get(key);
      const present = this.owner(key);
      if (former !== undefined && isSameClaimant(former, present)) return [];
      return [{ key, owners: [former, present].filter((owner) => owner !== undefined) }];
    });
  }

  #remove({ key, claim }: ClaimedKey): void {
    const others = (this.#claims.get(key) ?? []).filter((other) => !isSameClaimant(other, claim));
    if (others.length === 0) this.#claims.delete(key);
    else this.#claims.set(key, others);
  }
}
