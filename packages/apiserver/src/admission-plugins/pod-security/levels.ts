// The Pod Security Standards that the labels of a namespace select.

import {
  comparePodSecurityLevels,
  parsePodSecurityVersion,
  podSecurityLabelPrefix as prefix,
  type PodSecurityLevel,
  podSecurityLevels as levels,
} from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import { Field } from "../../validation/field.ts";
import { textAt, valueAt } from "../../values/fields.ts";

/** A standard as of a release: `minor` of Kubernetes 1, or undefined for the latest. */
export interface SecurityStandard {
  readonly level: PodSecurityLevel;
  readonly minor: number | undefined;
}

/** The policy of a namespace: the standards for refusing, auditing and warning. */
export interface SecurityPolicy {
  readonly enforce: SecurityStandard;
  readonly audit: SecurityStandard;
  readonly warn: SecurityStandard;
}

const defaultStandard: SecurityStandard = { level: "privileged", minor: undefined };

/** Formats a standard for messages: `restricted:latest`. */
export function standardText({ level, minor }: SecurityStandard): string {
  return `${level}:${minor === undefined ? "latest" : `v1.${minor}`}`;
}

/** Reports whether two standards are equal. */
export function isSameStandard(a: SecurityStandard, b: SecurityStandard): boolean {
  return a.level === b.level && a.minor === b.minor;
}

/** Reports whether a policy requires nothing. */
export function isPrivileged({ enforce, audit, warn }: SecurityPolicy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === "privileged");
}

/**
 * Parses the labels of a namespace and returns the policy and the problems with the labels.
 *
 * There is always a policy: an invalid enforce level counts as the most restrictive, so that a typo does not disable
 * enforcement; an invalid audit or warn level counts as privileged. If only enforce is set, warn follows it.
 */
export function policyOf(namespace: unknown): {
  readonly policy: SecurityPolicy;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const read = (
    mode: string,
    fallback: PodSecurityLevel,
  ): { standard: SecurityStandard; isSet: boolean; isValid: boolean } => {
    const [level, version] = [label(namespace, mode), label(namespace, `${mode}-version`)];
    const validLevel = level === undefined ? defaultStandard.level : levels.find((each) => each === level);
    if (validLevel === undefined) addProblem(problems, mode, level, `must be one of ${levels.join(", ")}`);
    const parsed = parsePodSecurityVersion(version ?? "latest");
    if (parsed === undefined) {
      addProblem(problems, `${mode}-version`, version, 'must be "latest" or "v1.x"');
    }
    const minor = parsed === "latest" ? undefined : parsed;
    return {
      standard: { level: validLevel ?? fallback, minor },
      isSet: level !== undefined,
      isValid: validLevel !== undefined,
    };
  };
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  const warnsAsEnforced =
    !warn.isSet &&
    enforce.isSet &&
    enforce.isValid &&
    comparePodSecurityLevels(enforce.standard.level, warn.standard.level) > 0;
  const warned: SecurityStandard = warnsAsEnforced
    ? {
        level: enforce.standard.level,
        minor: label(namespace, "warn-version") === undefined ? enforce.standard.minor : warn.standard.minor,
      }
    : warn.standard;
  return { policy: { enforce: enforce.standard, audit: audit.standard, warn: warned }, problems };
}

function label(namespace: unknown, mode: string): string | undefined {
  const labels = valueAt(namespace, "metadata", "labels");
  return valueAt(labels, prefix + mode) === undefined ? undefined : textAt(labels, prefix + mode);
}

function addProblem(problems: Problem[], mode: string, value: unknown, detail: string): void {
  new Field(value, `metadata.labels[${prefix}${mode}]`, problems).invalid(detail);
}
