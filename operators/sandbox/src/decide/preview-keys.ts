// Decides when the keys of preview tokens are rotated, and which one signs.

/** A key pair of preview tokens. */
export interface StoredKey {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const dayMs = 86_400_000;
/** A key signs for this time. The next one is added after it. */
export const rotationMs: number = 30 * dayMs;
/** Keys that verify at a time. */
export const validKeysMax = 2;
/** A new key signs after this time: all gateways have received its public key by then. */
export const publicationMs: number = 10 * 60_000;

/**
 * The longest life of a token. A key verifies for one rotation after it has stopped to sign, so that a token which lives less than that is verified
 * until it expires.
 */
export const tokenSecondsMax: number = 28 * 86_400;

/** Decision about the stored keys. */
export interface KeyPlan<K extends StoredKey> {
  /** Keys that stay, newest first. */
  readonly kept: readonly K[];
  /** True if another key is to be added. */
  readonly isDue: boolean;
}

/** Decides which keys stay, and whether another one is due. */
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
