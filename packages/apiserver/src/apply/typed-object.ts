import { ApplyFault } from "./apply-fault.ts";
import type { JsonRecord } from "@homeostat/core";
import { checkValue, type CheckValueOptions, problemsText } from "./check-value.ts";
import type { MergeType } from "./merge-type.ts";

/** An object with its version and the merge type of that version. */
export interface TypedObject {
  readonly apiVersion: string;
  readonly type: MergeType;
  readonly value: unknown;
}

/** Result of converting an object to another version. */
export type Converted =
  /** The object in that version. */
  | { readonly object: JsonRecord }
  /** The version no longer exists; ownership in it is forgotten. */
  | "unknown version"
  /** The conversion failed. */
  | { readonly problem: string };

/** The versions of one kind: their merge types, and conversion between them. */
export interface Versions {
  /** Returns the type of objects in a version, or `undefined` if the version does not exist. */
  typeOf(apiVersion: string): MergeType | undefined;
  /** Converts an object. Only called with a version other than the object's own. */
  convert(object: JsonRecord, apiVersion: string): Converted;
}

/**
 * Checks that a value matches its type and returns it.
 *
 * @throws ApplyFault with all mismatches.
 */
export function typedObject(object: TypedObject, options: CheckValueOptions = {}): TypedObject {
  const problems = checkValue(object.type, object.value, options);
  if (problems.length > 0) throw new ApplyFault(problemsText(problems));
  return object;
}
