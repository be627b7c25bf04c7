// Finds the sandboxes that a change of a route group affects.

import { compareText } from "./keys.ts";
import { compileMatch, effectiveLabels } from "./match.ts";
import { isRoutedSandbox } from "./sandbox-routes.ts";
import type { RouteGroupView, SandboxView } from "./views.ts";

/** A group before or after a change. */
export interface ChangedGroup extends Pick<RouteGroupView, "namespace" | "match" | "routes"> {
  /** `status.matchedSandboxes`. */
  readonly matchedSandboxes: readonly string[] | undefined;
}

/**
 * Returns the names of the sandboxes that a change of a group affects, sorted: those that the tree matches before and after the change, and those
 * that its routes name before and after.
 *
 * `before` is undefined for a new group, `after` for a deleted one. A deleted group is compared by the sandboxes in its status: its labels
 * and theirs may have changed since it matched them. All sandboxes must be of the namespace of the group.
 */
export function findSandboxesForRouteGroup(
  { before, after }: { readonly before: ChangedGroup | undefined; readonly after: ChangedGroup | undefined },
  sandboxes: Iterable<SandboxView>,
): readonly string[] {
  const names = new Set<string>();
  const isDeleted = after === undefined && before?.matchedSandboxes !== undefined;
  if (isDeleted) for (const name of before.matchedSandboxes) names.add(name);
  const tests = [isDeleted ? undefined : before, after].flatMap((group) =>
    group === undefined ? [] : [compileMatch(group.match)],
  );
  for (const sandbox of sandboxes) {
    if (!isRoutedSandbox(sandbox)) continue;
    const labels = effectiveLabels(sandbox.metadataLabels, sandbox.specLabels);
    if (tests.some((test) => test(labels))) names.add(sandbox.name);
  }
  for (const group of [before, after]) for (const { targetSandbox } of group?.routes ?? []) names.add(targetSandbox);
  return [...names].sort(compareText);
}
