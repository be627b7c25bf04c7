import type { ResourceRow, ServedResource } from "../resources/resource.ts";
import { compareVersions } from "./version-order.ts";

/** A version of a group with its resources. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** A group with its versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

/** The parts of a CustomResourceDefinition that discovery shows. */
export interface CustomDefinition {
  readonly group: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly names: {
    readonly kind: string;
    readonly plural: string;
    readonly singular: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly storage: boolean;
    readonly hasStatus: boolean;
    readonly hasScale: boolean;
  }[];
}

const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const partVerbs = ["get", "patch", "update"];

/** Returns the resources that a CustomResourceDefinition declares, one for each served version. */
export function resourcesOfDefinition({ group, scope, names, versions }: CustomDefinition): ServedResource[] {
  const stored = versions.find((version) => version.storage);
  return versions
    .filter((version) => version.served)
    .map(({ name, hasStatus, hasScale }) => ({
      group,
      version: name,
      kind: names.kind,
      plural: names.plural,
      singular: names.singular,
      scope,
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      verbs: customVerbs,
      ...(stored === undefined ? {} : { storage: { group, version: stored.name, kind: names.kind } }),
      subresources: [
        ...(hasStatus ? [{ name: "status", group: "", version: "", kind: names.kind, verbs: partVerbs }] : []),
        ...(hasScale ? [{ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: partVerbs }] : []),
      ],
      isCustom: true,
    }));
}

/**
 * Groups resources in the order of discovery: built-in groups in the given order, then custom groups by name; versions by preference;
 * custom resources by name.
 */
export function groupsOf(builtIn: readonly ResourceRow[], custom: readonly ServedResource[]): ServedGroup[] {
  const own: ServedResource[] = builtIn.map((row) => ({ ...row, isCustom: false }));
  const groups = new Map<string, ServedResource[]>();
  const sorted = custom.toSorted((a, b) => compareText(a.group, b.group) || compareText(a.plural, b.plural));
  for (const resource of [...own, ...sorted]) {
    const resources = groups.get(resource.group) ?? [];
    resources.push(resource);
    groups.set(resource.group, resources);
  }
  return [...groups].map(([name, resources]) => ({
    name,
    versions: [...new Set(resources.map((resource) => resource.version))]
      .toSorted(compareVersions)
      .map((version) => ({ version, resources: resources.filter((resource) => resource.version === version) })),
  }));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
