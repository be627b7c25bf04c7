// Steps that the validating webhooks of all kinds share.

import type { AdmissionContext, Finding } from "homeostat";
import { type Clock, type DeepReadonly, isEqual, type KubeObject } from "@homeostat/core";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import { combinePolicies } from "../policy/effective-policy.ts";
import type { PolicyWorld } from "../policy/denials.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { findingOf, type ObjectProblem, type ObjectWarning } from "../validation/problem.ts";
import { mapBounded } from "./bounded.ts";
import type { ClusterReader } from "./cluster-reader.ts";

/** Dependencies of all webhooks. */
export interface WebhookTools {
  readonly config: () => OperatorConfig;
  readonly reader: ClusterReader;
  readonly clock: Clock;
}

/** An object of an admission request, and the one that it replaces. */
export interface Change<T> {
  readonly object: T;
  readonly old: T | undefined;
  readonly context: AdmissionContext;
}

/** An object with a spec. */
type WithSpec = DeepReadonly<KubeObject> & { readonly spec: unknown };

/**
 * Reports whether the spec is new or changed. Without that there is nothing to check but metadata: a stored object must stay deletable
 * under new rules, and removing its finalizer is an update.
 */
export function changesSpec<T extends WithSpec>({ object, old }: Change<T>): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false;
  return old === undefined || !isEqual(object.spec, old.spec);
}

/**
 * Yields problems as denials. A problem that the object had before this update is a warning: new rules, limits and policies must not
 * block other changes.
 */
export function* findingsOf(
  problems: readonly ObjectProblem[],
  {
    known = [],
    warnings = [],
  }: { readonly known?: readonly ObjectProblem[]; readonly warnings?: Iterable<ObjectWarning> },
): Iterable<Finding> {
  const before = new Set(known.map(textOf));
  for (const problem of problems) {
    if (!before.has(textOf(problem))) yield findingOf(problem);
    else yield { field: problem.path, message: `${problem.message} (already present before this update)`, warn: true };
  }
  for (const { path, message } of warnings) yield { field: path, message, warn: true };
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
