import { createHash } from "node:crypto";
import type { KindRef } from "../kinds/resource.ts";
import type { ServedGroup, ServedResource } from "./served.ts";

/** A version of a group, by its two names. */
export interface GroupVersionName {
  readonly groupVersion: string;
  readonly version: string;
}

/** An entry of an `APIResourceList`: a resource, or a part of one as `pods/status`. */
export interface LegacyResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** The answer at `/api` to a client that does not know aggregated discovery; `address` is where clients find the server. */
export function legacyVersions(address: string): unknown {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** The answer at `/apis`: an `APIGroupList`. */
export function legacyGroupList(groups: readonly ServedGroup[]): unknown {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter(({ name }) => name !== "").map((group) => groupBody(group)),
  };
}

/** The answer at `/apis/{group}`: an `APIGroup`. */
export function legacyGroup(group: ServedGroup): unknown {
  return { kind: "APIGroup", apiVersion: "v1", ...groupBody(group) };
}

function groupBody({ name, versions }: ServedGroup): Record<string, unknown> {
  const names: GroupVersionName[] = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: names, preferredVersion: names[0] };
}

/** The answer at `/api/v1` or `/apis/{group}/{version}`: an `APIResourceList`, or undefined where nothing is served. */
export function legacyResourceList(group: ServedGroup, version: string): unknown {
  const found = group.versions.find((each) => each.version === version);
  if (found === undefined) return undefined;
  return {
    kind: "APIResourceList",
    // The core group's list is older than this field.
    ...(group.name === "" ? {} : { apiVersion: "v1" }),
    groupVersion: group.name === "" ? version : `${group.name}/${version}`,
    resources: found.resources.flatMap(legacyResources),
  };
}

function legacyResources(row: ServedResource): LegacyResource[] {
  const namespaced = row.scope === "Namespaced";
  const { storage } = row;
  return [
    {
      name: row.plural,
      singularName: row.singular,
      namespaced,
      kind: row.kind,
      verbs: row.verbs,
      ...(row.shortNames.length > 0 ? { shortNames: row.shortNames } : {}),
      ...(row.categories.length > 0 ? { categories: row.categories } : {}),
      ...(storage === undefined ? {} : { storageVersionHash: storageVersionHash(storage) }),
    },
    ...row.subresources.map((part) => ({
      name: `${row.plural}/${part.name}`,
      singularName: "",
      namespaced,
      ...(part.group === "" ? {} : { group: part.group }),
      ...(part.version === "" ? {} : { version: part.version }),
      kind: part.kind,
      verbs: part.verbs,
    })),
  ];
}

/** Tells clients whether the stored form of a resource changed: eight bytes of the hash of its stored kind. */
export function storageVersionHash({ group, version, kind }: KindRef): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
