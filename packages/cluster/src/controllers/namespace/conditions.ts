import { type DeepReadonly, formatTime, type GroupVersionResource } from "@homeostat/core";
import type { NamespaceCondition } from "@homeostat/kubernetes/core/v1";

/** Result of an attempt to delete the content of a namespace. */
export interface Findings {
  /** Error of discovery; undefined when all kinds are known. */
  readonly discoveryProblem?: string | undefined;
  /** Errors of deletions. */
  readonly deletionProblems: readonly string[];
  /** Numbers of remaining objects by kind. */
  readonly remaining: readonly { readonly kind: GroupVersionResource; readonly count: number }[];
  /** Numbers of remaining objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** Conditions in the order in which they are first written, with reason and message of the good case. */
const wellKnown = [
  ["NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"],
  ["NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"],
  [
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  ["NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"],
  ["NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"],
] as const;

type ConditionType = (typeof wellKnown)[number][0];

/** Returns the conditions of a namespace that is being deleted; the same array when nothing changed. */
export function namespaceConditions(
  before: readonly DeepReadonly<NamespaceCondition>[],
  findings: Findings,
  now: number,
): readonly DeepReadonly<NamespaceCondition>[] {
  const bad = problems(findings);
  let after = before;
  for (const [type, okReason, okMessage] of wellKnown) {
    const [reason, message] = bad.get(type) ?? [okReason, okMessage];
    const status = bad.has(type) ? "True" : "False";
    const was = before.find((condition) => condition.type === type);
    if (was === undefined) {
      after = [...after, { type, status, lastTransitionTime: formatTime(now), reason, message }];
    } else if (was.status !== status || was.reason !== reason || was.message !== message) {
      const moved = was.status === status ? {} : { lastTransitionTime: formatTime(now) };
      after = after.map((condition) => (condition === was ? { ...was, ...moved, status, reason, message } : condition));
    }
  }
  return after;
}

function problems(findings: Findings): ReadonlyMap<ConditionType, readonly [reason: string, message: string]> {
  const found = new Map<ConditionType, readonly [string, string]>();
  const { discoveryProblem, deletionProblems, remaining, finalizers } = findings;
  if (discoveryProblem !== undefined) {
    found.set("NamespaceDeletionDiscoveryFailure", ["DiscoveryFailed", discoveryProblem]);
  }
  if (deletionProblems.length > 0) {
    const list = [...deletionProblems].sort(byBytes).join(", ");
    const message = `Failed to delete all resource types, ${deletionProblems.length} remaining: ${list}`;
    found.set("NamespaceDeletionContentFailure", ["ContentDeletionFailed", message]);
  }
  if (remaining.length > 0) {
    const list = remaining.map(({ kind, count }) => `${kind.plural}.${kind.group} has ${count} resource instances`);
    const message = `Some resources are remaining: ${list.sort(byBytes).join(", ")}`;
    found.set("NamespaceContentRemaining", ["SomeResourcesRemain", message]);
  }
  if (finalizers.size > 0) {
    const list = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
    const message = `Some content in the namespace has finalizers remaining: ${list.sort(byBytes).join(", ")}`;
    found.set("NamespaceFinalizersRemaining", ["SomeFinalizersRemain", message]);
  }
  return found;
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
