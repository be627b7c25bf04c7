import { labelSelectorFrom } from "@homeostat/core";
import { compareBytes } from "../../codec/go-text.ts";
import type { ClusterRoleObject } from "./objects.ts";
import type { Rule } from "./rule.ts";

/** Whether a role is the sum of others. */
export function isAggregated(role: ClusterRoleObject): boolean {
  return (role.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

/**
 * The rules of a role that is the sum of others: those of every other role that one of its selectors chooses, each once,
 * selector by selector and in the order of names. A role that is no sum keeps its own.
 *
 * Throws an `InvalidSelectorError` for a selector no server would have stored.
 */
export function aggregatedRules(role: ClusterRoleObject, all: Iterable<ClusterRoleObject>): readonly Rule[] {
  return isAggregated(role) ? sumOf(role, inOrder(all)) : (role.rules ?? []);
}

function inOrder(roles: Iterable<ClusterRoleObject>): ClusterRoleObject[] {
  return [...roles].sort((a, b) => compareBytes(a.metadata.name ?? "", b.metadata.name ?? ""));
}

function sumOf(role: ClusterRoleObject, ordered: readonly ClusterRoleObject[]): Rule[] {
  const rules = new Map<string, Rule>();
  for (const object of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorFrom(object);
    for (const other of ordered) {
      if (other.metadata.name === role.metadata.name || !selector.matches(other.metadata.labels ?? {})) continue;
      for (const rule of other.rules ?? []) {
        const key = keyOf(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** A text that only equal rules have in common. A list that is missing is like one that is empty. */
function keyOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
}

function isSame(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => keyOf(rule) === keyOf(b[index] ?? {}));
}

/**
 * The roles whose stored rules are not the sum they should be, with the right rules.
 *
 * A sum may be part of another sum, so this goes on with what it found until nothing changes: the result is what the
 * cluster would come to rest at.
 */
export function aggregationChanges<T extends ClusterRoleObject>(
  roles: Iterable<T>,
): (T & { rules: readonly Rule[] })[] {
  const originals = [...roles];
  const current = new Map(inOrder(originals).map((role) => [role.metadata.name ?? "", role]));
  const sums = [...current.values()].filter(isAggregated).map(({ metadata }) => metadata.name ?? "");
  const changed = new Map<string, readonly Rule[]>();
  // Rules only ever travel along selectors: after as many rounds as there are sums nothing new can arrive.
  for (let round = 0, isSettled = false; round <= sums.length && !isSettled; round += 1) {
    isSettled = true;
    for (const name of sums) {
      const role = current.get(name);
      if (role === undefined) continue;
      const rules = sumOf(role, [...current.values()]);
      if (isSame(rules, role.rules ?? [])) continue;
      isSettled = false;
      changed.set(name, rules);
      current.set(name, { ...role, rules });
    }
  }
  return originals.flatMap((role) => {
    const rules = changed.get(role.metadata.name ?? "");
    return rules === undefined || isSame(rules, role.rules ?? []) ? [] : [{ ...role, rules }];
  });
}
