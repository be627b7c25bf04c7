import { createHash } from "node:crypto";
import { servedGroups } from "./groups.ts";
import { listField, type Server, textField } from "./server.ts";

/** A row of the generated resource table. */
export interface ResourceRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly shortNames: readonly unknown[];
  readonly categories: readonly unknown[];
  readonly verbs: readonly unknown[];
  readonly storage?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly subresources: readonly {
    readonly name: string;
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly verbs: readonly unknown[];
  }[];
}

interface Found {
  readonly group: string;
  readonly version: string;
  readonly resource: unknown;
}

/** Reads the resources of the served groups, in discovery order. */
export async function readResources(server: Server): Promise<ResourceRow[]> {
  const found: Found[] = [];
  for (const resource of listField(await server.json("/api/v1"), "resources")) {
    found.push({ group: "", version: "v1", resource });
  }
  for (const group of listField(await server.json("/apis"), "groups")) {
    const name = textField(group, "name");
    if (!servedGroups.includes(name)) continue;
    for (const each of listField(group, "versions")) {
      const version = textField(each, "version");
      const list = await server.json(`/apis/${name}/${version}`);
      for (const resource of listField(list, "resources")) found.push({ group: name, version, resource });
    }
  }
  return found.filter(({ resource }) => !textField(resource, "name").includes("/")).map((each) => rowOf(each, found));
}

function rowOf({ group, version, resource }: Found, all: readonly Found[]): ResourceRow {
  const plural = textField(resource, "name");
  const parts = all.filter(
    (other) =>
      other.group === group && other.version === version && textField(other.resource, "name").startsWith(`${plural}/`),
  );
  const storage = storageOf(textField(resource, "storageVersionHash"), textField(resource, "kind"), all);
  return {
    group,
    version,
    kind: textField(resource, "kind"),
    plural,
    singular: textField(resource, "singularName"),
    scope: Reflect.get(Object(resource), "namespaced") === true ? "Namespaced" : "Cluster",
    shortNames: listField(resource, "shortNames"),
    categories: listField(resource, "categories"),
    verbs: listField(resource, "verbs"),
    ...(storage === undefined ? {} : { storage }),
    subresources: parts.map(({ resource: part }) => ({
      name: textField(part, "name").slice(plural.length + 1),
      group: textField(part, "group"),
      version: textField(part, "version"),
      kind: textField(part, "kind"),
      verbs: listField(part, "verbs"),
    })),
  };
}

/** Returns the storage version of a resource. The server only provides a hash of it, so all candidates are tried. */
function storageOf(hash: string, kind: string, all: readonly Found[]): ResourceRow["storage"] {
  if (hash === "") return undefined;
  for (const group of new Set(all.map((each) => each.group))) {
    // A kind that was just promoted is still stored in its old version, so that the previous release can read it.
    for (const version of ["v1", "v2", "v1beta1", "v1beta2", "v1alpha1"]) {
      if (storageVersionHash(group, version, kind) === hash) return { group, version, kind };
    }
  }
  throw new Error(`no version of ${kind} has the storage hash ${hash}`);
}

function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
