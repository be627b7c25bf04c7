// The page of a RouteGroup: its match tree with the sandboxes that each node matches, and conflicts with their winners.

import type { Stored } from "@homeostat/core";
import {
  compileMatch,
  effectiveLabels,
  type MatchNode,
  type RouteGroup,
  type Sandbox,
} from "@homeostat/sandbox-operator";
import type { ConflictView, MatchResult } from "../api/sandbox-types.ts";

/** Returns a match tree in which every node has the sandboxes that it matches, by the same tests as the operator's. */
export function matchTree(node: MatchNode, sandboxes: readonly Stored<Sandbox>[]): MatchResult {
  const test = compileMatch(node);
  return {
    text: nodeText(node),
    matched: sandboxes
      .filter(({ metadata, spec }) => test(effectiveLabels(metadata.labels ?? {}, spec.labels)))
      .map(({ metadata }) => metadata.name)
      .toSorted(),
    children: [...(node.any ?? []), ...(node.all ?? [])].map((child) => matchTree(child, sandboxes)),
  };
}

function nodeText({ label, selector, any, all }: MatchNode): string {
  if (label !== undefined) return `label ${label.key} is ${label.value}`;
  if (any !== undefined) return "any of";
  if (all !== undefined) return "all of";
  const parts = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector?.matchExpressions ?? []).map(({ key, operator, values }) =>
      [key, operator, ...(values?.length ? [`(${values.join(", ")})`] : [])].join(" "),
    ),
  ];
  return `selector ${parts.join(", ") || "of all sandboxes"}`;
}

/** Returns the conflicts of a group with the rule that decided each of them. */
export function conflictViews(
  { spec: { conflictPolicy }, status: { conflicts = [] } }: Stored<RouteGroup>,
  sandboxes: readonly Stored<Sandbox>[],
): ConflictView[] {
  const named = new Map(sandboxes.map((sandbox) => [sandbox.metadata.name, sandbox]));
  return conflicts.map(({ service, winner, losers }) => ({
    service,
    winner,
    losers,
    why:
      winner === ""
        ? rejected(conflictPolicy)
        : whyWins(
            named.get(winner),
            losers.map((name) => named.get(name)),
          ),
  }));
}

function rejected(policy: string): string {
  return `conflictPolicy is ${policy} and several sandboxes have the highest priority. Give one of them a higher priority.`;
}

/** Returns the first rule that sets the winner apart from every loser: priority, then age, then name. */
function whyWins(winner: Stored<Sandbox> | undefined, losers: readonly (Stored<Sandbox> | undefined)[]): string {
  const others = losers.filter((one) => one !== undefined);
  if (winner === undefined || others.length === 0) return "";
  const { priority } = winner.spec;
  if (others.every(({ spec }) => spec.priority < priority)) return `It has the highest priority, ${priority}.`;
  const createdAt = winner.metadata.creationTimestamp ?? "";
  const equal = others.filter(({ spec }) => spec.priority === priority);
  const times = equal.map(({ metadata }) => metadata.creationTimestamp ?? "");
  if (times.every((time) => time > createdAt)) return "It is the oldest of those with the highest priority.";
  if (times.every((time) => time < createdAt)) return "It is the newest of those with the highest priority.";
  return "Priority and age are equal; its name is the first.";
}
