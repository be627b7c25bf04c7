import type { PolicyRule } from "@homeostat/kubernetes/rbac/v1";
import type { AccessRule } from "@homeostat/runtime";

/** Removes the verbs that another of the rules, or a wider one, already allows. */
export function withoutCovered(rules: readonly AccessRule[], wider: readonly AccessRule[]): AccessRule[] {
  const all = [...rules, ...wider];
  return rules.flatMap((rule) => {
    const verbs = rule.verbs.filter((verb) => !all.some((other) => isWider(other, rule) && other.verbs.includes(verb)));
    return verbs.length === 0 ? [] : [{ ...rule, verbs }];
  });
}

/**
 * Converts permissions to the rules of a role. Resources of a group with the same verbs share a rule, and the order does not
 * depend on the order of the input, so that generated manifests are stable.
 */
export function policyRules(rules: readonly AccessRule[]): PolicyRule[] {
  const merged = new Map<string, { group: string; verbs: string[]; names: readonly string[]; resources: string[] }>();
  for (const { group, resource, subresource, verbs, names = [] } of rules) {
    const path = subresource === undefined ? resource : `${resource}/${subresource}`;
    const sorted = [...new Set(verbs)].toSorted(compare);
    // Rules with names are never merged: the same name in another resource is another object.
    const key = JSON.stringify([group, sorted, names.length === 0 ? "" : [path, ...names]]);
    const before = merged.get(key);
    if (before === undefined) merged.set(key, { group, verbs: sorted, names, resources: [path] });
    else if (!before.resources.includes(path)) before.resources.push(path);
  }
  return [...merged.values()]
    .map(({ group, resources, names, verbs }) => ({
      apiGroups: [group],
      resources: resources.toSorted(compare),
      ...(names.length > 0 ? { resourceNames: [...new Set(names)].toSorted(compare) } : {}),
      verbs,
    }))
    .toSorted((a, b) => compare(keyOf(a), keyOf(b)));
}

/** Reports whether a rule covers another one, so that the other can drop the verbs that both have. */
function isWider(wide: AccessRule, narrow: AccessRule): boolean {
  const isSame =
    wide.group === narrow.group && wide.resource === narrow.resource && wide.subresource === narrow.subresource;
  const isSamePlace = (wide.namespace ?? "") === (narrow.namespace ?? "");
  const isEverywhere = wide.namespace === undefined && narrow.namespace !== undefined;
  const isAnyName = (wide.names?.length ?? 0) === 0;
  const isNarrowName = (narrow.names?.length ?? 0) > 0;
  if (!isSame || !isAnyName) return false;
  return isEverywhere || (isSamePlace && isNarrowName);
}

function keyOf({ apiGroups = [], resources = [], resourceNames = [], verbs }: PolicyRule): string {
  return JSON.stringify([apiGroups, resources, resourceNames, verbs]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
