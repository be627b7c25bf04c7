import type { ResourceType } from "@homeostat/core";
import type { ManagedRules } from "../kinds/managed-rules.ts";
import type { KindRules } from "./decide.ts";

/** Rules of built-in kinds, by group and kind. */
const builtIn: Readonly<Record<string, Partial<KindRules>>> = {
  // Immutable, and with many server-set defaults. An operator that resizes volumes uses `growVolumes`.
  "StatefulSet.apps": { ignore: ["spec.volumeClaimTemplates"] },
  "RoleBinding.rbac.authorization.k8s.io": { replaceOn: ["roleRef"] },
  "ClusterRoleBinding.rbac.authorization.k8s.io": { replaceOn: ["roleRef"] },
};

/** Returns the rules for differences of a kind: the built-in ones and those of its options. */
export function rulesOf(
  { group, kind }: Pick<ResourceType, "group" | "kind">,
  { ignore, replaceOn }: Pick<ManagedRules, "ignore" | "replaceOn">,
): KindRules {
  const name = `${kind}.${group}`;
  const known = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  const fixed = [...(known?.replaceOn ?? []), ...replaceOn];
  // An explicit `replaceOn` wins over a path that is ignored by default.
  const ignored = [...(known?.ignore ?? []).filter((path) => !replaceOn.includes(path)), ...ignore];
  return { ignore: ignored, replaceOn: fixed };
}
