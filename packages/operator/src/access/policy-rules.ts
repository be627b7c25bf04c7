import type { PolicyRule } from "@homeostat/kubernetes/rbac/v1";
import type { AccessRule } from "@homeostat/runtime";

/** Rules without the verbs that a wider rule allows anyway. */
export function withoutCovered(rules: readonly AccessRule[], wider: readonly AccessRule[]): AccessRule[] {
  const all = [...rules, ...wider];
  return rules.flatMap((rule) => {
    const verbs = rule.verbs.filter((verb) => !all.some((other) => isWider(other, rule) && other.verbs.includes(verb)));
    return verbs.length === 0 ? [] : [{ ...rule, verbs }];
  });
}

/**
 * The rules of a role: as few as say the same, in an order that depends on nothing but what they say.
 *
 * Resources of a group with the same verbs share a rule.
 */
export function policyRules(rules: readonly AccessRule[]): PolicyRule[] {
  const merged = new Map<string, { group: string; verbs: string[]; names: readonly string[]; resources: string[] }>();
  for (const { group, resource, subresource, verbs, names = [] } of rules) {
    const path = subresource === undefined ? resource : `${resource}/${subresource}`;
    const sorted = [...new Set(verbs)].toSorted(compare);
    // A name means another thing in every resource, so these are never brought together.
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

/** Whether a rule allows all that another does, and the other is not needed where both have a verb. */
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
