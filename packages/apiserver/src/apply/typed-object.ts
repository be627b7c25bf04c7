import { ApplyFault } from "./apply-fault.ts";
import type { JsonRecord } from "@homeostat/core";
import { checkValue, type CheckValueOptions, problemsText } from "./check-value.ts";
import type { MergeType } from "./merge-type.ts";

/** An object together with the version it is in and the type that version gives it. */
export interface TypedObject {
  readonly apiVersion: string;
  readonly type: MergeType;
  readonly value: unknown;
}

/** What came of converting an object to another version. */
export type Converted =
  /** The object in that version. */
  | { readonly object: JsonRecord }
  /** The version is gone; what was owned in it is forgotten. */
  | "unknown version"
  /** Conversion failed. */
  | { readonly problem: string };

/** The versions of one kind: their types, and how an object gets from one to another. */
export interface Versions {
  /** The type of objects in a version, or `undefined` when there is no such version. */
  typeOf(apiVersion: string): MergeType | undefined;
  /** Converts an object. It is asked for other versions than the object's own alone. */
  convert(object: JsonRecord, apiVersion: string): Converted;
}

/**
 * A value as an object of a type.
 *
 * @throws ApplyFault when it does not fit, with all reasons.
 */
export function typedObject(object: TypedObject, options: CheckValueOptions = {}): TypedObject {
  const problems = checkValue(object.type, object.value, options);
  if (problems.length > 0) throw new ApplyFault(problemsText(problems));
  return object;
}
