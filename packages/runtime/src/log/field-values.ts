import { cutText, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { recordOfError } from "./error-record.ts";
import type { LogFields } from "./logger.ts";
import { readableNumber } from "./readable-number.ts";

/** Maximum depth of nested values. */
const depthMax = 3;
/** Maximum number of elements of a list and keys of a map. */
const membersMax = 20;
const textLengthMax = 2000;

/** Field names whose values may be secret. */
const hiddenName =
  /authorization|cookie|credential|kubeconfig|passw|private|secret|token|^data$|^stringdata$|^headers$/i;

/** Replacement for a hidden value. */
const hidden = "[hidden]";

/** Field names used by log lines themselves. */
const ownNames: ReadonlySet<string> = new Set(["level", "time", "msg", "pid", "hostname"]);

/**
 * Returns fields as plain data for a log: small, without cycles, and without values that may be secret.
 *
 * Errors become {@link ErrorRecord}s. Of a Kubernetes object only kind and name are kept, of a map no value with a
 * secret-like name, and of a class instance nothing. A field named like a part of the line itself gets an underscore
 * appended.
 */
export function plainFields(fields: LogFields): JsonRecord {
  const plain: JsonRecord = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    safeSet(plain, ownNames.has(name) ? `${name}_` : name, plainValue(value, name, 1));
  }
  return plain;
}

function plainValue(value: unknown, name: string, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return hiddenName.test(name) ? hidden : cutText(value, textLengthMax);
    case "number":
      return readableNumber(name, value);
    case "boolean":
      return value;
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : plainObject(value, name, depth);
    case "undefined":
    case "symbol":
    case "function":
      return undefined;
  }
}

function plainObject(value: object, name: string, depth: number): unknown {
  if (value instanceof Error) return recordOfError(value);
  if (hiddenName.test(name)) return hidden;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
  if (depth > depthMax) return "[…]";
  if (Array.isArray(value)) {
    const shown = value.slice(0, membersMax).map((member: unknown) => plainValue(member, "", depth + 1));
    return value.length > membersMax ? [...shown, `and ${value.length - membersMax} more`] : shown;
  }
  if (!isRecord(value)) return "[…]";
  return nameOfObject(value) ?? plainMap(value, depth);
}

function plainMap(value: JsonRecord, depth: number): JsonRecord {
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain: JsonRecord = {};
  if (prototype !== Object.prototype && prototype !== null) return plain;
  for (const key of Object.keys(value).slice(0, membersMax)) {
    const shown = plainValue(value[key], key, depth + 1);
    if (shown !== undefined) safeSet(plain, key, shown);
  }
  return plain;
}

/** Returns `Secret default/password` for a value that looks like a Kubernetes object. */
function nameOfObject(value: JsonRecord): string | undefined {
  const metadata = Object.hasOwn(value, "metadata") ? value["metadata"] : undefined;
  if (!isRecord(metadata)) return undefined;
  const { kind } = value;
  const { namespace, name } = metadata;
  const key = [namespace, name].filter((part) => typeof part === "string" && part !== "").join("/");
  return cutText(`${typeof kind === "string" ? `${kind} ` : ""}${key}`, textLengthMax);
}
