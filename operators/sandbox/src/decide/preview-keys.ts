// Decides when the keys of preview tokens are rotated, and which one signs.

/** A key pair of preview tokens. */
export interface StoredKey {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const dayMs = 86_400_000;
/** Time for which a key signs. The next key is added after it. */
export const rotationMs: number = 30 * dayMs;
/** Maximum number of keys that verify tokens. */
export const validKeysMax = 2;
/** Delay before a new key signs. By then all gateways have received its public key. */
export const publicationMs: number = 10 * 60_000;

/**
 * Maximum lifetime of a token. A key verifies for one more rotation after it stops signing, so tokens with a shorter lifetime are verified until they
 * expire.
 */
export const tokenSecondsMax: number = 28 * 86_400;

/** Decision about the stored keys. */
export interface KeyPlan<K extends StoredKey> {
  /** Keys that stay, newest first. */
  readonly kept: readonly K[];
  /** True if a new key must be added. */
  readonly isDue: boolean;
}

/** Decides which keys are kept, and whether a new one must be added. */
export function planKeys<K extends StoredKey>(keys: readonly K[], now: number): KeyPlan<K> {
  const sorted = keys.toSorted((a, b) => b.createdAt - a.createdAt);
  const [newest] = sorted;
  const isDue = newest === undefined || now - newest.createdAt >= rotationMs;
  return { isDue, kept: sorted.slice(0, isDue ? validKeysMax - 1 : validKeysMax) };
}

/** Returns the key that signs: the newest that all gateways know, or the oldest if there is none. */
export function signingKey<K extends StoredKey>(keys: readonly K[], now: number): K | undefined {
  const sorted = keys.toSorted((a, b) => b.createdAt - a.createdAt);
  return sorted.find(({ createdAt }) => now - createdAt >= publicationMs) ?? sorted.at(-1);
}
