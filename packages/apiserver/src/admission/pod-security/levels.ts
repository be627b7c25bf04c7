// Which standard a namespace holds its pods to, by its labels.

import type { Problem } from "@homeostat/schema";
import { Field } from "../../kinds/shared/field.ts";
import { textAt, valueAt } from "../../values/fields.ts";

/** The three Pod Security Standards, from nothing asked to everything asked. */
export type SecurityLevel = "privileged" | "baseline" | "restricted";

/** A standard as it was in a release: `minor` of Kubernetes 1, or undefined for the newest. */
export interface SecurityStandard {
  readonly level: SecurityLevel;
  readonly minor: number | undefined;
}

/** What a namespace asks: refuse, note, or warn of pods that miss the standard. */
export interface SecurityPolicy {
  readonly enforce: SecurityStandard;
  readonly audit: SecurityStandard;
  readonly warn: SecurityStandard;
}

const prefix = "pod-security.kubernetes.io/";
const levels: readonly SecurityLevel[] = ["privileged", "baseline", "restricted"];
const anything: SecurityStandard = { level: "privileged", minor: undefined };

/** A standard in messages: `restricted:latest`. */
export function standardText({ level, minor }: SecurityStandard): string {
  return `${level}:${minor === undefined ? "latest" : `v1.${minor}`}`;
}

/** Whether two standards are the same one. */
export function isSameStandard(a: SecurityStandard, b: SecurityStandard): boolean {
  return a.level === b.level && a.minor === b.minor;
}

/** How much more one level asks than another: negative, zero or positive. */
export function compareLevels(a: SecurityLevel, b: SecurityLevel): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

/** Whether nothing at all is asked. */
export function isPrivileged({ enforce, audit, warn }: SecurityPolicy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === "privileged");
}

/**
 * The policy in the labels of a namespace, and what is wrong with them.
 *
 * There is always a policy: a level to enforce that cannot be read counts as the strictest, one to warn or note of as none.
 */
export function policyOf(namespace: unknown): {
  readonly policy: SecurityPolicy;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const read = (
    mode: string,
    fallback: SecurityLevel,
  ): { standard: SecurityStandard; isSaid: boolean; isRead: boolean } => {
    const [level, version] = [label(namespace, mode), label(namespace, `${mode}-version`)];
    const known = level === undefined ? anything.level : levels.find((each) => each === level);
    if (known === undefined) complain(problems, mode, level, `must be one of ${levels.join(", ")}`);
    const minor = version === undefined || version === "latest" ? undefined : minorOf(version);
    if (version !== undefined && version !== "latest" && minor === undefined) {
      complain(problems, `${mode}-version`, version, 'must be "latest" or "v1.x"');
    }
    return { standard: { level: known ?? fallback, minor }, isSaid: level !== undefined, isRead: known !== undefined };
  };
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  const isWarnedToo =
    !warn.isSaid && enforce.isSaid && enforce.isRead && compareLevels(enforce.standard.level, warn.standard.level) > 0;
  const warned: SecurityStandard = isWarnedToo
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

function minorOf(version: string): number | undefined {
  const [, digits] = /^v1\.(0|[1-9][0-9]*)$/.exec(version) ?? [];
  return digits === undefined || digits.length > 9 ? undefined : Number(digits);
}

function complain(problems: Problem[], mode: string, value: unknown, detail: string): void {
  new Field(value, `metadata.labels[${prefix}${mode}]`, problems).invalid(detail);
}
