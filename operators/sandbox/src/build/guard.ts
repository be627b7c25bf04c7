// The guard of patches: a Sandbox must not give its pods more privileges than the pods of the baseline have.

import { canonicalJson, cutText, type JsonRecord } from "@homeostat/core";
import type { TemplateSpec } from "./baseline.ts";
import { type DiffStep, diffValues, pointerOf } from "./diff.ts";
import * as fields from "./guard-rules.ts";
import * as security from "./guard-security.ts";
import { concerns, isBelow, parsePrefixes, type PatchPolicy } from "./patch-paths.ts";

/** The rules, by name. `allowPatchPaths` of a policy exempts fields from them. */
export const guardRules: Readonly<Record<string, fields.GuardRule>> = {
  identityAndPlacement: fields.identityAndPlacement,
  serviceAccountToken: fields.serviceAccountToken,
  hostNamespaces: fields.hostNamespaces,
  userNamespace: fields.userNamespace,
  capabilities: security.capabilities,
  privileged: security.privileged,
  hostProcess: security.hostProcess,
  privilegeEscalation: security.privilegeEscalation,
  rootUser: security.rootUser,
  nonRoot: security.nonRoot,
  procMount: security.procMount,
  confinement: security.confinement,
  sysctls: security.sysctls,
  hostPathVolumes: fields.hostPathVolumes,
  projectedTokens: fields.projectedTokens,
  csiVolumes: fields.csiVolumes,
  clusterHostAliases: fields.clusterHostAliases,
  ephemeralContainers: fields.ephemeralContainers,
};

/** A change of a patch that is not allowed. */
export interface Violation {
  /** Name of the rule; `denyPatchPaths` for a path that a policy forbids. */
  readonly rule: string;
  /** JSON Pointer into the workload object. */
  readonly pointer: string;
  /** The value after the patches as JSON, truncated; undefined if the patches removed it. */
  readonly value: string | undefined;
  readonly reason: string;
}

/** The workload object before and after the patches of an entry. */
export interface PatchComparison {
  readonly before: Readonly<JsonRecord>;
  readonly after: Readonly<JsonRecord>;
  readonly podBefore: TemplateSpec;
  readonly podAfter: TemplateSpec;
  readonly policy: PatchPolicy;
  readonly names: fields.ClusterNames;
}

const podSteps: readonly DiffStep[] = ["spec", "template", "spec"];
const valueLengthMax = 120;

/** Returns all changes that are not allowed, sorted by path. */
export function findViolations({ before, after, podBefore, podAfter, policy, names }: PatchComparison): Violation[] {
  const allowed = parsePrefixes(policy.allowPatchPaths);
  const denied = parsePrefixes(policy.denyPatchPaths);
  const found = new Map<string, Violation>();
  const note = (rule: string, steps: readonly DiffStep[], value: unknown, reason: string): void => {
    const pointer = pointerOf(steps);
    const shown = value === undefined ? undefined : cutText(canonicalJson(value), valueLengthMax);
    if (!found.has(pointer)) found.set(pointer, { rule, pointer, value: shown, reason });
  };
  // Forbidden paths are checked first: they take precedence over allowed paths.
  const changes = denied.length === 0 ? [] : diffValues(before, after);
  for (const change of changes) {
    if (denied.some((prefix) => concerns(change, prefix))) {
      note(
        "denyPatchPaths",
        change.steps,
        change.new,
        "a SandboxPolicy of the namespace forbids patches of this field",
      );
    }
  }
  for (const [rule, find] of Object.entries(guardRules)) {
    for (const { steps, value, reason } of find({ before: podBefore, after: podAfter, names })) {
      const path = [...podSteps, ...steps];
      if (!allowed.some((prefix) => isBelow(path, prefix))) note(rule, path, value, reason);
    }
  }
  return [...found.values()].toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1));
}

/** Describes a violation with the next step. */
export function describeViolation({ rule, pointer, value, reason }: Violation): string {
  const change = value === undefined ? `patches remove ${pointer}` : `patches set ${pointer} to ${value}`;
  const advice =
    rule === "denyPatchPaths"
      ? "remove it from the patches"
      : "remove it from the patches, or add the path to allowPatchPaths of a SandboxPolicy";
  return `${change}: ${reason}; ${advice}`;
}
