// What the Secret of a Redis holds, and the digests by which pods are rolled when it changes.

import type { WantedRedis } from "./resolved-tenant.ts";
import { acceptedPasswords, clientPassword, type Credentials } from "../decide/credentials.ts";
import { checksum, sha256 } from "./digest.ts";

/** How a Redis is reached, and whether others follow it. */
export type RedisPlace = Pick<WantedRedis, "mode" | "host">;

/** The keys of the Secret. */
export const secretKeys = {
  password: "password",
  clientPassword: "client-password",
  previousPassword: "previous-password",
  acl: "users.acl",
  replica: "replica.conf",
  url: "redis-url",
} as const;

/** The content of the Secret, as plain texts. */
export function secretTexts(credentials: Credentials, place: RedisPlace): Record<string, string> {
  return {
    [secretKeys.password]: credentials.password,
    [secretKeys.clientPassword]: clientPassword(credentials),
    ...("previous" in credentials && { [secretKeys.previousPassword]: credentials.previous }),
    [secretKeys.acl]: usersAcl(credentials),
    [secretKeys.replica]: replicaConf(credentials, place),
    [secretKeys.url]: redisUrl(place.host, clientPassword(credentials)),
  };
}

/** The users of Redis: one, known by the hash of each accepted password. */
export function usersAcl(credentials: Credentials): string {
  const hashes = acceptedPasswords(credentials).map((password) => `#${sha256(password)}`);
  return `user default on ${hashes.join(" ")} ~* &* +@all\n`;
}

/** What replicas introduce themselves with. The file is there in every mode, because the volume names it. */
export function replicaConf(credentials: Credentials, { mode }: Pick<RedisPlace, "mode">): string {
  return mode === "replication" ? `masterauth ${quoted(clientPassword(credentials))}\n` : "#\n";
}

/** Where a Redis is, as one text; `password` is left out where none is needed. */
export function redisUrl(host: string, password?: string): string {
  const user = password === undefined ? "" : `:${percentEncoded(password)}@`;
  return `redis://${user}${host}:6379/0`;
}

/**
 * By this the pods of Redis are rolled.
 *
 * Replicas read at their start what they introduce themselves with, so that counts too: otherwise a master that crashes
 * during `cleanup` would forget the password that those replicas still use which were not restarted yet.
 */
export function aclChecksum(credentials: Credentials, { mode }: Pick<RedisPlace, "mode">): string {
  const acl = usersAcl(credentials);
  return mode === "replication" ? checksum(acl, replicaConf(credentials, { mode })) : checksum(acl);
}

/** By this the pods of the server are rolled; without credentials for a Redis that needs no password. */
export function credentialsChecksum(credentials: Credentials | undefined, { host }: Pick<RedisPlace, "host">): string {
  const password = credentials === undefined ? undefined : clientPassword(credentials);
  return checksum(password ?? "", redisUrl(host, password));
}

/** A word of redis.conf: in quotes unless it is made of characters that mean nothing there. */
function quoted(word: string): string {
  return /^[\w-]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
