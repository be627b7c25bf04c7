// Paths of SandboxPolicies that allow or forbid patches.

import { isList, isRecord, ownValue, parsePointer } from "@homeostat/core";
import type { Change, DiffStep } from "./diff.ts";

/** Fields that policies of the namespace allow and forbid to patch, as prefixes of JSON Pointers into the workload object. */
export interface PatchPolicy {
  readonly allowPatchPaths: readonly string[];
  readonly denyPatchPaths: readonly string[];
}

/** A parsed prefix. An element of a list is named by its index, its name or `*`. */
export type PathPrefix = readonly string[];

/** Parses prefixes. A prefix that is not a JSON Pointer matches nothing; the schema of policies does not accept it. */
export function parsePrefixes(prefixes: readonly string[]): PathPrefix[] {
  return prefixes.flatMap((prefix) =>
    /~(?![01])/.test(prefix) || !prefix.startsWith("/") ? [] : [parsePointer(prefix)],
  );
}

/** Reports whether a path is a prefix or below it. */
export function isBelow(steps: readonly DiffStep[], prefix: PathPrefix): boolean {
  return prefix.length <= steps.length && prefix.every((name, index) => isStep(steps[index], name));
}

/**
 * Reports whether a change affects a prefix: the change is below the prefix, or adds, changes or removes the field at the prefix.
 */
export function concerns(change: Change, prefix: PathPrefix): boolean {
  const { steps } = change;
  if (isBelow(steps, prefix)) return true;
  if (!steps.every((step, index) => isStep(step, prefix[index]))) return false;
  const rest = prefix.slice(steps.length);
  return hasPath(change.old, rest) || hasPath(change.new, rest);
}

function isStep(step: DiffStep | undefined, name: string | undefined): boolean {
  if (step === undefined || name === undefined) return false;
  if (typeof step === "string") return step === name || name === "*";
  return name === "*" || name === String(step.index) || name === step.key;
}

function hasPath(value: unknown, [name, ...rest]: PathPrefix): boolean {
  if (name === undefined) return value !== undefined;
  if (isList(value)) {
    return value.some((each, index) => {
      const key = isRecord(each) ? ownValue(each, "name") : undefined;
      return (name === "*" || name === String(index) || name === key) && hasPath(each, rest);
    });
  }
  if (!isRecord(value)) return false;
  return name === "*" ? Object.values(value).some((each) => hasPath(each, rest)) : hasPath(ownValue(value, name), rest);
}
