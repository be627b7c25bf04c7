import { labelSelectorFrom, type Quantity } from "@homeostat/core";
import { one } from "./resource-lists.ts";

/** The way ResourceQuotas measure objects of one kind, in addition to `count/<resource>`, which counts every kind. */
export interface QuotaEvaluator {
  /** Reports whether a name in a quota measures objects of the kind. */
  readonly measures: (name: string) => boolean;
  /** Returns the usage of an object, by the names in quotas. */
  readonly usage: (object: unknown, nowMs: number) => ReadonlyMap<string, Quantity>;
  /** Reports whether an update can change the usage. Default: it cannot. */
  readonly measuresUpdate?: (object: unknown, old: unknown) => boolean;
  /** Subresources whose updates can change the usage. */
  readonly measuredSubresources?: readonly string[];
  /** Reports whether an object is in a scope. Default: it is in none. */
  readonly isInScope?: (object: unknown, scope: QuotaScope) => boolean;
  /** Returns an error if an object lacks values that a quota with these names requires; empty if it has them. */
  readonly missingText?: (object: unknown, names: readonly string[]) => string;
}

/** A condition on the objects that a quota measures. */
export interface QuotaScope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Returns the evaluator of a kind that quotas can also count by its plural. */
export function countedAs(plural: string): QuotaEvaluator {
  return { measures: (name) => name === plural, usage: () => new Map([[plural, one]]) };
}

/** Reports whether a class name, such as that of a PriorityClass, matches a scope. */
export function fitsClass({ name, operator, values }: QuotaScope, className: string): boolean {
  if (operator === "Exists") return className !== "";
  const selector = labelSelectorFrom({ matchExpressions: [{ key: name, operator, values: [...values] }] });
  return selector.matches(className === "" ? {} : { [name]: className });
}
