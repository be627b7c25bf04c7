import { deepClone, type JsonRecord } from "@homeostat/core";
import { entriesAt } from "../../values/fields.ts";
import { fill, partOf } from "./fill.ts";

/** Defaults of one type, applied in the order of these fields. */
export interface TypeDefault {
  /** Constant values of absent fields; each is copied when it is used. */
  readonly values?: DefaultValues;
  /** Values of numbers for which zero means unset, because the Go field is not a pointer. */
  readonly zeroValues?: DefaultValues;
  /** Defaults that depend on other fields. Runs before the defaults of nested types. */
  readonly rule?: DefaultRule;
}

/** Defaults by type: the definition name without its common prefix, such as `apps.v1.DeploymentSpec`. */
export type TypeDefaults = Readonly<Record<string, TypeDefault>>;

/** Values of absent fields, by name. */
export type DefaultValues = Readonly<Record<string, unknown>>;

/** Sets fields of a value, in place. */
export type DefaultRule = (value: JsonRecord) => void;

/** Returns a rule that creates missing nested objects, so that the defaults of their types apply. */
export function createParts(...names: readonly string[]): DefaultRule {
  return (value) => {
    for (const name of names) partOf(value, name);
  };
}

/** Sets the labels of an object without labels. */
export function labelsFrom(value: JsonRecord, labels: JsonRecord): void {
  if (entriesAt(value, "metadata", "labels").length === 0) partOf(value, "metadata")["labels"] = deepClone(labels);
}

/** Returns a rule that sets the phase of an object without one. */
export function defaultPhase(phase: string): DefaultRule {
  return (value) => fill(partOf(value, "status"), { phase });
}
