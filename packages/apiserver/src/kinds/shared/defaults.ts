import { deepClone, type JsonRecord } from "@homeostat/core";
import { entriesAt } from "../../tables/read.ts";
import { fill, partOf } from "./fill.ts";

/** Defaults of one type, applied in the order of these fields. */
export interface TypeDefault {
  /** Constant values of absent fields; each is copied when it is used. */
  readonly values?: DefaultValues;
  /** Values of numbers for which zero means absent. */
  readonly zeroValues?: DefaultValues;
  /** Defaults that depend on other fields. Runs before the defaults of nested types. */
  readonly rule?: DefaultRule;
}

/** Defaults by type: the definition name without its common prefix, such as `apps.v1.DeploymentSpec`. */
export type TypeDefaults = Readonly<Record<string, TypeDefault>>;

/** Fields of a type and the values they get when they are left away. */
export type DefaultValues = Readonly<Record<string, unknown>>;

/** Fills in fields of a value of one type, in place. */
export type DefaultRule = (value: JsonRecord) => void;

/** Parts that are always there, so that they have defaults of their own even when nobody wrote them. */
export function createParts(...names: readonly string[]): DefaultRule {
  return (value) => {
    for (const name of names) partOf(value, name);
  };
}

export function labelsFrom(value: JsonRecord, labels: JsonRecord): void {
  if (entriesAt(value, "metadata", "labels").length === 0) partOf(value, "metadata")["labels"] = deepClone(labels);
}

export const defaultPhase =
  (word: string): DefaultRule =>
  (value) =>
    fill(partOf(value, "status"), { phase: word });
