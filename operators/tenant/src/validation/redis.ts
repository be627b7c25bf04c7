// Rules for `spec.redis`, including the directives of redis.conf.

import type { DeepReadonly } from "homeostat";
import { dnsLabelProblems, dnsSubdomainProblems, type Quantity, quantityFromJSON } from "@homeostat/core";
import {
  entryPath,
  imageProblems,
  invalidField,
  isPrintable,
  keyReferenceProblems,
  labelProblems,
  objectNameProblems,
  type Problem,
  quantityIn,
  quantityProblems,
  resourceProblems,
} from "@homeostat/schema";
import { ports } from "../api/identity.ts";
import type { Amounts, RedisSpec } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";

/** The minimum of memory and of storage. */
const min = "64Mi";

export function* redisProblems(
  redis: DeepReadonly<RedisSpec>,
  settings: Pick<TenantSettings, "operatorNamespace">,
): Iterable<Problem> {
  const { replicas, mode, storageClassName } = redis;
  if (mode === "standalone" && replicas !== 1) {
    yield invalidField("spec.redis.mode", mode, `standalone allows one replica, not ${replicas}`);
  }
  yield* imageProblems("spec.redis.image", redis.image);
  yield* objectNameProblems("spec.redis.imagePullSecrets", redis.imagePullSecrets);
  yield* resourceProblems("spec.redis.resources", redis.resources);
  yield* quantityProblems("spec.redis.storage", redis.storage, { min });
  const limit = redis.resources?.memory?.limit;
  if ((quantityIn(limit)?.sign() ?? 0) > 0)
    yield* quantityProblems("spec.redis.resources.memory.limit", limit, { min });
  if (storageClassName !== undefined && dnsSubdomainProblems(storageClassName).length > 0) {
    yield invalidField("spec.redis.storageClassName", storageClassName, "must be the name of a storage class");
  }
  yield* savePointProblems(redis.persistence?.savePoints);
  yield* redisConfigProblems(redis.config, redis.resources?.memory);
  yield* authSecretProblems(redis.security, settings);
  yield* exporterProblems(redis.exporter);
  yield* labelProblems("spec.redis.nodeSelector", redis.nodeSelector);
}

function* savePointProblems(points: readonly string[] = []): Iterable<Problem> {
  for (const [index, point] of points.entries()) {
    if (/^[1-9]\d{0,8} [1-9]\d{0,8}$/.test(point)) continue;
    yield invalidField(
      `spec.redis.persistence.savePoints[${index}]`,
      point,
      'must be "<seconds> <changes>", such as "900 1"',
    );
  }
}

function* authSecretProblems(
  security: DeepReadonly<RedisSpec["security"]>,
  { operatorNamespace }: Pick<TenantSettings, "operatorNamespace">,
): Iterable<Problem> {
  const secret = security?.authSecret;
  if (secret === undefined) return;
  const path = "spec.redis.security.authSecret";
  yield* keyReferenceProblems(path, secret);
  const { namespace = "" } = secret;
  const isAllowed = namespace === "" || (namespace === operatorNamespace && dnsLabelProblems(namespace).length === 0);
  if (!isAllowed) yield invalidField(`${path}.namespace`, namespace, "must be empty or the operator namespace");
}

function* exporterProblems(exporter: DeepReadonly<RedisSpec["exporter"]>): Iterable<Problem> {
  if (exporter === undefined) return;
  yield* imageProblems("spec.redis.exporter.image", exporter.image);
  yield* resourceProblems("spec.redis.exporter.resources", exporter.resources);
  if (exporter.port === ports.redis) {
    yield invalidField("spec.redis.exporter.port", exporter.port, "is already used by Redis");
  }
}

/** Directives that the operator sets itself, or that would break the isolation of the tenant. */
export const managedDirectives: ReadonlySet<string> = new Set(
  [
    "port bind protected-mode daemonize supervised pidfile dir logfile include unixsocket unixsocketperm save",
    "aclfile user requirepass masterauth masteruser replicaof slaveof loadmodule rename-command",
    // Other names of masterauth and masteruser in Valkey.
    "primaryauth primaryuser",
    "dbfilename appendfilename appenddirname enable-protected-configs enable-debug-command enable-module-command",
  ].flatMap((line) => line.split(" ")),
);

const managedPrefixes = ["tls-", "cluster-"];

const defaultMemoryLimit = "256Mi";

const units: Readonly<Record<string, bigint>> = {
  "": 1n,
  b: 1n,
  k: 1000n,
  kb: 1024n,
  m: 1_000_000n,
  mb: 1_048_576n,
  g: 1_000_000_000n,
  gb: 1_073_741_824n,
};

/** Parses an amount of memory in the syntax of redis.conf. */
export function redisBytes(text: string): bigint | undefined {
  const [, digits, unit = ""] = /^(\d{1,18})(b|k|kb|m|mb|g|gb)?$/i.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  return digits === undefined || factor === undefined ? undefined : BigInt(digits) * factor;
}

const quoteProblem = "has an unterminated quote, or text right after a closing quote; Redis would not start";

export function* redisConfigProblems(
  config: Readonly<Record<string, string>> = {},
  memory: DeepReadonly<Amounts> = {},
): Iterable<Problem> {
  for (const [key, value] of Object.entries(config)) {
    const path = entryPath("spec.redis.config", key);
    if (!/^[a-z][a-z0-9-]{0,252}$/.test(key)) {
      yield invalidField(path, key, "must be a directive: lower-case letters, digits and dashes");
    } else if (managedDirectives.has(key) || managedPrefixes.some((prefix) => key.startsWith(prefix))) {
      const instead = key === "save" ? "; use spec.redis.persistence" : "";
      yield invalidField(path, key, `${key} is managed by the operator${instead}`);
    }
    if (/[\r\n\p{Zl}\p{Zp}]/u.test(value) || value.includes("\0"))
      yield invalidField(path, value, "must be a single line");
    else if (!isPrintable(value)) yield invalidField(path, value, "must not contain control characters");
    else if (value.trim() === "") yield invalidField(path, value, 'must not be empty; write an empty string as ""');
    else if (value.length > 256) yield invalidField(path, value, "must have at most 256 characters");
    else if (!hasWholeWords(value)) yield invalidField(path, value, quoteProblem);
    else if (key === "maxmemory") yield* maxmemoryProblems(path, value, limitOf(memory));
  }
}

/** Reports whether Redis can split a value into words: quotes are closed, and only a space follows a closing quote. */
function hasWholeWords(text: string): boolean {
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === "") {
      if (char === '"' || char === "'") quote = char;
    } else if (char === "\\" && (quote === '"' || text[at + 1] === "'")) {
      at += 1;
    } else if (char === quote) {
      const next = text[at + 1];
      if (next !== undefined && next !== " ") return false;
      quote = "";
    }
  }
  return quote === "";
}

/** Returns the resolved memory limit: a request above the default limit raises it. */
function limitOf({ limit, request }: DeepReadonly<Amounts>): Quantity {
  const fallback = quantityFromJSON(defaultMemoryLimit);
  const requested = quantityIn(request);
  return quantityIn(limit) ?? (requested?.isGreaterThan(fallback) === true ? requested : fallback);
}

function* maxmemoryProblems(path: string, value: string, memory: Quantity): Iterable<Problem> {
  const bytes = redisBytes(value);
  if (bytes === undefined) {
    yield invalidField(path, value, "use Redis units (kb, mb, gb)");
    return;
  }
  if (bytes < 1n || bytes * 10n > memory.value() * 9n) {
    yield invalidField(
      path,
      value,
      `must be greater than 0 and at most 90% of the memory limit (${memory.toString()})`,
    );
  }
}
