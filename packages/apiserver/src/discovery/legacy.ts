import { createHash } from "node:crypto";
import type { KindRef, ServedResource } from "../resources/resource.ts";
import type { ServedGroup } from "./served.ts";

/** A `GroupVersionForDiscovery`. */
export interface GroupVersionName {
  readonly groupVersion: string;
  readonly version: string;
}

/** An entry of an `APIResourceList`: a resource, or a subresource such as `pods/status`. */
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

/** Builds the `APIVersions` at `/api`, for clients without aggregated discovery. `address` is the server's address for clients. */
export function legacyVersions(address: string): unknown {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** Builds the `APIGroupList` at `/apis`. */
export function legacyGroupList(groups: readonly ServedGroup[]): unknown {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter(({ name }) => name !== "").map((group) => groupBody(group)),
  };
}

/** Builds the `APIGroup` at `/apis/{group}`. */
export function legacyGroup(group: ServedGroup): unknown {
  return { kind: "APIGroup", apiVersion: "v1", ...groupBody(group) };
}

function groupBody({ name, versions }: ServedGroup): Record<string, unknown> {
  const names: GroupVersionName[] = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: names, preferredVersion: names[0] };
}

/** Builds the `APIResourceList` at `/api/v1` or `/apis/{group}/{version}`; undefined when the version is not served. */
export function legacyResourceList(group: ServedGroup, version: string): unknown {
  const found = group.versions.find((each) => each.version === version);
  if (found === undefined) return undefined;
  return {
    kind: "APIResourceList",
    // The list of the core group has no apiVersion, as on kube-apiserver.
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

/**
 * Returns the `storageVersionHash` of a resource: the first eight bytes of the hash of its storage kind. Clients compare it to detect
 * a change of the storage version.
 */
export function storageVersionHash({ group, version, kind }: KindRef): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
