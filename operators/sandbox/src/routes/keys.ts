// Ownership of routing keys. Sandboxes and route groups of the whole cluster share one space of keys.

/** An object that claims a routing key. */
export interface KeyClaim extends Aged {
  readonly kind: "Sandbox" | "RouteGroup";
  readonly namespace: string;
  readonly name: string;
}

/** An object with a creation time, as the API server writes it. */
export interface Aged {
  readonly uid: string;
  readonly createdAt: string;
}

/** Compares two objects by age: the older one is first; objects of the same second are ordered by UID. */
export function compareAge(a: Aged, b: Aged): number {
  return compareText(a.createdAt, b.createdAt) || compareText(a.uid, b.uid);
}

/** Returns the claim that owns the key, or undefined without claims. */
export function ownerOf(claims: Iterable<KeyClaim>): KeyClaim | undefined {
  let owner: KeyClaim | undefined;
  for (const claim of claims) if (owner === undefined || compareAge(claim, owner) < 0) owner = claim;
  return owner;
}

/** Reports whether two claims belong to the same object. */
export function isSameClaimant(a: KeyClaim, b: KeyClaim | undefined): boolean {
  return b !== undefined && a.kind === b.kind && a.uid === b.uid;
}

/** Compares texts by UTF-16 code units: the same order on every machine, unlike `localeCompare`. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
