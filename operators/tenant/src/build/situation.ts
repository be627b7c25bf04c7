import type { Credentials } from "../decide/credentials.ts";

/** What is known about the password of a Redis. */
export type Auth =
  /** Clients need none. */
  | { readonly at: "off" }
  /** It should come from a Secret that does not give one, and there was none before: no pods can be started. */
  | { readonly at: "waiting" }
  | { readonly at: "known"; readonly credentials: Credentials };

/** What objects depend on beside what is wanted. */
export interface Situation {
  readonly auth: Auth;
  /** How many pods each workload is to have now: fewer than wanted while a tenant falls asleep, sleeps or wakes. */
  readonly replicas: { readonly redis: number; readonly server: number };
  /** The size in the claim template that Redis has, which cannot be changed there; undefined for a new one. */
  readonly claimSize: string | undefined;
}
