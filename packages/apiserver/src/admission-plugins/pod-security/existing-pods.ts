import { quote } from "@homeostat/cel";
import { listAt, textAt, valueAt } from "../../values/fields.ts";
import { shortText, violationsOf } from "./evaluate.ts";
import { type SecurityStandard, standardText } from "./levels.ts";

const podsMax = 3000;

/** Returns the warnings for a namespace whose enforced standard becomes stricter: the existing pods that violate it. */
export function existingPodWarnings(
  pods: readonly unknown[],
  { namespace, standard }: { readonly namespace: string; readonly standard: SecurityStandard },
): string[] {
  const warnings: string[] = [];
  const checked = oneOfEachOwnerFirst(pods).slice(0, podsMax);
  const named = new Map<string, string[]>();
  for (const pod of checked) {
    const found = violationsOf({ metadata: valueAt(pod, "metadata"), spec: valueAt(pod, "spec") }, standard);
    if (found.length === 0) continue;
    const reason = shortText(found);
    named.set(reason, [...(named.get(reason) ?? []), textAt(pod, "metadata", "name")]);
  }
  if (checked.length < pods.length) {
    const share = `${checked.length} of ${pods.length}`;
    warnings.push(`new PodSecurity enforce level only checked against the first ${share} existing pods`);
  }
  if (named.size > 0) {
    const level = quote(standardText(standard));
    warnings.push(`existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${level}`);
  }
  const texts = [...named].map(([reason, names]) => `${podsText(names)}: ${reason}`);
  return [...warnings, ...texts.toSorted()];
}

function podsText(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  if (names.length === 1) return first;
  return names.length === 2 ? `${first} (and 1 other pod)` : `${first} (and ${names.length - 1} other pods)`;
}

/**
 * Orders pods so that one pod of each controller comes first: pods of the same controller are usually alike, so this
 * covers the most within the limit.
 */
function oneOfEachOwnerFirst(pods: readonly unknown[]): readonly unknown[] {
  const seen = new Set<string>();
  const [first, others]: [unknown[], unknown[]] = [[], []];
  for (const pod of pods) {
    const owner = listAt(pod, "metadata", "ownerReferences").find((ref) => valueAt(ref, "controller") === true);
    const uid = textAt(owner, "uid");
    if (owner !== undefined && seen.has(uid)) others.push(pod);
    else first.push(pod);
    if (owner !== undefined) seen.add(uid);
  }
  return [...first, ...others];
}
