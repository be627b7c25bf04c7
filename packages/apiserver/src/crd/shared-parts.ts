import { isEqual, isList, isRecord, type JsonRecord } from "@homeostat/core";
import { fieldOf, listOf } from "../values/properties.ts";

/** Parts of versions that the real server moves to the spec if they are equal in all versions. */
export type SharedPart = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

const parts: readonly SharedPart[] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

/** The spec in the internal form that the real server validates. */
export interface SharedSpec {
  /** Parts that are equal in all versions; their problems are reported under the spec, not under a version. */
  readonly shared: ReadonlyMap<SharedPart, unknown>;
  /** The versions without the shared parts. */
  readonly versions: readonly unknown[];
}

/** Moves the parts that are equal in all versions out of the versions. With a single version, these are all parts. */
export function sharedParts(spec: JsonRecord): SharedSpec {
  const versions = listOf(spec, "versions");
  const [first] = versions;
  const shared = new Map<SharedPart, unknown>();
  if (versions.length === 0) return { shared, versions };
  const same = parts.filter((part) => {
    const value = normalized(fieldOf(first, part));
    return versions.every((version) => isEqual(normalized(fieldOf(version, part)), value));
  });
  for (const part of same) {
    const value = normalized(fieldOf(first, part));
    if (value !== undefined) shared.set(part, value);
  }
  const rest = versions.map((version) => {
    if (!isRecord(version)) return version;
    return Object.fromEntries(Object.entries(version).filter(([name]) => !same.some((part) => part === name)));
  });
  return { shared, versions: rest };
}

/** An empty list equals an absent one. */
function normalized(value: unknown): unknown {
  return value === null || (isList(value) && value.length === 0) ? undefined : value;
}
