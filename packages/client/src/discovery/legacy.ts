import { isRecord } from "@homeostat/core";
import type { ApiResource } from "./api-resource.ts";
import { recordIn, recordsIn, textIn, textsIn } from "./json-fields.ts";

/** A group and version in the older form of discovery: `apps/v1` or `v1`. */
export interface LegacyVersion {
  readonly group: string;
  readonly version: string;
}

/** Parses the response of `/api`: the versions of the core group. Never throws. */
export function readApiVersions(document: unknown): LegacyVersion[] {
  if (!isRecord(document)) return [];
  return textsIn(document, "versions").map((version) => ({ group: "", version }));
}

/** Parses the response of `/apis`: every group with its versions, the preferred one first. Never throws. */
export function readApiGroups(document: unknown): LegacyVersion[] {
  if (!isRecord(document)) return [];
  return recordsIn(document, "groups").flatMap((item) => {
    const group = textIn(item, "name");
    const preferred = textIn(recordIn(item, "preferredVersion"), "version");
    const versions = recordsIn(item, "versions").flatMap((entry) => textIn(entry, "version") || []);
    const ordered = [...new Set([...(versions.includes(preferred) ? [preferred] : []), ...versions])];
    return group === "" ? [] : ordered.map((version) => ({ group, version }));
  });
}

/** Parses the response of `/apis/GROUP/VERSION`: its kinds with their subresources. Never throws. */
export function readApiResources(document: unknown, { group, version }: LegacyVersion): ApiResource[] {
  if (!isRecord(document)) return [];
  const entries = recordsIn(document, "resources");
  const subresources = new Map<string, string[]>();
  for (const entry of entries) {
    const [plural = "", ...rest] = textIn(entry, "name").split("/");
    if (rest.length > 0) subresources.set(plural, [...(subresources.get(plural) ?? []), rest.join("/")]);
  }
  return entries.flatMap((entry) => {
    const plural = textIn(entry, "name");
    const kind = textIn(entry, "kind");
    if (plural === "" || kind === "" || plural.includes("/")) return [];
    return [
      {
        group,
        version,
        kind,
        plural,
        scope: entry["namespaced"] === true ? ("Namespaced" as const) : ("Cluster" as const),
        singular: textIn(entry, "singularName") || kind.toLowerCase(),
        shortNames: textsIn(entry, "shortNames"),
        categories: textsIn(entry, "categories"),
        verbs: textsIn(entry, "verbs"),
        subresources: subresources.get(plural) ?? [],
      },
    ];
  });
}
