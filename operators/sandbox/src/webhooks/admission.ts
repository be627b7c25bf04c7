// Steps that the validating webhooks of all kinds share.

import type { AdmissionContext, Finding } from "homeostat";
import { type Clock, type DeepReadonly, isEqual, type KubeObject } from "@homeostat/core";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import { combinePolicies } from "../policy/effective-policy.ts";
import type { PolicyWorld } from "../policy/denials.ts";
import { dryRunWarnings, type PreviewLine } from "../preview/preview.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { findingOf, type ObjectProblem, type ObjectWarning } from "../validation/problem.ts";
import { mapBounded } from "./bounded.ts";
import type { ClusterReader } from "./cluster-reader.ts";

/** Dependencies of all webhooks. */
export interface WebhookTools {
  readonly config: () => OperatorConfig;
  readonly reader: ClusterReader;
  readonly clock: Clock;
  /** Deadline for all requests of one check. Default: the time within which a webhook responds. */
  readonly limitMs?: number | undefined;
}

/** The parts of an admission request that checks depend on. */
export type ChangeContext = Pick<AdmissionContext, "dryRun" | "namespace" | "signal" | "user">;

/** An object of an admission request, and the one that it replaces. */
export interface Change<T> {
  readonly object: T;
  readonly old: T | undefined;
  readonly context: ChangeContext;
}

/** The result of the checks of a change. */
export interface ObjectCheck {
  readonly problems: readonly ObjectProblem[];
  /** Problems that the old object also has in the current state of the cluster. */
  readonly known: readonly ObjectProblem[];
  readonly warnings: readonly ObjectWarning[];
  /** Effects of the change. Empty unless the request is a dry run. */
  readonly preview: readonly PreviewLine[];
}

/** The result for a change without anything to check. */
export const nothingToCheck: ObjectCheck = { problems: [], known: [], warnings: [], preview: [] };

/** An object with a spec. */
type WithSpec = DeepReadonly<KubeObject> & { readonly spec: unknown };

/**
 * Reports whether the spec is new or changed. If it is unchanged, only metadata is checked: a stored object must remain deletable under new rules,
 * and removing its finalizer is an update.
 */
export function changesSpec<T extends WithSpec>({ object, old }: Change<T>): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false;
  return old === undefined || !isEqual(object.spec, old.spec);
}

/**
 * Yields problems as denials. A problem that the object had before this update is a warning: new rules, limits and policies must not
 * block other changes. The effects of a dry run come last, because the length of all warnings is limited.
 */
export function* findingsOf({ problems, known, warnings, preview }: ObjectCheck): Iterable<Finding> {
  const before = new Set(known.map(textOf));
  for (const problem of problems) if (!before.has(textOf(problem))) yield findingOf(problem);
  const shown = [
    ...problems
      .filter((problem) => before.has(textOf(problem)))
      .map(({ path, message }) => ({ path, message: `${message} (already present before this update)` })),
    ...warnings,
  ];
  for (const { path, message } of shown) yield { field: path, message, warn: true };
  const used = shown.reduce((sum, { path, message }) => sum + Math.min(path.length + message.length + 2, 256), 0);
  for (const message of dryRunWarnings(preview, used)) yield { message, warn: true };
}

function textOf({ path, code, message }: ObjectProblem): string {
  return JSON.stringify([path, code, message]);
}

/** Reads the policies of namespaces. */
export async function readPolicies(
  namespaces: Iterable<string>,
  reader: Pick<ClusterReader, "namespaceLabels" | "policies">,
  signal: AbortSignal,
): Promise<PolicyWorld["policyOf"]> {
  const found = await mapBounded(
    [...new Set(namespaces)],
    async (name): Promise<[string, EffectivePolicy] | undefined> => {
      const [labels, policies] = await Promise.all([
        reader.namespaceLabels(name, signal),
        reader.policies(name, signal),
      ]);
      return labels === undefined ? undefined : [name, combinePolicies({ name, labels, policies })];
    },
  );
  const byName = new Map(found.filter((entry) => entry !== undefined));
  return (namespace) => byName.get(namespace);
}
