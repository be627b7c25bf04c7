import { ArgumentError } from "../errors/argument-error.ts";
import { deepFreeze } from "../value/freeze.ts";
import { isRecord, ownValue } from "../value/record.ts";
import type { Stored } from "./object.ts";

const identity = ["name", "uid", "resourceVersion"] as const;

/** Freezes an object that was read from an API server. Throws an `ArgumentError` if it has no name, UID or resource version. */
export function asStored<T>(object: T): Stored<T>;
export function asStored(object: unknown): unknown {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const missing = identity.find((field) => !isRecord(metadata) || typeof ownValue(metadata, field) !== "string");
  if (missing === undefined) return deepFreeze(object);
  const problem = `has no metadata.${missing}; every object that was read from an API server has one.`;
  throw new ArgumentError({ argument: "object", problem });
}
