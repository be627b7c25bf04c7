// The directives of redis.conf that users may write.

import { type DeepReadonly, type Quantity, quantityFromJSON } from "@homeostat/core";
import type { Amounts } from "../api/tenant.ts";
import { amountOf } from "./amounts.ts";
import { at, invalid, type Problem } from "./problem.ts";
import { isPrintable, type UserMap } from "./texts.ts";

/** Directives that the operator writes itself, or that would open the tenant. */
export const managedDirectives: ReadonlySet<string> = new Set([
  "port",
  "bind",
  "protected-mode",
  "daemonize",
  "supervised",
  "pidfile",
  "dir",
  "logfile",
  "include",
  "aclfile",
  "user",
  "requirepass",
  "masterauth",
  "masteruser",
  "replicaof",
  "slaveof",
  "loadmodule",
  "rename-command",
  "unixsocket",
  "unixsocketperm",
  "dbfilename",
  "appendfilename",
  "appenddirname",
  "enable-protected-configs",
  "enable-debug-command",
  "enable-module-command",
  "save",
]);

const managedBeginnings = ["tls-", "cluster-"];

/** The memory of Redis where nobody says otherwise. */
const memoryLimit = "256Mi";

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

/** The bytes that a text stands for in redis.conf; undefined when it stands for none. */
export function redisBytes(text: string): bigint | undefined {
  const [, digits, unit = ""] = /^(\d{1,18})(b|k|kb|m|mb|g|gb)?$/i.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  return digits === undefined || factor === undefined ? undefined : BigInt(digits) * factor;
}

const quoteProblem = "has a quote that does not end, or something right after one that does; Redis would not start";

/** What is wrong with the directives that a user wrote, given the memory that Redis may use. */
export function* redisConfigProblems(config: UserMap = {}, memory: DeepReadonly<Amounts> = {}): Iterable<Problem> {
  for (const [key, value] of Object.entries(config)) {
    const path = at("spec.redis.config", key);
    if (!/^[a-z][a-z0-9-]{0,252}$/.test(key)) {
      yield invalid(path, key, "must be a directive: lower-case letters, digits and dashes");
    } else if (managedDirectives.has(key) || managedBeginnings.some((beginning) => key.startsWith(beginning))) {
      const instead = key === "save" ? "; use spec.redis.persistence" : "";
      yield invalid(path, key, `${key} is managed by the operator${instead}`);
    }
    if (/[\r\n\p{Zl}\p{Zp}]/u.test(value) || value.includes("\0")) yield invalid(path, value, "must be a single line");
    else if (!isPrintable(value)) yield invalid(path, value, "must not have control characters");
    else if (value.trim() === "") yield invalid(path, value, 'must not be empty; an empty text is written as ""');
    else if (value.length > 256) yield invalid(path, value, "must have at most 256 characters");
    else if (!hasWholeWords(value)) yield invalid(path, value, quoteProblem);
    else if (key === "maxmemory") yield* maxmemoryProblems(path, value, limitOf(memory));
  }
}

/** Whether Redis can split a text into words: a quote must end, and nothing but a space may come after it. */
export function hasWholeWords(text: string): boolean {
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

/** The limit that Redis gets in the end: a request alone raises it. */
function limitOf({ limit, request }: DeepReadonly<Amounts>): Quantity {
  const usual = quantityFromJSON(memoryLimit);
  const asked = amountOf(request);
  return amountOf(limit) ?? (asked?.isGreaterThan(usual) === true ? asked : usual);
}

function* maxmemoryProblems(path: string, value: string, memory: Quantity): Iterable<Problem> {
  const bytes = redisBytes(value);
  if (bytes === undefined) {
    yield invalid(path, value, "use Redis units (kb, mb, gb)");
    return;
  }
  if (bytes < 1n || bytes * 10n > memory.value() * 9n) {
    yield invalid(
      path,
      value,
      `must be more than 0 and at most 90% of the memory limit, which is ${memory.toString()}`,
    );
  }
}
