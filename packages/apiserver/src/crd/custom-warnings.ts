import { quote } from "@homeostat/cel";
import { type JsonRecord, qualifiedNameProblems } from "@homeostat/core";
import { compareVersions } from "../discovery/version-order.ts";
import type { Definition } from "./definition.ts";
import { recordOf, textsOf } from "../values/properties.ts";

const standardFinalizers: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
const clash = "to avoid accidental conflicts with other finalizer writers";

/** Returns warnings for new finalizers whose names do not identify their owner. */
export function finalizerWarnings(object: JsonRecord, old: JsonRecord | undefined): string[] {
  const existing = new Set(old === undefined ? [] : textsOf(recordOf(old, "metadata"), "finalizers"));
  const added = new Set(textsOf(recordOf(object, "metadata"), "finalizers").filter((name) => !existing.has(name)));
  return [...added].toSorted().flatMap((name) => {
    const about = `metadata.finalizers: ${quote(name)}: `;
    const warnings = qualifiedNameProblems(name).map((detail) => about + detail);
    if (name.includes("/") || standardFinalizers.has(name)) return warnings;
    const better = name.includes(".")
      ? "prefer a domain-qualified finalizer name including a path (/)"
      : "prefer a domain-qualified finalizer name";
    return [...warnings, `${about}${better} ${clash}`];
  });
}

/** Returns the warning for a deprecated version; undefined if the version is not deprecated. */
export function deprecationWarning({ group, names, versions }: Definition, version: string): string | undefined {
  const found = versions.find((each) => each.name === version);
  if (found?.isDeprecated !== true) return undefined;
  if (found.deprecationWarning !== undefined) return found.deprecationWarning;
  const newer = versions
    .filter((each) => each.isServed && !each.isDeprecated && compareVersions(each.name, version) < 0)
    .map((each) => each.name)
    .toSorted(compareVersions);
  const [best] = newer;
  const end = best === undefined ? "" : `; use ${group}/${best} ${names.kind}`;
  return `${group}/${version} ${names.kind} is deprecated${end}`;
}
