// Rules for `spec.podSecurity`: the syntax of the version, and the minimum that the operator's administrator sets.

import type { DeepReadonly } from "homeostat";
import {
  comparePodSecurityLevels,
  parsePodSecurityVersion,
  type PodSecurityLevel,
  podSecurityLevels,
} from "@homeostat/core";
import { invalidField, type Problem } from "@homeostat/schema";
import type { PodSecuritySpec } from "../api/tenant.ts";
import { resolvePodSecurity } from "../build/resolve.ts";
import type { RuleSettings } from "../settings/settings.ts";

/**
 * The oldest version of the levels that satisfies a minimum level.
 *
 * A level of an older version has fewer checks: seccomp profiles are not checked before v1.19, and capabilities of
 * restricted pods not before v1.22. In v1.25 Pod Security became stable.
 */
const oldestMinor = 25;

/**
 * Checks that the namespace would enforce at least the operator's minimum level.
 *
 * The author of a tenant can grant themselves the admin role in its namespace. Only the level of the namespace then prevents
 * privileged pods, which give root access to a node.
 */
export function* podSecurityProblems(
  podSecurity: DeepReadonly<PodSecuritySpec> | undefined,
  { minimumPodSecurity: minimum }: Pick<RuleSettings, "minimumPodSecurity">,
): Iterable<Problem> {
  const { enforce, version } = resolvePodSecurity(podSecurity);
  const isAllowed = (level: PodSecurityLevel): boolean => comparePodSecurityLevels(level, minimum) >= 0;
  if (!isAllowed(enforce)) {
    const allowed = podSecurityLevels.filter(isAllowed).join(" or ");
    yield invalidField(
      "spec.podSecurity.enforce",
      enforce,
      `is weaker than ${minimum}, the minimum of this operator; use ${allowed}, or ask a cluster administrator to lower --minimum-pod-security`,
    );
  }
  const minor = parsePodSecurityVersion(version);
  if (minor === undefined) {
    yield invalidField("spec.podSecurity.version", version, "must be latest or a version such as v1.30");
  } else if (minor !== "latest" && minor < oldestMinor && minimum !== "privileged") {
    yield invalidField(
      "spec.podSecurity.version",
      version,
      `must be latest or at least v1.${oldestMinor}: older versions of the levels have fewer checks`,
    );
  }
}
