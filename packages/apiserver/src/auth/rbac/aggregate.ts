import { isEqual, labelSelectorFrom } from "@homeostat/core";
import type { ClusterRoleObject } from "./objects.ts";
import type { Rule } from "./rule.ts";
import { sortedOnce } from "../go-quote.ts";

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
  if (!isAggregated(role)) return role.rules ?? [];
  const byName = new Map(Array.from(all, (other) => [other.metadata.name ?? "", other]));
  const rules: Rule[] = [];
  for (const object of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorFrom(object);
    for (const name of sortedOnce(byName.keys())) {
      const other = byName.get(name);
      if (other === undefined || name === role.metadata.name || !selector.matches(other.metadata.labels ?? {}))
        continue;
      for (const rule of other.rules ?? []) if (!rules.some((known) => isEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
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
  const current = new Map<string, ClusterRoleObject>();
  const originals: T[] = [...roles];
  for (const role of originals) current.set(role.metadata.name ?? "", role);
  const changed = new Map<string, readonly Rule[]>();
  // Rules only ever travel along selectors: after as many rounds as there are roles nothing new can arrive.
  for (let round = 0; round <= originals.length; round += 1) {
    let isSettled = true;
    for (const [name, role] of current) {
      if (!isAggregated(role)) continue;
      const rules = aggregatedRules(role, current.values());
      if (isEqual(rules, role.rules ?? [])) continue;
      isSettled = false;
      changed.set(name, rules);
      current.set(name, { ...role, rules });
    }
    if (isSettled) break;
  }
  return originals.flatMap((role) => {
    const rules = changed.get(role.metadata.name ?? "");
    return rules === undefined || isEqual(rules, role.rules ?? []) ? [] : [{ ...role, rules }];
  });
}
