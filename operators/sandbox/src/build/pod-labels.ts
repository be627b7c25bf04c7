// Labels of the pods of a fork. A pod of a fork must never be an endpoint of a Service of the baseline: requests without a routing key
// would reach it.

import { ParseError } from "@homeostat/core";
import { compilePattern, type Pattern } from "@homeostat/cel";
import { selectsPods } from "../api/pod-selector.ts";
import { isOwnKey } from "./metadata.ts";
import { type CachedService, viewService } from "./service-view.ts";

/** Labels of pods. */
export type PodLabels = Readonly<Record<string, string>>;

/** Compiled patterns of `preserveLabels`, or the index and problem of an invalid one. */
export type LabelPatterns =
  | { readonly patterns: readonly Pattern[] }
  | { readonly index: number; readonly problem: string };

/** Compiles patterns of label keys. Each must match a whole key. */
export function compileLabelPatterns(sources: readonly string[]): LabelPatterns {
  const patterns: Pattern[] = [];
  for (const [index, source] of sources.entries()) {
    try {
      // The pattern is compiled on its own first, because `a)(b` would be valid inside of the group.
      compilePattern(source);
      patterns.push(compilePattern(`^(?:${source})$`));
    } catch (error) {
      if (error instanceof ParseError) return { index, problem: error.problem };
      throw error;
    }
  }
  return { patterns };
}

/** Returns the labels of the baseline that patterns preserve. A fork of a fork does not inherit the labels of the operator. */
export function preservedLabels(baseline: PodLabels, patterns: readonly Pattern[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(baseline).filter(([key]) => !isOwnKey(key) && patterns.some((pattern) => pattern.test(key))),
  );
}

/** Pod labels that no Service of the namespace selects, or the Services that would select the pods. */
export type SafeLabels =
  | { readonly labels: Record<string, string>; readonly omitted: readonly string[] }
  | { readonly conflicts: readonly LabelConflict[] };

/** A Service that would send its requests to the fork. */
export interface LabelConflict {
  readonly service: string;
  /** The labels that it selects by. */
  readonly selector: PodLabels;
}

/** Labels of a fork by origin. */
export interface LabelSources {
  /** All labels, after patches. */
  readonly labels: PodLabels;
  /** Labels of the Sandbox, which can be dropped. */
  readonly fromSandbox: PodLabels;
  /** Services of the namespace. */
  readonly services: readonly CachedService[];
}

/**
 * Returns pod labels that no Service of a user selects. Labels of the Sandbox that would complete a selector are dropped, such as `app: cart`;
 * preserved and patched labels are kept, because the user requested them for the pods.
 *
 * Services that select by a label of the operator are intended for forks: its own Services, and those of users who want to reach a fork.
 */
export function avoidServices({ labels, fromSandbox, services }: LabelSources): SafeLabels {
  const omitted = new Set<string>();
  const conflicts: LabelConflict[] = [];
  for (const service of services.map(viewService)) {
    if (!selectsPods(service, labels) || Object.keys(service.selector).some(isOwnKey)) continue;
    const removable = Object.keys(service.selector).filter((key) => comesFrom(fromSandbox, key, labels));
    if (removable.length === 0) conflicts.push({ service: service.name, selector: service.selector });
    for (const key of removable) omitted.add(key);
  }
  if (conflicts.length > 0) return { conflicts: conflicts.toSorted((a, b) => (a.service < b.service ? -1 : 1)) };
  const kept = Object.entries(labels).filter(([key]) => !omitted.has(key));
  return { labels: Object.fromEntries(kept), omitted: [...omitted].toSorted() };
}

/** Reports whether a label has the value that the Sandbox gave it. A patch may have set another. */
function comesFrom(fromSandbox: PodLabels, key: string, labels: PodLabels): boolean {
  return Object.hasOwn(fromSandbox, key) && fromSandbox[key] === labels[key];
}
