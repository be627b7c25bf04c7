import { baselineChecks } from "./baseline.ts";
import type { PodLike, SecurityCheck, Violation } from "./check.ts";
import type { SecurityStandard } from "./levels.ts";
import { restrictedChecks } from "./restricted.ts";

/**
 * Returns all violations of a standard, in the order of the real server: baseline checks first. A restricted check can
 * replace a baseline check, which then is not reported as well.
 */
export function violationsOf(pod: PodLike, { level, minor = Infinity }: SecurityStandard): Violation[] {
  if (level === "privileged") return [];
  const strict = level === "baseline" ? [] : restrictedChecks.filter((check) => versionAt(check, minor) !== undefined);
  const overridden = new Set(strict.map((check) => check.overrides));
  const checks = [...baselineChecks.filter(({ id }) => !overridden.has(id)), ...strict];
  return checks.flatMap((check) => {
    const violation = versionAt(check, minor)?.check(pod);
    return violation === undefined ? [] : [violation];
  });
}

/** Formats violations with details: `privileged (container "a" must not ...), hostPort (...)`. */
export function detailedText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}

/** Formats violations without details: `privileged, hostPort`. */
export function shortText(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(", ");
}

function versionAt({ versions }: SecurityCheck, minor: number): SecurityCheck["versions"][number] | undefined {
  return versions.findLast(({ since }) => since <= minor);
}
