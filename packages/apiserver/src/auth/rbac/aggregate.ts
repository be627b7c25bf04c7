import { labelSelectorFrom } from "@homeostat/core";
import { compareBytes } from "../../codec/go-text.ts";
import type { ClusterRoleObject } from "./objects.ts";
import type { Rule } from "./rule.ts";

/** Reports whether a role is aggregated from others. */
export function isAggregated(role: ClusterRoleObject): boolean {
  return (role.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

/**
 * Returns the rules of an aggregated role: the distinct rules of all other roles that its selectors match, by selector
 * and then by name. A role without an aggregationRule keeps its own rules.
 *
 * @throws InvalidSelectorError for a selector that the API server would not have stored.
 */
export function aggregatedRules(role: ClusterRoleObject, all: Iterable<ClusterRoleObject>): readonly Rule[] {
  return isAggregated(role) ? aggregate(role, inOrder(all)) : (role.rules ?? []);
}

function inOrder(roles: Iterable<ClusterRoleObject>): ClusterRoleObject[] {
  return [...roles].sort((a, b) => compareBytes(a.metadata.name ?? "", b.metadata.name ?? ""));
}

function aggregate(role: ClusterRoleObject, ordered: readonly ClusterRoleObject[]): Rule[] {
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

/** Returns a text that is equal exactly for equal rules. A missing list equals an empty one. */
function keyOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
}

function isSame(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => keyOf(rule) === keyOf(b[index] ?? {}));
}

/**
 * Returns the aggregated roles whose stored rules are outdated, with their correct rules.
 *
 * An aggregated role may itself be selected by another one, so this repeats until nothing changes. The result is the
 * state that the aggregation controller would eventually reach.
 */
export function aggregationChanges<T extends ClusterRoleObject>(
  roles: Iterable<T>,
): (T & { rules: readonly Rule[] })[] {
  const originals = [...roles];
  const current = new Map(inOrder(originals).map((role) => [role.metadata.name ?? "", role]));
  const aggregated = [...current.values()].filter(isAggregated).map(({ metadata }) => metadata.name ?? "");
  const changed = new Map<string, readonly Rule[]>();
  // Rules spread along selectors, so after as many rounds as there are aggregated roles nothing can change.
  for (let round = 0, isStable = false; round <= aggregated.length && !isStable; round += 1) {
    isStable = true;
    for (const name of aggregated) {
      const role = current.get(name);
      if (role === undefined) continue;
      const rules = aggregate(role, [...current.values()]);
      if (isSame(rules, role.rules ?? [])) continue;
      isStable = false;
      changed.set(name, rules);
      current.set(name, { ...role, rules });
    }
  }
  return originals.flatMap((role) => {
    const rules = changed.get(role.metadata.name ?? "");
    return rules === undefined || isSame(rules, role.rules ?? []) ? [] : [{ ...role, rules }];
  });
}
