// The format of the Redis Secret: writing credentials into it, reading them back, and the checksums that roll pods when it changes.

import { createHash } from "node:crypto";
import type { DeepReadonly } from "homeostat";
import { parseTime } from "@homeostat/core";
import type { Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { acceptedPasswords, clientPassword, type Credentials, passwordProblem } from "./credentials.ts";
import type { ResolvedRedis } from "./resolve.ts";

type RedisAddress = Pick<ResolvedRedis, "mode" | "host">;
type Mode = Pick<ResolvedRedis, "mode">;

export const secretKeys = {
  password: "password",
  clientPassword: "client-password",
  previousPassword: "previous-password",
  acl: "users.acl",
  replica: "replica.conf",
  url: "redis-url",
} as const;

/** Returns the content of the Secret, not yet base64-encoded. */
export function secretTexts(credentials: Credentials, address: RedisAddress): Record<string, string> {
  return {
    [secretKeys.password]: credentials.password,
    [secretKeys.clientPassword]: clientPassword(credentials),
    ...("previous" in credentials && { [secretKeys.previousPassword]: credentials.previous }),
    [secretKeys.acl]: usersAcl(credentials),
    [secretKeys.replica]: replicaConf(credentials, address),
    [secretKeys.url]: redisUrl(address.host, clientPassword(credentials)),
  };
}

/** Builds the ACL file of Redis: one user with the hash of each accepted password. */
export function usersAcl(credentials: Credentials): string {
  const hashes = acceptedPasswords(credentials).map((password) => `#${sha256(password)}`);
  return `user default on ${hashes.join(" ")} ~* &* +@all\n`;
}

/** Builds the file with the password of replicas for the master. It exists in every mode, because the volume references it. */
export function replicaConf(credentials: Credentials, { mode }: Mode): string {
  return mode === "replication" ? `masterauth ${confWord(clientPassword(credentials))}\n` : "#\n";
}

/** Returns the URL of a Redis, without a user part if there is no password. */
export function redisUrl(host: string, password?: string): string {
  const user = password === undefined ? "" : `:${percentEncoded(password)}@`;
  return `redis://${user}${host}:6379/0`;
}

/**
 * Returns the checksum whose change restarts the Redis pods.
 *
 * It also covers `replica.conf`, which replicas read only at startup. Otherwise a master that crashes and restarts during
 * `cleanup` would no longer accept the previous password while some replicas still use it.
 */
export function aclChecksum(credentials: Credentials, { mode }: Mode): string {
  const acl = usersAcl(credentials);
  return mode === "replication" ? checksum(acl, replicaConf(credentials, { mode })) : checksum(acl);
}

/** Returns the checksum whose change restarts the server pods; `credentials` is undefined for a Redis without a password. */
export function credentialsChecksum(
  credentials: Credentials | undefined,
  { host }: Pick<RedisAddress, "host">,
): string {
  const password = credentials === undefined ? undefined : clientPassword(credentials);
  return checksum(password ?? "", redisUrl(host, password));
}

/** Returns a short digest of several texts. They are hashed as JSON, so that `["ab"]` and `["a", "b"]` differ. */
export function checksum(...texts: readonly string[]): string {
  return sha256(JSON.stringify(texts)).slice(0, 16);
}

/**
 * Reads the credentials out of the Secret; undefined without a usable password.
 *
 * A step that needs the previous password and does not find it counts as done: it cannot be continued.
 */
export function readCredentials(secret: DeepReadonly<Secret>, nowMs: number): Credentials | undefined {
  const password = secretText(secret, secretKeys.password);
  if (password === undefined || passwordProblem(password) !== undefined) return undefined;
  const previous = secretText(secret, secretKeys.previousPassword);
  const note = (key: string): string | undefined => own(secret.metadata.annotations, key);
  const rotatedAtMs = timeOf(note(annotations.rotatedAt)) ?? nowMs;
  const stepAtMs = timeOf(note(annotations.rotationStepAt)) ?? rotatedAtMs;
  const common = { password, token: note(annotations.rotationToken), stepAtMs, rotatedAtMs };
  const step = note(annotations.rotationStep);
  if (step === "cleanup") return { ...common, step };
  const hasPrevious = previous !== undefined && passwordProblem(previous) === undefined;
  if ((step === "overlap" || step === "clients") && hasPrevious) return { ...common, step, previous };
  return { ...common, step: "done" };
}

/** Decodes one key of a Secret; undefined when the Secret does not have it. */
export function secretText({ data }: Pick<DeepReadonly<Secret>, "data">, key: string): string | undefined {
  const value = own(data, key);
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
}

function own(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Returns undefined for an annotation that was edited into something other than a time. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseTime(text);
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Quotes a word of redis.conf that has characters with a meaning there. */
function confWord(word: string): string {
  return /^[\w-]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
