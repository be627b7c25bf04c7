import { createHash, timingSafeEqual } from "node:crypto";

/** Secrets of a dashboard in a cluster. They are functions, because the files behind them may be replaced while the program runs. */
export interface AccessSecrets {
  /** Returns the secret that a proxy sends beside identity headers; undefined if there is none, so that identity headers are refused. */
  readonly proxySecret: () => string | undefined;
  /** Returns the secret from which the key of cookies is derived. */
  readonly sessionKey: () => Buffer;
}

/** Compares two secrets in a time that does not depend on their contents. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
