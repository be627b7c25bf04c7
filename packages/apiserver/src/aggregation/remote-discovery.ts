// Discovery of versions that remote servers serve.

import { isRecord } from "@homeostat/core";
import type { ServedGroup } from "../discovery/served.ts";
import { listAt, textAt, valueAt } from "../values/fields.ts";
import type { RemoteVersion } from "./remote-version.ts";

/** Converts an `APIResourceList` to the resources of aggregated discovery. */
export function aggregatedResources(list: unknown): unknown[] {
  const rows = listAt(list, "resources").filter(isRecord);
  const responseKind = (row: unknown): unknown => ({
    group: textAt(row, "group"),
    version: textAt(row, "version"),
    kind: textAt(row, "kind"),
  });
  return rows
    .filter((row) => !textAt(row, "name").includes("/"))
    .map((row) => {
      const name = textAt(row, "name");
      const parts = rows.filter((part) => textAt(part, "name").startsWith(`${name}/`));
      return {
        resource: name,
        responseKind: responseKind(row),
        scope: valueAt(row, "namespaced") === true ? "Namespaced" : "Cluster",
        singularResource: textAt(row, "singularName"),
        verbs: listAt(row, "verbs"),
        ...(listAt(row, "shortNames").length > 0 ? { shortNames: listAt(row, "shortNames") } : {}),
        ...(listAt(row, "categories").length > 0 ? { categories: listAt(row, "categories") } : {}),
        ...(parts.length > 0
          ? {
              subresources: parts.map((part) => ({
                subresource: textAt(part, "name").slice(name.length + 1),
                responseKind: responseKind(part),
                verbs: listAt(part, "verbs"),
              })),
            }
          : {}),
      };
    });
}

/** The fields of a version that decide its place in discovery. */
export type PlacedVersion = Pick<RemoteVersion, "group" | "version" | "groupPriority" | "versionPriority">;

/**
 * Merges the groups of this server with those of remote servers, ordered by descending priority, then by name.
 * `priorityOf` returns the priority of a group of this server.
 */
export function mergedGroups(
  groups: readonly ServedGroup[],
  remote: readonly PlacedVersion[],
  priorityOf: (group: string) => number,
): readonly ServedGroup[] {
  if (remote.length === 0) return groups;
  const merged = [...groups];
  for (const name of new Set(remote.map(({ group }) => group))) {
    const versions = remote.filter(({ group }) => group === name).toSorted(byVersionPriority);
    const at = merged.findIndex((group) => group.name === name);
    const own = at < 0 ? [] : (merged[at]?.versions ?? []);
    const added = versions.filter(({ version }) => own.every((each) => each.version !== version));
    const group = { name, versions: [...own, ...added.map(({ version }) => ({ version, resources: [] }))] };
    if (at >= 0) {
      merged[at] = group;
      continue;
    }
    const priority = Math.max(...versions.map(({ groupPriority }) => groupPriority));
    const later = merged.findIndex((each) => {
      if (each.name === "") return false;
      const other = remote.find((version) => version.group === each.name)?.groupPriority ?? priorityOf(each.name);
      return other < priority || (other === priority && each.name > name);
    });
    merged.splice(later < 0 ? merged.length : later, 0, group);
  }
  return merged;
}

function byVersionPriority(a: PlacedVersion, b: PlacedVersion): number {
  return b.versionPriority - a.versionPriority || (a.version < b.version ? -1 : 1);
}
