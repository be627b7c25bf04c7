import { cutText, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { recordOfError } from "./error-record.ts";
import type { LogFields } from "./logger.ts";
import { readableNumber } from "./readable-number.ts";

/** How deep a value is told. */
const depthMax = 3;
/** How many elements of a list and keys of a map are told. */
const membersMax = 20;
const textLengthMax = 2000;

/** Words in the name of a field whose value is nobody's business. */
const hiddenName =
  /authorization|cookie|credential|kubeconfig|passw|private|secret|token|^data$|^stringdata$|^headers$/i;

/** Stands for a value that is not told. */
const hidden = "[hidden]";

/** Names that log lines have of their own. */
const ownNames: ReadonlySet<string> = new Set(["level", "time", "msg", "pid", "hostname"]);

/**
 * Fields as plain data that is fit for a log: small, without cycles, and without what may be secret.
 *
 * Errors become records. Of a Kubernetes object only its kind and name are told, of a map nothing that is named like a
 * secret, and of a class nothing at all. A field named like a part of the line itself gets an underscore.
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
    const told = value.slice(0, membersMax).map((member: unknown) => plainValue(member, "", depth + 1));
    return value.length > membersMax ? [...told, `and ${value.length - membersMax} more`] : told;
  }
  if (!isRecord(value)) return "[…]";
  return nameOfObject(value) ?? plainMap(value, depth);
}

function plainMap(value: JsonRecord, depth: number): JsonRecord {
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain: JsonRecord = {};
  if (prototype !== Object.prototype && prototype !== null) return plain;
  for (const key of Object.keys(value).slice(0, membersMax)) {
    const told = plainValue(value[key], key, depth + 1);
    if (told !== undefined) safeSet(plain, key, told);
  }
  return plain;
}

/** `Secret default/password`, for what looks like a Kubernetes object. */
function nameOfObject(value: JsonRecord): string | undefined {
  const metadata = Object.hasOwn(value, "metadata") ? value["metadata"] : undefined;
  if (!isRecord(metadata)) return undefined;
  const { kind } = value;
  const { namespace, name } = metadata;
  const key = [namespace, name].filter((part) => typeof part === "string" && part !== "").join("/");
  return cutText(`${typeof kind === "string" ? `${kind} ` : ""}${key}`, textLengthMax);
}
