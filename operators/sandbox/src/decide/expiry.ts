// Decides when a sandbox or a group expires.

import { durationSeconds } from "../api/duration.ts";

/** Start of a lifetime. `NoMatchedSandboxes`: the time since which a group has matched no sandbox. */
export type LifetimeStart = "CreatedAt" | "UpdatedAt" | "LastActivity" | "NoMatchedSandboxes";

/** Times in milliseconds since the epoch. */
export interface LifetimeInput {
  readonly ttl: number | string;
  readonly ttlFrom: LifetimeStart;
  readonly createdAt: number;
  /** Time of the last change of the spec. */
  readonly updatedAt: number | undefined;
  readonly lastActivityAt: number | undefined;
  /** Time since which a group has matched no sandbox; undefined while it matches one. */
  readonly unmatchedSince?: number | undefined;
  /** Upper limit of the lifetime in seconds, counted from the creation. */
  readonly ttlSecondsMax: number | undefined;
  readonly now: number;
}

export type Lifetime =
  /** The object does not expire: its lifetime is 0, or the group matches a sandbox. */
  | { readonly state: "unlimited" }
  | { readonly state: "alive"; readonly expiresAt: number; readonly warnsAt: number }
  | { readonly state: "expiring"; readonly expiresAt: number; readonly warnsAt: number }
  | { readonly state: "expired"; readonly expiresAt: number; readonly warnsAt: number };

/** Minimum time between the warning and the expiry, and the share of the lifetime after which the warning is given if that is later. */
const warningMs = 15 * 60_000;
const warningShare = 0.1;

/**
 * Decides whether a lifetime has ended or will end soon.
 *
 * The upper limit counts from the creation regardless of `ttlFrom`, because a sandbox that receives a request every minute would otherwise never
 * expire. The warning is given at the later of 15 minutes and a tenth of the lifetime before the end, so short lifetimes do not begin with a warning.
 */
export function decideLifetime(input: LifetimeInput): Lifetime {
  const { createdAt, ttlSecondsMax, now } = input;
  const seconds = durationSeconds(input.ttl);
  if (seconds === undefined || seconds === 0) return { state: "unlimited" };
  const startedAt = startOf(input);
  if (startedAt === undefined) return { state: "unlimited" };
  const limit = ttlSecondsMax === undefined ? Infinity : createdAt + ttlSecondsMax * 1_000;
  const expiresAt = Math.min(startedAt + seconds * 1_000, limit);
  const warnsAt = Math.max(expiresAt - warningMs, expiresAt - seconds * 1_000 * warningShare);
  if (now >= expiresAt) return { state: "expired", expiresAt, warnsAt };
  return { state: now >= warnsAt ? "expiring" : "alive", expiresAt, warnsAt };
}

function startOf({ ttlFrom, createdAt, updatedAt, lastActivityAt, unmatchedSince }: LifetimeInput): number | undefined {
  switch (ttlFrom) {
    case "CreatedAt":
      return createdAt;
    case "UpdatedAt":
      return updatedAt ?? createdAt;
    case "LastActivity":
      return lastActivityAt ?? createdAt;
    case "NoMatchedSandboxes":
      return unmatchedSince;
  }
}
